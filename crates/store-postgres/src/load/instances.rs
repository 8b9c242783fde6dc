//! Instances, whole or, if they are large, piece by piece.

use super::resolve::{Place, by_keys, partition_of};
use super::rows::{Fetch, VARIABLE_COLUMNS};
use crate::call::{Call, Param};
use std::collections::{HashMap, HashSet};
use tidemill_model::{Entity, EntityKind, ProcessInstanceKey};
use tidemill_store::{INSTANCE_ENTITIES_MAX, Loaded};
use tokio_postgres::Row;

/// Counts no further than the limit, because a large instance can be very large.
const SIZES: &str = "SELECT k, \
    (SELECT count(*) FROM (SELECT 1 FROM element_instances WHERE instance_key = k LIMIT $2) e) + \
    (SELECT count(*) FROM (SELECT 1 FROM variables WHERE instance_key = k LIMIT $2) v) + \
    (SELECT count(*) FROM (SELECT 1 FROM loop_outputs \
        WHERE partition_id = (k >> 51)::smallint AND instance_key = k LIMIT $2) o) \
    FROM unnest($1::bigint[]) k";

/// Tables whose rows belong to an element of an instance.
const BELONGINGS: [(EntityKind, &str); 5] = [
    (EntityKind::Job, "jobs"),
    (EntityKind::UserTask, "user_tasks"),
    (EntityKind::Incident, "incidents"),
    (EntityKind::MessageSubscription, "message_subscriptions"),
    (EntityKind::SignalSubscription, "signal_subscriptions"),
];

/// The instances that a call is about, as far as they can be loaded together.
#[derive(Default)]
pub(super) struct Instances {
    whole: HashMap<i64, Vec<Entity>>,
    large: HashSet<i64>,
}

pub(super) fn sizes_call(keys: &[i64]) -> Call<'static> {
    Call::new(SIZES, [keys.to_vec().into(), Param::from(INSTANCE_ENTITIES_MAX as i64 + 1)])
}

pub(super) fn instances_fetch(keys: &[i64]) -> Fetch<'static> {
    let sql = by_keys("process_instances", "key, data");
    Fetch::new(EntityKind::ProcessInstance, sql, [keys.to_vec().into()])
}

impl Instances {
    pub(super) fn note_sizes(&mut self, rows: &[Row]) {
        let large = rows.iter().filter(|row| row.get::<_, i64>(1) > INSTANCE_ENTITIES_MAX as i64);
        self.large.extend(large.map(|row| row.get::<_, i64>(0)));
    }

    pub(super) fn add(&mut self, entities: impl IntoIterator<Item = (i64, Entity)>) {
        for (instance, entity) in entities {
            self.whole.entry(instance).or_default().push(entity);
        }
    }

    /// Everything that belongs to the instances that are loaded whole.
    pub(super) fn belongings(&self) -> Vec<Fetch<'static>> {
        let keys: Vec<i64> = self.whole.keys().copied().filter(|key| !self.large.contains(key)).collect();
        if keys.is_empty() {
            return Vec::new();
        }
        let of = |kind: EntityKind, table: &str| {
            let sql = format!("SELECT instance_key, data FROM {table} WHERE instance_key = ANY($1)");
            Fetch::new(kind, sql, [keys.clone().into()])
        };
        let mut fetches: Vec<Fetch<'static>> =
            BELONGINGS.iter().map(|(kind, table)| of(*kind, table)).collect();
        fetches.push(of(EntityKind::ElementInstance, "element_instances"));
        fetches.push(of(EntityKind::LoopInput, "loop_inputs"));
        let variables =
            format!("SELECT instance_key, {VARIABLE_COLUMNS} FROM variables WHERE instance_key = ANY($1)");
        fetches.push(Fetch::new(EntityKind::Variable, variables, [keys.clone().into()]));
        let timers = "SELECT owner_key, data FROM timers WHERE owner_key = ANY($1)";
        fetches.push(Fetch::new(EntityKind::Timer, timers, [keys.clone().into()]));
        let outputs = "SELECT x.* FROM unnest($1::bigint[]) k CROSS JOIN LATERAL (SELECT instance_key, data \
            FROM loop_outputs WHERE partition_id = (k >> 51)::smallint AND instance_key = k OFFSET 0) x";
        fetches.push(Fetch::new(EntityKind::LoopOutput, outputs, [keys.into()]));
        fetches
    }

    /// What this place still needs, where its instance is large.
    pub(super) fn piece(&self, place: &Place) -> Vec<Fetch<'static>> {
        if !self.large.contains(&place.instance) {
            return Vec::new();
        }
        let sql = "SELECT key, data FROM element_instances WHERE partition_id = $1 AND key = $2";
        let params = [Param::Small(partition_of(place.element)), place.element.into()];
        let mut fetches = vec![Fetch::new(EntityKind::ElementInstance, sql, params)];
        fetches.extend(scope_belongings(place.instance, &[place.element]));
        fetches
    }

    pub(super) fn answer(&self, place: &Place, piece: Vec<Entity>) -> Loaded {
        let Some(whole) = self.whole.get(&place.instance) else { return Loaded::default() };
        let mut entities = whole.clone();
        entities.extend(piece);
        Loaded {
            instance: Some(ProcessInstanceKey(place.instance)),
            entities,
            is_large: self.large.contains(&place.instance),
            has_more: false,
        }
    }
}

/// What belongs to these scopes of an instance directly; the elements themselves are not among it. The back-off
/// timer of a job stands under the key of the job.
pub(super) fn scope_belongings(instance: i64, elements: &[i64]) -> Vec<Fetch<'static>> {
    const SCOPES: &str = "unnest($2::bigint[])";
    const SCOPES_AND_JOBS: &str = "unnest($2::bigint[] || ARRAY(SELECT j.key FROM unnest($2::bigint[]) e \
        CROSS JOIN LATERAL (SELECT key FROM jobs WHERE instance_key = $1 AND element_instance = e OFFSET 0) j))";
    let fetch = |kind: EntityKind, scopes: &str, columns: &str, table: &str, of: [&str; 2]| {
        let [instance_column, scope_column] = of;
        let sql = format!(
            "SELECT x.* FROM {scopes} e CROSS JOIN LATERAL (SELECT {columns} FROM {table} \
             WHERE {instance_column} = $1 AND {scope_column} = e OFFSET 0) x"
        );
        let params: [Param<'static>; 2] = [instance.into(), elements.to_vec().into()];
        Fetch::new(kind, sql, params)
    };
    let by_element = ["instance_key", "element_instance"];
    let mut fetches: Vec<Fetch<'static>> = BELONGINGS
        .iter()
        .map(|(kind, table)| fetch(*kind, SCOPES, "element_instance, data", table, by_element))
        .collect();
    let variable = format!("scope_key AS scope, {VARIABLE_COLUMNS}");
    fetches.push(fetch(EntityKind::Variable, SCOPES, &variable, "variables", ["instance_key", "scope_key"]));
    let of_owner = ["owner_key", "element_instance"];
    fetches.push(fetch(EntityKind::Timer, SCOPES_AND_JOBS, "element_instance, data", "timers", of_owner));
    let of_body = ["instance_key", "body_key"];
    fetches.push(fetch(EntityKind::LoopInput, SCOPES, "body_key, data", "loop_inputs", of_body));
    fetches
}
