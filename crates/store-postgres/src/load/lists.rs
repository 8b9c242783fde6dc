//! Needs that are answered by statements of their own: lists by cursor, message boxes, deployed things.

use super::resolve::partition_of;
use super::rows::Fetch;
use crate::call::Param;
use tidemill_model::{BoxName, EntityKind, Key, Need, PartitionId};
use tidemill_store_sql::{Place, start_kind_name};

/// Which lists are meant, and how many of their rows.
#[derive(Clone, Copy)]
pub(super) struct Lists {
    pub(super) partition: PartitionId,
    pub(super) rows_max: u32,
}

impl Lists {
    /// The statements of a need; those of lists read one row more than asked for.
    pub(super) fn fetches<'r>(self, need: &'r Need, place: Option<&Place>) -> Vec<Fetch<'r>> {
        let Lists { partition, rows_max } = self;
        let more = || Param::from(i64::from(rows_max) + 1);
        match (need, place) {
            (Need::Children { scope, after }, Some(place)) => vec![Fetch::new(
                EntityKind::ElementInstance,
                "SELECT key, data FROM element_instances WHERE instance_key = $1 AND parent_key = $2 AND key > $3 \
             ORDER BY key LIMIT $4",
                [place.instance.into(), scope.0.into(), after.map_or(0, |after| after.0).into(), more()],
            )],
            // All of them, in the order of the collection: the list is wanted as a whole.
            (Need::LoopOutputs(body), Some(place)) => vec![Fetch::new(
                EntityKind::LoopOutput,
                "SELECT body_key, data FROM loop_outputs WHERE partition_id = $1 AND instance_key = $2 \
             AND body_key = $3 ORDER BY loop_counter",
                [Param::Small(partition_of(place.instance)), place.instance.into(), body.0.into()],
            )],
            // `is_waiting` is the condition of a partial index that holds the few jobs nobody works on. `priority <= $3` follows from the rest,
            // but only this form lets the index begin in the middle.
            (Need::WaitingJobs { job_type, after }, _) => {
                let (priority, key) =
                    after.map_or((i64::MAX, 0), |after| (i64::from(after.priority), after.key.0));
                vec![Fetch::new(
                    EntityKind::Job,
                    "SELECT key, data FROM jobs WHERE is_waiting AND partition_id = $1 AND job_type = $2 \
                 AND priority <= $3 AND (priority < $3 OR key > $4) ORDER BY priority DESC, key LIMIT $5",
                    [partition.into(), job_type.as_str().into(), priority.into(), key.into(), more()],
                )]
            }
            (Need::Leases, _) => leases(partition),
            (Need::MessageBox(name), _) => message_box(name),
            (Need::Starts { tenant, kind, name }, _) => vec![Fetch::new(
                EntityKind::StartSubscription,
                "SELECT key, data FROM start_subscriptions WHERE name = $1 AND tenant = $2 AND kind = $3 ORDER BY key",
                [name.as_str().into(), tenant.as_str().into(), start_kind_name(*kind).into()],
            )],
            (Need::SignalSubscriptions { tenant, name, after }, _) => vec![Fetch::new(
                EntityKind::SignalSubscription,
                "SELECT key, data FROM signal_subscriptions WHERE partition_id = $1 AND signal_name = $2 \
             AND tenant = $3 AND key > $4 ORDER BY key LIMIT $5",
                [
                    partition.into(),
                    name.as_str().into(),
                    tenant.as_str().into(),
                    after.map_or(0, |after| after.0).into(),
                    more(),
                ],
            )],
            (need, _) => catalog(need),
        }
    }

    /// How many rows a need is answered with at most, if it is for a list. Outputs have no limit: all of them are needed.
    pub(super) fn rows_max_of(self, need: &Need) -> Option<u32> {
        match need {
            Need::Children { .. } | Need::WaitingJobs { .. } | Need::SignalSubscriptions { .. } => {
                Some(self.rows_max)
            }
            Need::LoopOutputs(_) => Some(u32::MAX),
            _ => None,
        }
    }
}

fn leases(partition: PartitionId) -> Vec<Fetch<'static>> {
    // Keys carry their partition in the upper bits, so a partition is a range of keys.
    let range = [Key::new(partition, 0).0.into(), Key::new(partition, (1 << 51) - 1).0.into()];
    vec![
        Fetch::new(
            EntityKind::JobLease,
            "SELECT key, data FROM job_leases WHERE partition_id = $1 ORDER BY key",
            [partition.into()],
        ),
        Fetch::new(
            EntityKind::Job,
            "SELECT key, data FROM jobs WHERE lease_key IS NOT NULL AND lease_key BETWEEN $1 AND $2 ORDER BY lease_key",
            range,
        ),
    ]
}

