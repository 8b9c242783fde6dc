//! Instances, whole or, if they are large, piece by piece.

use super::resolve::Place;
use super::rows::{VARIABLE_COLUMNS, append, entity, key_list, variable};
use crate::error::Outcome;
use rusqlite::{Connection, params};
use serde::de::DeserializeOwned;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use tidemill_model::entity::*;
use tidemill_model::{Entity, ProcessInstanceKey};
use tidemill_store::{INSTANCE_ENTITIES_MAX, Loaded};

/// Counts no further than the limit, because a large instance can be very large.
const SIZES: &str = "SELECT k.value, \
    (SELECT count(*) FROM (SELECT 1 FROM element_instances WHERE instance_key = k.value LIMIT ?2)) + \
    (SELECT count(*) FROM (SELECT 1 FROM variables WHERE instance_key = k.value LIMIT ?2)) + \
    (SELECT count(*) FROM (SELECT 1 FROM loop_outputs WHERE instance_key = k.value LIMIT ?2)) \
    FROM rarray(?1) k";

/// The instances that a call is about, as far as they can be loaded together.
pub(super) struct Instances {
    whole: HashMap<i64, Vec<Entity>>,
    large: HashSet<i64>,
}

impl Instances {
    pub(super) fn load(connection: &Connection, keys: impl Iterator<Item = i64>) -> Outcome<Instances> {
        let keys: HashSet<i64> = keys.collect();
        let mut instances = Instances { whole: HashMap::new(), large: HashSet::new() };
        if keys.is_empty() {
            return Ok(instances);
        }
        instances.add::<ProcessInstance>(
            connection,
            "SELECT key, data FROM process_instances WHERE key IN rarray(?1)",
            &keys,
        )?;
        let mut sizes = connection.prepare_cached(SIZES)?;
        let mut rows = sizes
            .query(params![key_list(instances.whole.keys().copied()), INSTANCE_ENTITIES_MAX as i64 + 1])?;
        while let Some(row) = rows.next()? {
            let size: i64 = row.get(1)?;
            if size > INSTANCE_ENTITIES_MAX as i64 {
                instances.large.insert(row.get(0)?);
            }
        }
        let small: HashSet<i64> =
            instances.whole.keys().copied().filter(|key| !instances.large.contains(key)).collect();
        if !small.is_empty() {
            instances.add_belongings(connection, &small)?;
        }
        Ok(instances)
    }

    fn add_belongings(&mut self, connection: &Connection, keys: &HashSet<i64>) -> Outcome<()> {
        let of =
            |table: &str| format!("SELECT instance_key, data FROM {table} WHERE instance_key IN rarray(?1)");
        self.add::<ElementInstance>(connection, &of("element_instances"), keys)?;
        self.add_variables(connection, keys)?;
        self.add::<Job>(connection, &of("jobs"), keys)?;
        self.add::<UserTask>(connection, &of("user_tasks"), keys)?;
        self.add::<Incident>(connection, &of("incidents"), keys)?;
        let timers = "SELECT owner_key, data FROM timers WHERE owner_key IN rarray(?1)";
        self.add::<Timer>(connection, timers, keys)?;
        self.add::<MessageSubscription>(connection, &of("message_subscriptions"), keys)?;
        self.add::<SignalSubscription>(connection, &of("signal_subscriptions"), keys)?;
        self.add::<LoopInput>(connection, &of("loop_inputs"), keys)?;
        self.add::<LoopOutput>(connection, &of("loop_outputs"), keys)
    }

    fn add<T>(&mut self, connection: &Connection, sql: &str, keys: &HashSet<i64>) -> Outcome<()>
    where
        T: DeserializeOwned,
        Arc<T>: Into<Entity>,
    {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([key_list(keys.iter().copied())])?;
        while let Some(row) = rows.next()? {
            self.whole.entry(row.get(0)?).or_default().push(entity::<T>(row, 1)?);
        }
        Ok(())
    }

    fn add_variables(&mut self, connection: &Connection, keys: &HashSet<i64>) -> Outcome<()> {
        let mut statement = connection.prepare_cached(&format!(
            "SELECT {VARIABLE_COLUMNS} FROM variables WHERE instance_key IN rarray(?1)"
        ))?;
        let mut rows = statement.query([key_list(keys.iter().copied())])?;
        while let Some(row) = rows.next()? {
            self.whole.entry(row.get(1)?).or_default().push(variable(row)?);
        }
        Ok(())
    }

    pub(super) fn answer(&self, connection: &Connection, place: &Place) -> Outcome<Loaded> {
        let Some(whole) = self.whole.get(&place.instance) else { return Ok(Loaded::default()) };
        let mut loaded = Loaded {
            instance: Some(ProcessInstanceKey(place.instance)),
            entities: whole.clone(),
            is_large: self.large.contains(&place.instance),
            has_more: false,
        };
        if loaded.is_large {
            let sql = "SELECT data FROM element_instances WHERE key = ?1";
            append::<ElementInstance>(connection, sql, [place.element], &mut loaded.entities)?;
            append_belongings(connection, place, &mut loaded.entities)?;
        }
        Ok(loaded)
    }
}

/// What belongs to one scope directly; the element itself is not among it.
pub(super) fn append_belongings(
    connection: &Connection,
    place: &Place,
    entities: &mut Vec<Entity>,
) -> Outcome<()> {
    let keys = [place.instance, place.element];
    let of =
        |table: &str| format!("SELECT data FROM {table} WHERE instance_key = ?1 AND element_instance = ?2");
    let mut statement = connection.prepare_cached(&format!(
        "SELECT {VARIABLE_COLUMNS} FROM variables WHERE instance_key = ?1 AND scope_key = ?2"
    ))?;
    let mut rows = statement.query(keys)?;
    while let Some(row) = rows.next()? {
        entities.push(variable(row)?);
    }
    append::<Job>(connection, &of("jobs"), keys, entities)?;
    append::<UserTask>(connection, &of("user_tasks"), keys, entities)?;
    append::<Incident>(connection, &of("incidents"), keys, entities)?;
    // The back-off timer of a job stands under the key of the job.
    let timers = "SELECT data FROM timers WHERE owner_key = ?1 AND element_instance IN \
        (SELECT ?2 UNION ALL SELECT key FROM jobs WHERE instance_key = ?1 AND element_instance = ?2)";
    append::<Timer>(connection, timers, keys, entities)?;
    append::<MessageSubscription>(connection, &of("message_subscriptions"), keys, entities)?;
    append::<SignalSubscription>(connection, &of("signal_subscriptions"), keys, entities)?;
    let input = "SELECT data FROM loop_inputs WHERE body_key = ?1";
    append::<LoopInput>(connection, input, [place.element], entities)
}
