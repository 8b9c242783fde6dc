//! Instances, whole or, if they are large, piece by piece.

use super::rows::{append, append_of, entity, key_list};
use crate::error::Outcome;
use rusqlite::{Connection, params};
use std::collections::{HashMap, HashSet};
use tidemill_model::entity::ElementInstance;
use tidemill_model::{Entity, EntityKind, ProcessInstanceKey};
use tidemill_store::{INSTANCE_ENTITIES_MAX, Loaded};
use tidemill_store_sql::{Place, Table};

/// Counts no further than the limit, because a large instance can be very large.
/// These three tables are counted because a model can make them grow without bound: elements, variables,
/// outputs of loops. Each of the others has at most a few rows for each element.
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
        // Several needs of a batch often name one instance, which is loaded once.
        let keys: HashSet<i64> = keys.collect();
        let mut instances = Instances { whole: HashMap::new(), large: HashSet::new() };
        if keys.is_empty() {
            return Ok(instances);
        }
        instances.add(
            EntityKind::ProcessInstance,
            connection,
            "SELECT key, data FROM process_instances WHERE key IN rarray(?1)",
            &keys,
        )?;
        let mut sizes = connection.prepare_cached(SIZES)?;
        let mut rows = sizes
            // Only instances that were found have a size. One row more than the limit says that an instance is too large.
            .query(params![key_list(instances.whole.keys().copied()), INSTANCE_ENTITIES_MAX as i64 + 1])?;
        while let Some(row) = rows.next()? {
            let size: i64 = row.get(1)?;
            if size > INSTANCE_ENTITIES_MAX as i64 {
                instances.large.insert(row.get(0)?);
            }
        }
        // Large instances are read by scope when `answer` is asked for one: a whole one would fill the memory of the partition.
        let small: HashSet<i64> =
            instances.whole.keys().copied().filter(|key| !instances.large.contains(key)).collect();
        if !small.is_empty() {
            instances.add_belongings(connection, &small)?;
        }
        Ok(instances)
    }

    fn add_belongings(&mut self, connection: &Connection, keys: &HashSet<i64>) -> Outcome<()> {
        Table::all().try_for_each(|table| self.add_belongings_of(connection, table, keys))
    }

    /// The statement is made from the list of tables, so a new kind of entity is loaded with its instance without a line here.
    fn add_belongings_of(
        &mut self,
        connection: &Connection,
        table: &Table,
        keys: &HashSet<i64>,
    ) -> Outcome<()> {
        let Some(instance) = table.instance_column() else { return Ok(()) };
        let (loaded, name) = (table.loaded.join(", "), table.name);
        let sql = format!("SELECT {instance}, {loaded} FROM {name} WHERE {instance} IN rarray(?1)");
        self.add(table.kind, connection, &sql, keys)
    }

    /// The first column says to which instance a row belongs.
    fn add(
        &mut self,
        kind: EntityKind,
        connection: &Connection,
        sql: &str,
        keys: &HashSet<i64>,
    ) -> Outcome<()> {
        let mut statement = connection.prepare_cached(sql)?;
        let mut rows = statement.query([key_list(keys.iter().copied())])?;
        while let Some(row) = rows.next()? {
            self.whole.entry(row.get(0)?).or_default().push(entity(kind, row, 1)?);
        }
        Ok(())
    }

    pub(super) fn answer(&self, connection: &Connection, place: &Place) -> Outcome<Loaded> {
        let Some(whole) = self.whole.get(&place.instance) else { return Ok(Loaded::default()) };
        let mut loaded = Loaded {
            instance: Some(ProcessInstanceKey(place.instance)),
            // Each need gets its own list, even where several lead to one instance. That is cheap, because
            // rows are shared pointers.
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

/// Loads the rows that belong to one scope directly. The element itself is not among them.
pub(super) fn append_belongings(
    connection: &Connection,
    place: &Place,
    entities: &mut Vec<Entity>,
) -> Outcome<()> {
    Table::all().try_for_each(|table| append_belongings_of(connection, table, place, entities))
}

fn append_belongings_of(
    connection: &Connection,
    table: &Table,
    place: &Place,
    entities: &mut Vec<Entity>,
) -> Outcome<()> {
    let (Some(instance), Some(element)) = (table.instance_column(), table.element_column()) else {
        return Ok(());
    };
    let (loaded, name) = (table.loaded.join(", "), table.name);
    // Some rows carry the key of a job where others carry that of its element: both belong to the same place.
    let elements = match table.may_hang_on_job {
        true => {
            "IN (SELECT ?2 UNION ALL SELECT key FROM jobs WHERE instance_key = ?1 AND element_instance = ?2)"
        }
        false => "= ?2",
    };
    let sql = format!("SELECT {loaded} FROM {name} WHERE {instance} = ?1 AND {element} {elements}");
    append_of(table.kind, connection, &sql, [place.instance, place.element], entities)
}
