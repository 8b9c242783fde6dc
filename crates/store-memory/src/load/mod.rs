//! Loads the rows that the engine needs: live rows only.

mod catalog;
mod instances;
mod lists;

use crate::tables::Tables;
use crate::{MemoryStore, maintenance};
use async_trait::async_trait;
use instances::Place;
use tidemill_model::{Need, PartitionId, ProcessInstanceKey, Remains, TenantId, Text, with_kind};
use tidemill_store::{IdempotentAnswer, Load, Loaded, Result};

#[async_trait]
impl Load for MemoryStore {
    async fn load(&self, partition: PartitionId, needs: &[Need], list_rows_max: u32) -> Result<Vec<Loaded>> {
        self.paced("load", || {
            let state = self.state();
            let load = |need| load(&state.live, partition, need, list_rows_max);
            let mut loaded: Vec<Loaded> = needs.iter().map(load).collect();
            if let Some(pace) = &self.pace {
                pace.bring(&mut loaded);
            }
            Ok(loaded)
        })
        .await
    }

    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>> {
        self.paced("remains", || {
            let state = self.state();
            Ok(instances.iter().map(|instance| maintenance::remains(&state.history, *instance)).collect())
        })
        .await
    }

    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>> {
        self.paced("answers", || {
            let state = self.state();
            let answer = |(tenant, key): &(TenantId, Text)| {
                state.answers.get(&(partition, tenant.clone(), key.clone())).cloned()
            };
            Ok(keys.iter().map(answer).collect())
        })
        .await
    }
}

fn load(live: &Tables, partition: PartitionId, need: &Need, list_rows_max: u32) -> Loaded {
    match need {
        Need::Instance(key) => instances::around(live, Place::of_instance(*key)),
        Need::Element(key) => instances::around(live, Place::of_element(live, *key)),
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