/// A correlation key leads to one partition, so its rows need not be asked for theirs: a plan might look at all rows of the
/// partition for it.
fn message_box(name: &BoxName) -> Vec<Fetch<'_>> {
    let (tenant, correlation_key) = (name.tenant.as_str(), name.correlation_key.as_str());
    let names =
        || -> [Param<'_>; 3] { [correlation_key.into(), name.message_name.as_str().into(), tenant.into()] };
    vec![
        Fetch::new(
            EntityKind::Message,
            "SELECT key, data FROM messages WHERE correlation_key = $1 AND name = $2 AND tenant = $3 ORDER BY key",
            names(),
        ),
        Fetch::new(
            // The timers of messages come with them: the engine cancels one when its message is used up.
            EntityKind::Timer,
            "SELECT t.owner_key, t.data FROM messages m JOIN timers t ON t.owner_key = m.key \
             WHERE m.correlation_key = $1 AND m.name = $2 AND m.tenant = $3",
            names(),
        ),
        Fetch::new(
            EntityKind::BoxSubscription,
            "SELECT key, data FROM box_subscriptions WHERE correlation_key = $1 AND name = $2 AND tenant = $3 \
             ORDER BY key",
            names(),
        ),
        Fetch::new(
            // Locks are kept by process and correlation key: which message has started the instance plays no part.
            EntityKind::MessageStartLock,
            "SELECT 0::bigint, data FROM start_locks WHERE correlation_key = $1 AND tenant = $2",
            [correlation_key.into(), tenant.into()],
        ),
    ]
}

fn catalog(need: &Need) -> Vec<Fetch<'_>> {
    let by_key = |kind: EntityKind, table: &str, key: i64| {
        let sql = format!("SELECT key, data FROM {table} WHERE partition_id = $1 AND key = $2");
        Fetch::new(kind, sql, [Param::Small(partition_of(key)), key.into()])
    };
    let versions = |table: &str, id: &str| {
        format!("SELECT key, data FROM {table} WHERE {id} = $1 AND tenant = $2 ORDER BY version")
    };
    match need {
        Need::Process { tenant, process_id } => process(tenant.as_str(), process_id),
        Need::Definition(key) => vec![
            by_key(EntityKind::ProcessDefinition, "process_definitions", key.0),
            Fetch::new(
                EntityKind::ProcessXml,
                "SELECT definition_key, definition_key, xml FROM process_files WHERE partition_id = $1 AND definition_key = $2",
                [Param::Small(partition_of(key.0)), key.0.into()],
            ),
        ],
        Need::Form { tenant, form_id } => {
            let sql = versions("forms", "form_id");
            vec![Fetch::new(EntityKind::Form, sql, [form_id.as_str().into(), tenant.as_str().into()])]
        }
        Need::Resource { tenant, resource_id } => {
            let sql = versions("resources", "resource_id");
            vec![Fetch::new(EntityKind::Resource, sql, [resource_id.as_str().into(), tenant.as_str().into()])]
        }
        // Keys are unique over the three tables, so at most one row is found.
        Need::ResourceByKey(key) => vec![
            by_key(EntityKind::ProcessDefinition, "process_definitions", key.0),
            by_key(EntityKind::Form, "forms", key.0),
            by_key(EntityKind::Resource, "resources", key.0),
        ],
        _ => Vec::new(),
    }
}

/// With its start events and their timers: a new version closes those of the version before it.
fn process<'r>(tenant: &'r str, process_id: &'r str) -> Vec<Fetch<'r>> {
    let names = || -> [Param<'r>; 2] { [process_id.into(), tenant.into()] };
    vec![
        Fetch::new(
            EntityKind::ProcessDefinition,
            "SELECT key, data FROM process_definitions WHERE process_id = $1 AND tenant = $2 ORDER BY version",
            names(),
        ),
        Fetch::new(
            EntityKind::StartSubscription,
            "SELECT key, data FROM start_subscriptions WHERE process_id = $1 AND tenant = $2 ORDER BY key",
            names(),
        ),
        Fetch::new(
            EntityKind::Timer,
            "SELECT t.owner_key, t.data FROM process_definitions d JOIN timers t ON t.owner_key = d.key \
             WHERE d.process_id = $1 AND d.tenant = $2 ORDER BY t.due_at, t.key",
            names(),
        ),
    ]
}
