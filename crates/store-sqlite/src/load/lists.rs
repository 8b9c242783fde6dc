//! Lists by cursor: children, loop outputs, waiting jobs, leases.

use super::instances::append_belongings;
use super::rows::{append, entity};
use crate::error::Outcome;
use rusqlite::{Connection, params};
use tidemill_model::entity::{Job, JobLease, LoopOutput};
use tidemill_model::{
    ElementInstanceKey, Entity, EntityKind, JobPosition, Key, PartitionId, ProcessInstanceKey,
};
use tidemill_store::Loaded;
use tidemill_store_sql::Place;

pub(super) fn children(
    connection: &Connection,
    instance: i64,
    scope: ElementInstanceKey,
    after: Option<ElementInstanceKey>,
    limit: u32,
) -> Outcome<Loaded> {
    let mut statement = connection.prepare_cached(
        // By key, so that a cursor is one number. One more than asked for tells whether there is more.
        "SELECT key, data FROM element_instances WHERE instance_key = ?1 AND parent_key = ?2 AND key > ?3 \
         ORDER BY key LIMIT ?4",
    )?;
    // Keys are positive, so 0 comes before all of them.
    let after = after.map_or(0, |after| after.0);
    let mut rows = statement.query(params![instance, scope.0, after, i64::from(limit) + 1])?;
    let mut found: Vec<(i64, Entity)> = Vec::new();
    while let Some(row) = rows.next()? {
        found.push((row.get(0)?, entity(EntityKind::ElementInstance, row, 1)?));
    }
    let has_more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let mut entities = Vec::with_capacity(found.len() * 3);
    for (element, child) in found {
        entities.push(child);
        // A command that ends a child ends its job, timers and subscriptions too. Without them each child would cost another read.
        append_belongings(connection, &Place { instance, element }, &mut entities)?;
    }
    Ok(Loaded { instance: Some(ProcessInstanceKey(instance)), entities, is_large: false, has_more })
}

pub(super) fn loop_outputs(
    connection: &Connection,
    instance: i64,
    body: ElementInstanceKey,
) -> Outcome<Loaded> {
    let mut loaded = Loaded { instance: Some(ProcessInstanceKey(instance)), ..Loaded::default() };
    append::<LoopOutput>(
        connection,
        // All of them: the list is wanted as a whole, and its rows are small.
        "SELECT data FROM loop_outputs WHERE instance_key = ?1 AND body_key = ?2 ORDER BY loop_counter",
        params![instance, body.0],
        &mut loaded.entities,
    )?;
    Ok(loaded)
}

pub(super) fn waiting_jobs(
    connection: &Connection,
    partition: PartitionId,
    job_type: &str,
    after: Option<JobPosition>,
    limit: u32,
) -> Outcome<Loaded> {
    let mut entities = Vec::new();
    // No priority is as high as this, because priorities have 32 bits: the list begins with the first job.
    let (priority, key) = after.map_or((i64::MAX, 0), |after| (i64::from(after.priority), after.key.0));
    append::<Job>(
        connection,
        // The condition on `is_waiting` is that of a partial index, which leaves out jobs that have failed or
        // back off. Jobs under a lease are in it: the engine knows all leases and leaves those out. `priority
        // <= ?3` is implied by what follows, but only this form lets SQLite begin in the middle of the index.
        "SELECT data FROM jobs WHERE is_waiting = 1 AND key >> 51 = ?1 AND job_type = ?2 \
         AND priority <= ?3 AND (priority < ?3 OR key > ?4) ORDER BY priority DESC, key LIMIT ?5",
        params![partition.0, job_type, priority, key, i64::from(limit) + 1],
        &mut entities,
    )?;
    Ok(cut(entities, limit))
}

/// Leases are read at once and not by cursor, because an owner needs all of them in memory to see when each runs out.
pub(super) fn leases(connection: &Connection, partition: PartitionId) -> Outcome<Loaded> {
    // Keys carry their partition in the upper bits, so a partition is a range of the primary key.
    let range = params![Key::new(partition, 0).0, Key::new(partition, (1 << 51) - 1).0];
    let mut loaded = Loaded::default();
    let leases = "SELECT data FROM job_leases WHERE key BETWEEN ?1 AND ?2 ORDER BY key";
    append::<JobLease>(connection, leases, range, &mut loaded.entities)?;
    // `IS NOT NULL` is the condition of the partial index, in its very words: otherwise SQLite would not use it.
    let jobs = "SELECT data FROM jobs WHERE lease_key IS NOT NULL AND lease_key BETWEEN ?1 AND ?2 ORDER BY lease_key";
    append::<Job>(connection, jobs, range, &mut loaded.entities)?;
    Ok(loaded)
}

/// Of a list that was read one longer than asked for.
pub(super) fn cut(mut entities: Vec<Entity>, limit: u32) -> Loaded {
    let has_more = entities.len() > limit as usize;
    entities.truncate(limit as usize);
    Loaded { entities, has_more, ..Loaded::default() }
}
