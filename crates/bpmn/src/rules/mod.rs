//! Rules that refuse models which cannot run, one file per topic. Rules see the outline; faults inside a
//! single element are found while it is built.

mod boundary_events;
mod duplicates;
mod event_gateways;
mod event_types;
mod flows;
mod ids;
mod links;
mod loops;
mod starts;
mod supported;

use crate::definitions::Definitions;
use crate::outline::Outline;
use crate::report::Report;
use crate::vocabulary;

pub(crate) fn check(definitions: &Definitions<'_>, outlines: &[Outline<'_>], report: &mut Report<'_>) {
    if outlines.is_empty() {
        let remedy = "mark a process as executable";
        report.refuse_with(definitions.root(), "Must contain at least one executable process", remedy);
    }
    vocabulary::check_booleans(definitions.root(), report);
    ids::check(outlines, report);
    for outline in outlines {
        supported::check(outline, report);
        flows::check(outline, report);
        starts::check(outline, report);
        event_types::check(outline, report);
        boundary_events::check(outline, report);
        event_gateways::check(outline, report);
        duplicates::check(definitions, outline, report);
        links::check(outline, report);
    }
    loops::check(outlines, report);
}
