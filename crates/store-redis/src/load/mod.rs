//! Loads: the rows that can matter are fetched, and the needs are answered from them in plain Rust.

mod instances;
mod lists;
mod remains;

pub(crate) use instances::read_row;

use crate::commit::answer_field;
use crate::entry::read;
use crate::inbox::word;
use crate::store::RedisStore;
use async_trait::async_trait;
use std::collections::BTreeMap;
use tidemill_model::{Key, Need, PartitionId, ProcessInstanceKey, Remains, TenantId, Text, Timestamp};
use tidemill_store::rows::{self, Tables};
use tidemill_store::{IdempotentAnswer, Load, Loaded, Result};

#[async_trait]
impl Load for RedisStore {
    async fn load(&self, partition: PartitionId, needs: &[Need], list_rows_max: u32) -> Result<Vec<Loaded>> {
        let instances = self.instances_of(needs).await?;
        let wanted: Vec<ProcessInstanceKey> = instances.iter().flatten().copied().collect();
        let loaded = self.live_instances(&wanted).await?;
        let mut answers = Vec::with_capacity(needs.len());
        for (need, instance) in needs.iter().zip(instances) {
            answers.push(match instance {
                Some(instance) => of_instance(&loaded, instance, partition, need, list_rows_max),
                None => {
                    let rows = self.listed(partition, need, list_rows_max).await?;
                    rows::load(&rows, partition, need, list_rows_max)
                }
            });
        }
        Ok(answers)
    }

    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>> {
        let mut all = Vec::with_capacity(instances.len());
        for instance in instances {
            all.push(self.remains_of(*instance).await?);
        }
        Ok(all)
    }

    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>> {
        if keys.is_empty() {
            return Ok(Vec::new());
        }
        let mut question = redis::cmd("HMGET");
        question.arg(self.keys(partition)?.named("answers"));
        for (tenant, key) in keys {
            question.arg(answer_field(tenant, key));
        }
        let values: Vec<Option<Vec<u8>>> = read(self.read(&question).await?)?;
        let answer = |((tenant, key), value): (&(TenantId, Text), Option<Vec<u8>>)| {
            let value = value?;
            let (created_at, rest) = word(&value);
            let (body_hash, answer) = word(rest);
            Some(IdempotentAnswer {
                tenant: tenant.clone(),
                key: key.clone(),
                body_hash,
                answer: answer.to_vec(),
                created_at: Timestamp(created_at),
            })
        };
        Ok(keys.iter().zip(values).map(answer).collect())
    }
}

fn of_instance(
    loaded: &BTreeMap<ProcessInstanceKey, Tables>,
    instance: ProcessInstanceKey,
    partition: PartitionId,
    need: &Need,
    list_rows_max: u32,
) -> Loaded {
    let none = Tables::default();
    rows::load(loaded.get(&instance).unwrap_or(&none), partition, need, list_rows_max)
}

impl RedisStore {
    /// The instance that each need leads to; none where it is about something else.
    async fn instances_of(&self, needs: &[Need]) -> Result<Vec<Option<ProcessInstanceKey>>> {
        let key_in = |need: &Need| match need {
            Need::Element(key) | Need::LoopOutputs(key) => Some(key.key()),
            Need::Children { scope, .. } => Some(scope.key()),
            Need::InstanceOf(_, key) => Some(*key),
            _ => None,
        };
        let keys: Vec<Key> = needs.iter().filter_map(key_in).collect();
        let mut found = self.instances_by_key(&keys).await?.into_iter();
        let instance = |need: &Need| match need {
            Need::Instance(key) => Some(*key),
            // A key without an entry can only be an instance's own scope.
            need => key_in(need).map(|key| found.next().flatten().unwrap_or(ProcessInstanceKey(key.0))),
        };
        Ok(needs.iter().map(instance).collect())
    }
}
