//! What the engine asks for. All requests of a call are answered from one state, and those for whole instances
//! together: one statement per table, however many instances.

mod catalog;
mod instances;
mod lists;
mod messages;
mod resolve;
mod rows;

use crate::SqliteStore;
use crate::error::Outcome;
use crate::maintenance::history;
use async_trait::async_trait;
use instances::Instances;
use rusqlite::{Connection, OptionalExtension, params};
use tidemill_model::{PartitionId, ProcessInstanceKey, Remains, TenantId, Text, Timestamp};
use tidemill_store::{IdempotentAnswer, Load, LoadRequest, Loaded, Result};

#[async_trait]
impl Load for SqliteStore {
    async fn load(&self, requests: &[LoadRequest]) -> Result<Vec<Loaded>> {
        let requests = requests.to_vec();
        self.loads.read(move |connection| load(connection, &requests)).await
    }

    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>> {
        let keys: Vec<i64> = instances.iter().map(|instance| instance.0).collect();
        self.loads
            .read(move |connection| keys.iter().map(|key| history::remains(connection, *key)).collect())
            .await
    }

    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>> {
        let keys = keys.to_vec();
        self.loads
            .read(move |connection| {
                keys.iter().map(|(t, key)| answer(connection, partition, t, key)).collect()
            })
            .await
    }
}

fn load(connection: &Connection, requests: &[LoadRequest]) -> Outcome<Vec<Loaded>> {
    let places = resolve::places(connection, requests)?;
    let instances = Instances::load(connection, places.iter().flatten().map(|place| place.instance))?;
    let answer = |(request, place): (&LoadRequest, &Option<resolve::Place>)| match (request, place) {
        (LoadRequest::Children { scope, after, limit }, Some(place)) => {
            lists::children(connection, place.instance, *scope, *after, *limit)
        }
        (LoadRequest::LoopOutputs { body, after, limit }, Some(place)) => {
            lists::loop_outputs(connection, place.instance, *body, *after, *limit)
        }
        (_, Some(place)) => instances.answer(connection, place),
        (LoadRequest::MessageBox { tenant, name, correlation_key }, None) => {
            messages::message_box(connection, tenant, name, correlation_key)
        }
        (LoadRequest::Starts { tenant, kind, name }, None) => {
            messages::starts(connection, tenant, *kind, name)
        }
        (LoadRequest::SignalSubscriptions { partition, tenant, name, after, limit }, None) => {
            messages::signals(connection, *partition, tenant, name, *after, *limit)
        }
        (LoadRequest::WaitingJobs { partition, job_type, after, limit }, None) => {
            lists::waiting_jobs(connection, *partition, job_type, *after, *limit)
        }
        (LoadRequest::Leases { partition }, None) => lists::leases(connection, *partition),
        (LoadRequest::Process { tenant, process_id }, None) => {
            catalog::process(connection, tenant, process_id)
        }
        (LoadRequest::Definition(key), None) => catalog::definition(connection, *key),
        (LoadRequest::Form { tenant, form_id }, None) => catalog::form(connection, tenant, form_id),
        (LoadRequest::Resource { tenant, resource_id }, None) => {
            catalog::resource(connection, tenant, resource_id)
        }
        (LoadRequest::ResourceByKey(key), None) => catalog::by_key(connection, *key),
        (_, None) => Ok(Loaded::default()),
    };
    requests.iter().zip(&places).map(answer).collect()
}

fn answer(
    connection: &Connection,
    partition: PartitionId,
    tenant: &TenantId,
    key: &Text,
) -> Outcome<Option<IdempotentAnswer>> {
    let mut statement = connection.prepare_cached(
        "SELECT body_hash, answer, created_at FROM idempotency \
         WHERE partition_id = ?1 AND tenant = ?2 AND key = ?3",
    )?;
    let answer = statement.query_row(params![partition.0, tenant.as_str(), key.as_str()], |row| {
        Ok(IdempotentAnswer {
            tenant: tenant.clone(),
            key: key.clone(),
            body_hash: row.get(0)?,
            answer: row.get(1)?,
            created_at: Timestamp(row.get(2)?),
        })
    });
    Ok(answer.optional()?)
}
