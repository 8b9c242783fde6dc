//! Requests that are answered by their own statements: lists by cursor, message boxes, deployed things.

use super::resolve::{Place, partition_of};
use super::rows::Fetch;
use crate::call::Param;
use tidemill_model::{EntityKind, Key, PartitionId};
use tidemill_store::LoadRequest;
use tidemill_store_sql::start_kind_name;

/// The statements of a request; where it has a limit, the first of them is read one longer.
pub(super) fn fetches<'r>(request: &'r LoadRequest, place: Option<&Place>) -> Vec<Fetch<'r>> {
    match (request, place) {
        (LoadRequest::Children { scope, after, limit }, Some(place)) => vec![Fetch::new(
            EntityKind::ElementInstance,
            "SELECT key, data FROM element_instances WHERE instance_key = $1 AND parent_key = $2 AND key > $3 \
             ORDER BY key LIMIT $4",
            [place.instance.into(), scope.0.into(), after.map_or(0, |after| after.0).into(), more(*limit)],
        )],
        (LoadRequest::LoopOutputs { body, after, limit }, Some(place)) => vec![Fetch::new(
            EntityKind::LoopOutput,
            "SELECT body_key, data FROM loop_outputs WHERE partition_id = $1 AND instance_key = $2 \
             AND body_key = $3 AND loop_counter > $4 ORDER BY loop_counter LIMIT $5",
            [
                Param::Small(partition_of(place.instance)),
                place.instance.into(),
                body.0.into(),
                i64::from(*after).into(),
                more(*limit),
            ],
        )],
        (LoadRequest::WaitingJobs { partition, job_type, after, limit }, _) => {
            let (priority, key) =
                after.map_or((i64::MAX, 0), |after| (i64::from(after.priority), after.key.0));
            vec![Fetch::new(
                EntityKind::Job,
                "SELECT key, data FROM jobs WHERE is_waiting AND partition_id = $1 AND job_type = $2 \
                 AND priority <= $3 AND (priority < $3 OR key > $4) ORDER BY priority DESC, key LIMIT $5",
                [(*partition).into(), job_type.as_str().into(), priority.into(), key.into(), more(*limit)],
            )]
        }
        (LoadRequest::Leases { partition }, _) => leases(*partition),
        (LoadRequest::MessageBox { tenant, name, correlation_key }, _) => {
            message_box(tenant.as_str(), name, correlation_key)
        }
        (LoadRequest::Starts { tenant, kind, name }, _) => vec![Fetch::new(
            EntityKind::StartSubscription,
            "SELECT key, data FROM start_subscriptions WHERE name = $1 AND tenant = $2 AND kind = $3 ORDER BY key",
            [name.as_str().into(), tenant.as_str().into(), start_kind_name(*kind).into()],
        )],
        (LoadRequest::SignalSubscriptions { partition, tenant, name, after, limit }, _) => vec![Fetch::new(
            EntityKind::SignalSubscription,
            "SELECT key, data FROM signal_subscriptions WHERE partition_id = $1 AND signal_name = $2 \
             AND tenant = $3 AND key > $4 ORDER BY key LIMIT $5",
            [
                (*partition).into(),
                name.as_str().into(),
                tenant.as_str().into(),
                after.map_or(0, |after| after.0).into(),
                more(*limit),
            ],
        )],
        (request, _) => catalog(request),
    }
}

/// The limit of a request that has one.
pub(super) fn limit_of(request: &LoadRequest) -> Option<u32> {
    match request {
        LoadRequest::Children { limit, .. }
        | LoadRequest::LoopOutputs { limit, .. }
        | LoadRequest::WaitingJobs { limit, .. }
        | LoadRequest::SignalSubscriptions { limit, .. } => Some(*limit),
        _ => None,
    }
}

fn more(limit: u32) -> Param<'static> {
    (i64::from(limit) + 1).into()
}

fn leases(partition: PartitionId) -> Vec<Fetch<'static>> {
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

fn message_box<'r>(tenant: &'r str, name: &'r str, correlation_key: &'r str) -> Vec<Fetch<'r>> {
    let names = || -> [Param<'r>; 3] { [correlation_key.into(), name.into(), tenant.into()] };
    vec![
        Fetch::new(
            EntityKind::Message,
            "SELECT key, data FROM messages WHERE correlation_key = $1 AND name = $2 AND tenant = $3 ORDER BY key",
            names(),
        ),
        Fetch::new(
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
            EntityKind::MessageStartLock,
            "SELECT 0::bigint, data FROM start_locks WHERE correlation_key = $1 AND tenant = $2",
            [correlation_key.into(), tenant.into()],
        ),
    ]
}

fn catalog(request: &LoadRequest) -> Vec<Fetch<'_>> {
    let by_key = |kind: EntityKind, table: &str, key: i64| {
        let sql = format!("SELECT key, data FROM {table} WHERE partition_id = $1 AND key = $2");
        Fetch::new(kind, sql, [Param::Small(partition_of(key)), key.into()])
    };
    let versions = |table: &str, id: &str| {
        format!("SELECT key, data FROM {table} WHERE {id} = $1 AND tenant = $2 ORDER BY version")
    };
    match request {
        LoadRequest::Process { tenant, process_id } => process(tenant.as_str(), process_id),
        LoadRequest::Definition(key) => vec![
            by_key(EntityKind::ProcessDefinition, "process_definitions", key.0),
            Fetch::new(
                EntityKind::ProcessXml,
                "SELECT definition_key, xml FROM process_files WHERE partition_id = $1 AND definition_key = $2",
                [Param::Small(partition_of(key.0)), key.0.into()],
            ),
        ],
        LoadRequest::Form { tenant, form_id } => {
            let sql = versions("forms", "form_id");
            vec![Fetch::new(EntityKind::Form, sql, [form_id.as_str().into(), tenant.as_str().into()])]
        }
        LoadRequest::Resource { tenant, resource_id } => {
            let sql = versions("resources", "resource_id");
            vec![Fetch::new(EntityKind::Resource, sql, [resource_id.as_str().into(), tenant.as_str().into()])]
        }
        // Keys are unique over the three tables, so at most one row is found.
        LoadRequest::ResourceByKey(key) => vec![
            by_key(EntityKind::ProcessDefinition, "process_definitions", key.0),
            by_key(EntityKind::Form, "forms", key.0),
            by_key(EntityKind::Resource, "resources", key.0),
        ],
        _ => Vec::new(),
    }
}

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
