//! Every row of an entity as its view, live ones first.

use crate::state::State;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::DefinitionKey;
use tidemill_model::entity::{Job, Lease, ProcessDefinition, StartEventKind};
use tidemill_store::view::*;

/// The content of a store as searches see it.
pub(super) struct Views<'s>(pub(super) &'s State);

impl<'s> Views<'s> {
    fn definition(&self, key: DefinitionKey) -> Option<&'s ProcessDefinition> {
        self.0.live.process_definitions.get(&key).map(|definition| &**definition)
    }

    fn row<E>(&self, entity: &'s E, definition: DefinitionKey, has_ended: bool) -> Row<'s, E> {
        Row { entity, definition: self.definition(definition), has_ended }
    }

    pub(super) fn definitions(&self) -> impl Iterator<Item = ProcessDefinitionView> {
        self.0.live.process_definitions.values().map(|definition| ProcessDefinitionView::of(definition))
    }

    pub(super) fn instances(&self) -> impl Iterator<Item = ProcessInstanceView> {
        let rows = both(&self.0.live.process_instances, &self.0.history.process_instances);
        rows.map(move |(row, ended)| ProcessInstanceView::of(&self.row(row, row.definition, ended)))
    }

    pub(super) fn elements(&self) -> impl Iterator<Item = ElementInstanceView> {
        let rows = both(&self.0.live.element_instances, &self.0.history.element_instances);
        rows.map(move |(row, ended)| ElementInstanceView::of(&self.row(row, row.origin.definition, ended)))
    }

    pub(super) fn jobs(&self) -> impl Iterator<Item = JobView> {
        let rows = both(&self.0.live.jobs, &self.0.history.jobs);
        let leases = self.leases();
        rows.map(move |(row, ended)| {
            let listed = leases.get(&row.key.0).copied().filter(|_| !ended);
            JobView::of(&self.row(row, row.origin.definition, ended), lease_of(row, listed))
        })
    }

    /// The newest lease of every job that stands in a lease row.
    fn leases(&self) -> BTreeMap<i64, &'s Lease> {
        let rows = self.0.live.job_leases.values();
        let held = rows.flat_map(|row| {
            row.jobs.iter().filter(move |job| row.holds(**job)).map(move |job| (job.0, &row.lease))
        });
        // Later keys come later, so they replace the earlier ones.
        held.collect()
    }

    pub(super) fn user_tasks(&self) -> impl Iterator<Item = UserTaskView> {
        let rows = both(&self.0.live.user_tasks, &self.0.history.user_tasks);
        rows.map(move |(row, ended)| UserTaskView::of(&self.row(row, row.origin.definition, ended)))
    }

    pub(super) fn variables(&self) -> impl Iterator<Item = VariableView> {
        both(&self.0.live.variables, &self.0.history.variables).map(|(row, _)| VariableView::of(row))
    }

    pub(super) fn message_subscriptions(&self) -> impl Iterator<Item = MessageSubscriptionView> {
        let rows = both(&self.0.live.message_subscriptions, &self.0.history.message_subscriptions);
        let of_instances = rows.map(move |(row, ended)| {
            MessageSubscriptionView::of(&self.row(row, row.origin.definition, ended))
        });
        let starts = self.0.live.start_subscriptions.values();
        let by_message = starts.filter(|row| row.kind == StartEventKind::Message);
        let of_starts = by_message
            .map(move |row| MessageSubscriptionView::of_start(&self.row(&**row, row.definition, false)));
        of_instances.chain(of_starts)
    }

    pub(super) fn correlations(&self) -> impl Iterator<Item = CorrelationView> {
        let rows = self.0.history.message_correlations.values();
        rows.map(move |row| CorrelationView::of(&self.row(&**row, row.origin.definition, true)))
    }

    pub(super) fn incidents(&self) -> impl Iterator<Item = IncidentView> {
        let rows = both(&self.0.live.incidents, &self.0.history.incidents);
        rows.map(move |(row, ended)| IncidentView::of(&self.row(row, row.origin.definition, ended)))
    }

    pub(super) fn resources(&self) -> impl Iterator<Item = ResourceView> {
        let rows = self.0.live.resources.values().filter(|resource| !resource.is_deleted);
        rows.map(|resource| ResourceView::of(resource))
    }
}

/// Rows of both sides, each with whether it has ended.
pub(super) fn both<'t, I, E>(
    live: &'t BTreeMap<I, Arc<E>>,
    history: &'t BTreeMap<I, Arc<E>>,
) -> impl Iterator<Item = (&'t E, bool)> {
    live.values().map(|row| (&**row, false)).chain(history.values().map(|row| (&**row, true)))
}

/// The newer of the job's own lease and the one that stands in a lease row; one that was released is over.
fn lease_of<'l>(job: &'l Job, listed: Option<&'l Lease>) -> Option<&'l Lease> {
    let floor = job.lease.as_ref().map(|lease| lease.key).max(job.released);
    listed.filter(|listed| Some(listed.key) > floor).or(job.lease.as_ref())
}
