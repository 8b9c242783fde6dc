//! Every row of an entity as its view, live ones first.

use super::tables::Tables;
use crate::Result;
use crate::query::plain::{FieldValue, Related, Shown, find};
use crate::query::{Results, Search};
use crate::view::*;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{Job, Lease, ProcessDefinition, StartEventKind};
use tidemill_model::{DefinitionKey, JobKey, ProcessInstanceKey, UserTaskKey};

/// The rows of a store, or some of them, as searches see them.
#[derive(Clone, Copy)]
pub struct Views<'s> {
    pub live: &'s Tables,
    pub history: &'s Tables,
}

impl<'s> Views<'s> {
    fn definition(&self, key: DefinitionKey) -> Option<&'s ProcessDefinition> {
        self.live.process_definitions.get(&key).map(|definition| &**definition)
    }

    fn row<E>(&self, entity: &'s E, definition: DefinitionKey, has_ended: bool) -> Row<'s, E> {
        Row { entity, definition: self.definition(definition), has_ended }
    }

    /// The newest lease of every job that stands in a lease row.
    fn leases(&self) -> BTreeMap<i64, &'s Lease> {
        let rows = self.live.job_leases.values();
        let held = rows.flat_map(|row| {
            row.jobs.iter().filter(move |job| row.holds(**job)).map(move |job| (job.0, &row.lease))
        });
        // Later keys come later, so they replace the earlier ones.
        held.collect()
    }

    /// One page of what a search finds.
    pub fn search<F: Viewed>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        find(F::views(self), search, self)
    }

    /// The view of the row with this key.
    pub fn single<F: Viewed>(&self, key: i64) -> Option<F::View> {
        F::view(self, key)
    }

    /// The views that pass the filter of a search, in no order.
    pub fn passing<F: Viewed>(&self, search: &Search<F>) -> Vec<F::View> {
        F::views(self).filter(|view| search.filter.passes(view, self as &dyn Related)).collect()
    }

    /// All views that searches by these fields look at.
    pub(super) fn of<F: Viewed>(&self) -> Box<dyn Iterator<Item = F::View> + '_> {
        F::views(self)
    }
}

/// A field by which the views of an entity are searched.
pub trait Viewed: Shown {
    fn views<'v>(views: &'v Views<'_>) -> Box<dyn Iterator<Item = Self::View> + 'v>;

    /// The view with this key. Kinds that simulators look up all the time find it without making the views of all rows.
    fn view(views: &Views<'_>, key: i64) -> Option<Self::View> {
        let has_key = |view: &Self::View| Self::key().value(view, views) == FieldValue::Int(key);
        Self::views(views).find(has_key)
    }
}

macro_rules! viewed {
    ($($field:ident = |$views:ident| $all:expr $(, |$of:ident, $key:ident| $one:expr)?;)+) => {$(
        impl Viewed for $field {
            fn views<'v>($views: &'v Views<'_>) -> Box<dyn Iterator<Item = Self::View> + 'v> {
                Box::new($all)
            }

            $(fn view($of: &Views<'_>, $key: i64) -> Option<Self::View> {
                $one
            })?
        }
    )+};
}

viewed! {
    ProcessDefinitionField = |views| {
        views.live.process_definitions.values().map(|row| ProcessDefinitionView::of(row))
    };
    ProcessInstanceField = |views| {
        both(&views.live.process_instances, &views.history.process_instances)
            .map(|(row, ended)| ProcessInstanceView::of(&views.row(row, row.definition, ended)))
    }, |views, key| {
        let row = one(&views.live.process_instances, &views.history.process_instances, &ProcessInstanceKey(key));
        row.map(|(row, ended)| ProcessInstanceView::of(&views.row(row, row.definition, ended)))
    };
    ElementInstanceField = |views| {
        both(&views.live.element_instances, &views.history.element_instances)
            .map(|(row, ended)| ElementInstanceView::of(&views.row(row, row.origin.definition, ended)))
    };
    JobField = |views| {
        let leases = views.leases();
        both(&views.live.jobs, &views.history.jobs).map(move |(row, ended)| {
            // An ended job shows the worker that held it last, which its own row tells.
            let listed = leases.get(&row.key.0).copied().filter(|_| !ended);
            JobView::of(&views.row(row, row.origin.definition, ended), lease_of(row, listed))
        })
    }, |views, key| {
        let row = one(&views.live.jobs, &views.history.jobs, &JobKey(key));
        row.map(|(row, ended)| {
            let listed = if ended { None } else { views.leases().get(&key).copied() };
            JobView::of(&views.row(row, row.origin.definition, ended), lease_of(row, listed))
        })
    };
    UserTaskField = |views| {
        both(&views.live.user_tasks, &views.history.user_tasks)
            .map(|(row, ended)| UserTaskView::of(&views.row(row, row.origin.definition, ended)))
    }, |views, key| {
        let row = one(&views.live.user_tasks, &views.history.user_tasks, &UserTaskKey(key));
        row.map(|(row, ended)| UserTaskView::of(&views.row(row, row.origin.definition, ended)))
    };
    VariableField = |views| {
        both(&views.live.variables, &views.history.variables).map(|(row, _)| VariableView::of(row))
    };
    MessageSubscriptionField = |views| {
        let of_instances = both(&views.live.message_subscriptions, &views.history.message_subscriptions)
            .map(|(row, ended)| {
                MessageSubscriptionView::of(&views.row(row, row.origin.definition, ended))
            });
        let starts = views.live.start_subscriptions.values();
        let by_message = starts.filter(|row| row.kind == StartEventKind::Message);
        of_instances.chain(
            by_message.map(|row| MessageSubscriptionView::of_start(&views.row(&**row, row.definition, false))),
        )
    };
    CorrelationField = |views| {
        let rows = views.history.message_correlations.values();
        rows.map(|row| CorrelationView::of(&views.row(&**row, row.origin.definition, true)))
    };
    IncidentField = |views| {
        both(&views.live.incidents, &views.history.incidents)
            .map(|(row, ended)| IncidentView::of(&views.row(row, row.origin.definition, ended)))
    };
    ResourceField = |views| {
        // Deleted resources are kept for their version numbers, but never shown.
        let rows = views.live.resources.values().filter(|resource| !resource.is_deleted);
        rows.map(|resource| ResourceView::of(resource))
    };
}

/// Rows of both sides, each with whether it has ended.
pub(super) fn both<'t, I, E>(
    live: &'t BTreeMap<I, Arc<E>>,
    history: &'t BTreeMap<I, Arc<E>>,
) -> impl Iterator<Item = (&'t E, bool)> {
    live.values().map(|row| (&**row, false)).chain(history.values().map(|row| (&**row, true)))
}

/// The row with this key, and whether it has ended.
fn one<'t, I: Ord, E>(
    live: &'t BTreeMap<I, Arc<E>>,
    history: &'t BTreeMap<I, Arc<E>>,
    key: &I,
) -> Option<(&'t E, bool)> {
    let row = live.get(key).map(|row| (&**row, false));
    row.or_else(|| history.get(key).map(|row| (&**row, true)))
}

/// The newer of the job's own lease and the one that stands in a lease row; one that was released is over.
fn lease_of<'l>(job: &'l Job, listed: Option<&'l Lease>) -> Option<&'l Lease> {
    let floor = job.lease.as_ref().map(|lease| lease.key).max(job.released);
    listed.filter(|listed| Some(listed.key) > floor).or(job.lease.as_ref())
}
