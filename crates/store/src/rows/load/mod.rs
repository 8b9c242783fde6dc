//! Picks the rows that the engine asks for from rows in memory. Live rows only.

mod catalog;
mod instances;
mod lists;

use super::Tables;
use crate::Loaded;
use instances::Place;
use tidemill_model::{Need, PartitionId, with_kind};

/// Answers a need from tables that have all the rows it is about; others may be there too.
pub fn load(live: &Tables, partition: PartitionId, need: &Need, list_rows_max: u32) -> Loaded {
    match need {
        Need::Instance(key) => instances::around(live, Place::of_instance(*key)),
        Need::Element(key) => instances::around(live, Place::of_element(live, *key)),
        // Clients name a job or a task by its key alone, and the row tells which instance it belongs to.
        Need::InstanceOf(kind, key) => {
            let place = with_kind!(*kind, R => Place::of_row::<R>(live, *key));
            place.map_or_else(Loaded::default, |place| instances::around(live, place))
        }
        Need::Children { scope, after } => instances::children(live, *scope, *after, list_rows_max),
        Need::LoopOutputs(body) => instances::loop_outputs(live, *body),
        Need::MessageBox(name) => lists::message_box(live, name),
        Need::Starts { tenant, kind, name } => lists::starts(live, tenant, *kind, name),
        Need::SignalSubscriptions { tenant, name, after } => {
            lists::signals(live, partition, tenant, name, *after, list_rows_max)
        }
        Need::WaitingJobs { job_type, after } => {
            lists::waiting_jobs(live, partition, job_type, *after, list_rows_max)
        }
        Need::Leases => lists::leases(live, partition),
        Need::Process { tenant, process_id } => catalog::process(live, tenant, process_id),
        Need::Definition(key) => catalog::definition(live, *key),
        Need::Form { tenant, form_id } => catalog::form(live, tenant, form_id),
        Need::Resource { tenant, resource_id } => catalog::resource(live, tenant, resource_id),
        Need::ResourceByKey(key) => catalog::by_key(live, *key),
    }
}
