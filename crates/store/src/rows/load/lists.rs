//! Lists that belong to no single instance: message boxes, signals, start events, jobs to hand out, leases.

use super::instances::append;
use crate::Loaded;
use crate::rows::Tables;
use std::cmp::Reverse;
use tidemill_model::entity::{JobState, StartEventKind, Timer, TimerPurpose};
use tidemill_model::{BoxName, Entity, JobPosition, MessageKey, PartitionId, SubscriptionKey, TenantId};

pub(super) fn message_box(live: &Tables, name: &BoxName) -> Loaded {
    let BoxName { tenant, message_name, correlation_key } = name;
    let mut entities = Vec::new();
    append(
        &live.messages,
        |row| row.tenant == *tenant && row.name == *message_name && row.correlation_key == *correlation_key,
        &mut entities,
    );
    let messages: Vec<MessageKey> = entities.iter().filter_map(message_key).collect();
    // A message that is used up takes its timer along, so both are loaded together.
    append(&live.timers, |row| expires(row).is_some_and(|key| messages.contains(&key)), &mut entities);
    append(
        &live.box_subscriptions,
        |row| {
            row.tenant == *tenant
                && row.message_name == *message_name
                && row.correlation_key == *correlation_key
        },
        &mut entities,
    );
    append(
        &live.start_locks,
        |row| row.tenant == *tenant && row.correlation_key == *correlation_key,
        &mut entities,
    );
    Loaded { entities, ..Loaded::default() }
}

fn message_key(entity: &Entity) -> Option<MessageKey> {
    if let Entity::Message(message) = entity { Some(message.key) } else { None }
}

fn expires(timer: &Timer) -> Option<MessageKey> {
    if let TimerPurpose::MessageExpiry { message, .. } = &timer.purpose { Some(*message) } else { None }
}

pub(super) fn starts(live: &Tables, tenant: &TenantId, kind: StartEventKind, name: &str) -> Loaded {
    let mut entities = Vec::new();
    append(
        &live.start_subscriptions,
        |row| row.tenant == *tenant && row.kind == kind && row.name == name,
        &mut entities,
    );
    Loaded { entities, ..Loaded::default() }
}

pub(super) fn signals(
    live: &Tables,
    partition: PartitionId,
    tenant: &TenantId,
    name: &str,
    after: Option<SubscriptionKey>,
    limit: u32,
) -> Loaded {
    let mut entities = Vec::new();
    append(
        &live.signal_subscriptions,
        |row| {
            row.key.partition() == Some(partition)
                && row.origin.tenant == *tenant
                && row.signal_name == name
                && Some(row.key) > after
        },
        &mut entities,
    );
    cut(entities, limit)
}

/// Jobs under a lease wait as well, as far as their rows tell: the engine, which knows all leases, leaves them out.
pub(super) fn waiting_jobs(
    live: &Tables,
    partition: PartitionId,
    job_type: &str,
    after: Option<JobPosition>,
    limit: u32,
) -> Loaded {
    let is_behind =
        |place: (Reverse<i32>, i64)| after.is_none_or(|after| place > (Reverse(after.priority), after.key.0));
    let mut jobs: Vec<_> = live
        .jobs
        .values()
        .filter(|job| job.state == JobState::Waiting && job.key.partition() == Some(partition))
        .filter(|job| job.job_type == job_type && is_behind((Reverse(job.priority), job.key.0)))
        .cloned()
        .collect();
    // The order in which workers get them: the page behind the last one begins where this one ends.
    jobs.sort_by_key(|job| (Reverse(job.priority), job.key));
    cut(jobs.into_iter().map(Entity::from).collect(), limit)
}

/// A lease stands in a row of its own, or in the job where that was written by the same batch. Both are needed.
pub(super) fn leases(live: &Tables, partition: PartitionId) -> Loaded {
    let mut entities = Vec::new();
    append(&live.job_leases, |row| row.lease.key.partition() == Some(partition), &mut entities);
    let is_leased = |lease: &tidemill_model::entity::Lease| lease.key.partition() == Some(partition);
    let mut jobs: Vec<_> =
        live.jobs.values().filter(|job| job.lease.as_ref().is_some_and(is_leased)).cloned().collect();
    jobs.sort_by_key(|job| job.lease.as_ref().map(|lease| lease.key));
    entities.extend(jobs.into_iter().map(Entity::from));
    Loaded { entities, ..Loaded::default() }
}

/// Of a list that may be longer than asked for.
pub(super) fn cut(mut entities: Vec<Entity>, limit: u32) -> Loaded {
    let has_more = entities.len() > limit as usize;
    entities.truncate(limit as usize);
    Loaded { entities, has_more, ..Loaded::default() }
}
