//! Reads the rows that the engine asks for. All needs of a call are answered from one state, and those for whole instances
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
use tidemill_model::{Need, PartitionId, ProcessInstanceKey, Remains, TenantId, Text, Timestamp};
use tidemill_store::{IdempotentAnswer, Load, Loaded, Result};
use tidemill_store_sql::Place;

#[async_trait]
impl Load for SqliteStore {
    /// All needs share one read transaction. A commit between two of them could show an element without its instance.
    async fn load(&self, partition: PartitionId, needs: &[Need], list_rows_max: u32) -> Result<Vec<Loaded>> {
        let needs = needs.to_vec();
        self.loads.read(move |connection| load(connection, partition, &needs, list_rows_max)).await
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

fn load(
    connection: &Connection,
    partition: PartitionId,
    needs: &[Need],
    list_rows_max: u32,
) -> Outcome<Vec<Loaded>> {
    // Two rounds: first the instances that the keys belong to, then the instances, each once however many needs name it.
    let places = resolve::places(connection, needs)?;
    let instances = Instances::load(connection, places.iter().flatten().map(|place| place.instance))?;
    let answer = |(need, place): (&Need, &Option<Place>)| match (need, place) {
        (Need::Children { scope, after }, Some(place)) => {
            lists::children(connection, place.instance, *scope, *after, list_rows_max)
        }
        (Need::LoopOutputs(body), Some(place)) => lists::loop_outputs(connection, place.instance, *body),
        (_, Some(place)) => instances.answer(connection, place),
        (Need::MessageBox(name), None) => messages::message_box(connection, name),
        (Need::Starts { tenant, kind, name }, None) => messages::starts(connection, tenant, *kind, name),
        (Need::SignalSubscriptions { tenant, name, after }, None) => {
            messages::signals(connection, partition, tenant, name, *after, list_rows_max)
        }
        (Need::WaitingJobs { job_type, after }, None) => {
            lists::waiting_jobs(connection, partition, job_type, *after, list_rows_max)
        }
        (Need::Leases, None) => lists::leases(connection, partition),
        (Need::Process { tenant, process_id }, None) => catalog::process(connection, tenant, process_id),
        (Need::Definition(key), None) => catalog::definition(connection, *key),
        (Need::Form { tenant, form_id }, None) => catalog::form(connection, tenant, form_id),
        (Need::Resource { tenant, resource_id }, None) => catalog::resource(connection, tenant, resource_id),
        (Need::ResourceByKey(key), None) => catalog::by_key(connection, *key),
        // A key that leads to no live row: it has ended or never was. The empty answer lets the engine know that it is absent.
        (_, None) => Ok(Loaded::default()),
    };
    needs.iter().zip(&places).map(answer).collect()
}

fn answer(
    connection: &Connection,
    partition: PartitionId,
    tenant: &TenantId,
    key: &Text,
) -> Outcome<Option<IdempotentAnswer>> {
    let mut statement = connection.prepare_cached(
        // The partition is part of the key: a tenant may use one key on several partitions, and each answers for itself.
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
