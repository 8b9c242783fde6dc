//! What the engine asks for: live rows only.

mod catalog;
mod instances;
mod lists;

use crate::tables::Tables;
use crate::{MemoryStore, maintenance};
use async_trait::async_trait;
use instances::Place;
use tidemill_model::{PartitionId, ProcessInstanceKey, Remains, TenantId, Text};
use tidemill_store::{IdempotentAnswer, Load, LoadRequest, Loaded, Result};

#[async_trait]
impl Load for MemoryStore {
    async fn load(&self, requests: &[LoadRequest]) -> Result<Vec<Loaded>> {
        self.paced("load", || {
            let state = self.state();
            Ok(requests.iter().map(|request| load(&state.live, request)).collect())
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

fn load(live: &Tables, request: &LoadRequest) -> Loaded {
    match request {
        LoadRequest::Instance(key) => instances::around(live, Place::of_instance(*key)),
        LoadRequest::Element(key) => instances::around(live, Place::of_element(live, *key)),
        LoadRequest::Job(key) => {
            let job = live.jobs.get(&key.0);
            around(live, job.map(|job| Place::new(&job.origin, job.element_instance)))
        }
        LoadRequest::UserTask(key) => {
            let task = live.user_tasks.get(&key.0);
            around(live, task.map(|task| Place::new(&task.origin, task.element_instance)))
        }
        LoadRequest::Incident(key) => {
            let incident = live.incidents.get(&key.0);
            around(live, incident.map(|incident| Place::new(&incident.origin, incident.element_instance)))
        }
        LoadRequest::MessageSubscription(key) => {
            let waiting = live.message_subscriptions.get(&key.0);
            around(live, waiting.map(|waiting| Place::new(&waiting.origin, waiting.element_instance)))
        }
        LoadRequest::Children { scope, after, limit } => instances::children(live, *scope, *after, *limit),
        LoadRequest::LoopOutputs { body, after, limit } => {
            instances::loop_outputs(live, *body, *after, *limit)
        }
        LoadRequest::MessageBox { tenant, name, correlation_key } => {
            lists::message_box(live, tenant, name, correlation_key)
        }
        LoadRequest::Starts { tenant, kind, name } => lists::starts(live, tenant, *kind, name),
        LoadRequest::SignalSubscriptions { partition, tenant, name, after, limit } => {
            lists::signals(live, *partition, tenant, name, *after, *limit)
        }
        LoadRequest::WaitingJobs { partition, job_type, after, limit } => {
            lists::waiting_jobs(live, *partition, job_type, *after, *limit)
        }
        LoadRequest::Leases { partition } => lists::leases(live, *partition),
        LoadRequest::Process { tenant, process_id } => catalog::process(live, tenant, process_id),
        LoadRequest::Definition(key) => catalog::definition(live, *key),
        LoadRequest::Form { tenant, form_id } => catalog::form(live, tenant, form_id),
        LoadRequest::Resource { tenant, resource_id } => catalog::resource(live, tenant, resource_id),
        LoadRequest::ResourceByKey(key) => catalog::by_key(live, *key),
    }
}

fn around(live: &Tables, place: Option<Place>) -> Loaded {
    place.map_or_else(Loaded::default, |place| instances::around(live, place))
}
