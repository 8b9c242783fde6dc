//! Brings what the engine needs from the store: many needs in one round trip.

use super::Partition;
use super::settle::Step;
use tidemill_engine::{Need, Supply};
use tidemill_model::{Entity, ProcessInstanceKey};
use tidemill_store::{JobPosition, LoadRequest, Loaded};

/// Rows of lists that are read piece by piece.
const PAGE_ROWS: u32 = 1_000;
/// Outputs of a multi-instance body, all of which are needed.
const OUTPUT_ROWS_MAX: u32 = u32::MAX;

impl Partition {
    pub(super) async fn supply(&mut self, mut needs: Vec<Need>) -> Step<()> {
        if let Some(keys) = needs.iter().filter_map(keys_wanted).max() {
            self.reserve_keys(keys).await?;
            needs.retain(|need| keys_wanted(need).is_none());
            if needs.is_empty() {
                return Ok(());
            }
        }
        // What is on its way counts in memory as written, so it must be.
        self.written().await?;
        self.supply_remains(&mut needs).await?;
        if needs.is_empty() {
            return Ok(());
        }
        let requests: Vec<_> = needs.iter().map(|need| self.request(need)).collect();
        let loaded = self.store.load(&requests).await?;
        for (need, loaded) in needs.into_iter().zip(loaded) {
            self.working.supply(supplied(need, loaded));
        }
        Ok(())
    }

    /// Takes these needs out of the list and answers them.
    async fn supply_remains(&mut self, needs: &mut Vec<Need>) -> Step<()> {
        let instances: Vec<_> = needs.iter().filter_map(instance_deleted).collect();
        if instances.is_empty() {
            return Ok(());
        }
        needs.retain(|need| instance_deleted(need).is_none());
        let remains = self.store.remains(&instances).await?;
        for (instance, remains) in instances.into_iter().zip(remains) {
            self.working.supply_remains(instance, remains);
        }
        Ok(())
    }

    /// A command runs on a block that has room for it.
    pub(super) async fn reserve_keys(&mut self, keys_min: u64) -> Step<()> {
        let block = self.store.reserve_keys(&self.fence, keys_min).await?;
        self.working.reserve_keys(block.start, block.end);
        Ok(())
    }

    fn request(&self, need: &Need) -> LoadRequest {
        let partition = self.id;
        match need.clone() {
            Need::Keys(_) => unreachable!("keys are reserved, not loaded"),
            Need::Remains(_) => unreachable!("what is left of ended instances is asked for before"),
            Need::Instance(key) => LoadRequest::Instance(key),
            Need::Element(key) => LoadRequest::Element(key),
            Need::Children { scope, after } => LoadRequest::Children { scope, after, limit: PAGE_ROWS },
            Need::LoopOutputs(body) => LoadRequest::LoopOutputs { body, after: 0, limit: OUTPUT_ROWS_MAX },
            Need::Job(key) => LoadRequest::Job(key),
            Need::UserTask(key) => LoadRequest::UserTask(key),
            Need::Incident(key) => LoadRequest::Incident(key),
            Need::MessageSubscription(key) => LoadRequest::MessageSubscription(key),
            Need::Box(name) => LoadRequest::MessageBox {
                tenant: name.tenant,
                name: name.message_name,
                correlation_key: name.correlation_key,
            },
            Need::Signals { tenant, name, after } => {
                LoadRequest::SignalSubscriptions { partition, tenant, name, after, limit: PAGE_ROWS }
            }
            Need::Starts { tenant, kind, name } => LoadRequest::Starts { tenant, kind, name },
            Need::WaitingJobs { job_type, after } => LoadRequest::WaitingJobs {
                partition,
                job_type,
                after: after.map(|(priority, key)| JobPosition { priority, key }),
                limit: PAGE_ROWS,
            },
            Need::Process { tenant, process_id } => LoadRequest::Process { tenant, process_id },
            Need::Definition(key) => LoadRequest::Definition(key),
            Need::Form { tenant, form_id } => LoadRequest::Form { tenant, form_id },
            Need::Resource { tenant, resource_id } => LoadRequest::Resource { tenant, resource_id },
            Need::ResourceByKey(key) => LoadRequest::ResourceByKey(key),
        }
    }

    /// Who holds jobs, as the predecessor has left it.
    pub(super) async fn load_leases(&mut self) -> tidemill_store::Result<()> {
        let request = LoadRequest::Leases { partition: self.id };
        let loaded = self.store.load(&[request]).await?.into_iter().next().unwrap_or_default();
        let mut leases = Vec::new();
        for entity in loaded.entities {
            match entity {
                Entity::JobLease(lease) => {
                    self.deadlines.note_lease(&lease);
                    leases.push(lease);
                }
                Entity::Job(job) => self.deadlines.note_job(&job),
                _ => {}
            }
        }
        self.working.load_leases(leases);
        Ok(())
    }
}

fn keys_wanted(need: &Need) -> Option<u64> {
    match need {
        Need::Keys(keys) => Some(*keys),
        _ => None,
    }
}

fn instance_deleted(need: &Need) -> Option<ProcessInstanceKey> {
    match need {
        Need::Remains(instance) => Some(*instance),
        _ => None,
    }
}

fn supplied(need: Need, loaded: Loaded) -> Supply {
    Supply { need, entities: loaded.entities, is_complete: !loaded.is_large && !loaded.has_more }
}
