//! The sizes that modelers give to symbols.

use super::plan::Plan;
use crate::model::{DataKind, NodeIndex, Symbol};
use crate::text::{LINE_HEIGHT, wrap};

pub(super) const EVENT: f64 = 36.0;
const GATEWAY: f64 = 50.0;
const TASK: (f64, f64) = (100.0, 80.0);
const DATA: (f64, f64) = (36.0, 50.0);
const STORE: (f64, f64) = (50.0, 50.0);
const ANNOTATION_WIDTH: f64 = 130.0;
const EMPTY_GROUP: (f64, f64) = (140.0, 100.0);

/// Around the contents of a subprocess: left and right, above, below.
pub(super) const SCOPE_SIDE: f64 = 30.0;
pub(super) const SCOPE_ABOVE: f64 = 40.0;
const SCOPE_BELOW: f64 = 30.0;

pub(super) fn of(plan: &Plan<'_>, node: NodeIndex) -> (f64, f64) {
    match plan.symbol(node) {
        Symbol::Event(_) => (EVENT, EVENT),
        Symbol::Gateway(_) => (GATEWAY, GATEWAY),
        Symbol::Activity(_) if plan.sizes[node].0 > 0.0 => {
            let (width, height) = plan.sizes[node];
            (width + 2.0 * SCOPE_SIDE, height + SCOPE_ABOVE + SCOPE_BELOW)
        }
        Symbol::Data(data) if data.kind == DataKind::Store => STORE,
        Symbol::Data(_) => DATA,
        Symbol::Annotation => annotation(&plan.model.nodes[node].name),
        Symbol::Group => EMPTY_GROUP,
        _ => TASK,
    }
}

fn annotation(text: &str) -> (f64, f64) {
    let lines = wrap(text, ANNOTATION_WIDTH - 12.0, 12.0, 20).len().max(1);
    (ANNOTATION_WIDTH, (lines as f64 * 12.0 * LINE_HEIGHT + 14.0).ceil())
}
