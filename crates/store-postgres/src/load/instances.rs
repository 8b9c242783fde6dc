//! Instances, whole or, if they are large, piece by piece.

use super::resolve::{by_keys, partition_of};
use super::rows::Fetch;
use crate::call::{Call, Param};
use std::collections::{HashMap, HashSet};
use tidemill_model::{Entity, EntityKind, ProcessInstanceKey};
use tidemill_store::{INSTANCE_ENTITIES_MAX, Loaded};
use tidemill_store_sql::{Place, Table};
use tokio_postgres::Row;

/// Counts no further than the limit, because a large instance can be very large.
const SIZES: &str = "SELECT k, \
    (SELECT count(*) FROM (SELECT 1 FROM element_instances WHERE instance_key = k LIMIT $2) e) + \
    (SELECT count(*) FROM (SELECT 1 FROM variables WHERE instance_key = k LIMIT $2) v) + \
    (SELECT count(*) FROM (SELECT 1 FROM loop_outputs \
        WHERE partition_id = (k >> 51)::smallint AND instance_key = k LIMIT $2) o) \
    FROM unnest($1::bigint[]) k";

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
        Table::all().filter_map(|table| whole(table, &keys)).collect()
    }

    /// The rows that are still to be loaded, where the instance is large.
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

/// All rows of a kind that belong to these instances.
fn whole(table: &Table, instances: &[i64]) -> Option<Fetch<'static>> {
    let (instance, name, loaded) = (table.instance_column()?, table.name, table.loaded.join(", "));
    let sql = match table.key.contains(&instance) {
        // The primary key begins with the partition.
        true => format!(
            "SELECT x.* FROM unnest($1::bigint[]) k CROSS JOIN LATERAL (SELECT {instance}, {loaded} FROM {name} \
             WHERE partition_id = (k >> 51)::smallint AND {instance} = k OFFSET 0) x"
        ),
        // All other kinds have an index that begins with the instance.
        false => format!("SELECT {instance}, {loaded} FROM {name} WHERE {instance} = ANY($1)"),
    };
    Some(Fetch::new(table.kind, sql, [instances.to_vec().into()]))
}

/// Loads the rows that belong to these scopes of an instance directly. The elements themselves are not among them.
pub(super) fn scope_belongings(instance: i64, elements: &[i64]) -> Vec<Fetch<'static>> {
    Table::all().filter_map(|table| of_scopes(table, instance, elements)).collect()
}

fn of_scopes(table: &Table, of: i64, elements: &[i64]) -> Option<Fetch<'static>> {
    const SCOPES: &str = "unnest($2::bigint[])";
    const SCOPES_AND_JOBS: &str = "unnest($2::bigint[] || ARRAY(SELECT j.key FROM unnest($2::bigint[]) e \
        CROSS JOIN LATERAL (SELECT key FROM jobs WHERE instance_key = $1 AND element_instance = e OFFSET 0) j))";
    let scopes = if table.may_hang_on_job { SCOPES_AND_JOBS } else { SCOPES };
    let (instance, element) = (table.instance_column()?, table.element_column()?);
    let (name, loaded) = (table.name, table.loaded.join(", "));
    let sql = format!(
        "SELECT x.* FROM {scopes} e CROSS JOIN LATERAL (SELECT {element} AS scope, {loaded} FROM {name} \
         WHERE {instance} = $1 AND {element} = e OFFSET 0) x"
    );
    let params: [Param<'static>; 2] = [of.into(), elements.to_vec().into()];
    Some(Fetch::new(table.kind, sql, params))
}
