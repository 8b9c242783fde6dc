//! Reads the rows that the engine asks for. All needs of a call are answered from one state, in three round trips: where the
//! keys lead, how large the instances are, and what belongs to them. One statement per table, however many
//! instances.

mod instances;
mod lists;
mod resolve;
mod rows;

use crate::PostgresStore;
use crate::call::{Call, Param};
use crate::connect::Lease;
use crate::error;
use crate::maintenance::history;
use async_trait::async_trait;
use instances::{Instances, instances_fetch, scope_belongings, sizes_call};
use lists::Lists;
use rows::{Fetch, owned_entity};
use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};
use tidemill_model::{Entity, Need, PartitionId, ProcessInstanceKey, Remains, TenantId, Text, Timestamp};
use tidemill_store::{IdempotentAnswer, Load, Loaded, Result};
use tidemill_store_sql::Place;
use tokio_postgres::Row;

/// One state for all flushes of a load.
const BEGIN: &str = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";

/// `LATERAL` with `OFFSET 0` looks each key up by the primary key, whatever the planner thinks of the table: a join could be planned
/// over all answers of the partition.
const ANSWERS: &str = "SELECT i.tenant, i.key, i.body_hash, i.answer, i.created_at \
    FROM unnest($2::text[], $3::text[]) u(tenant, key) CROSS JOIN LATERAL \
    (SELECT * FROM idempotency WHERE partition_id = $1 AND tenant = u.tenant AND key = u.key OFFSET 0) i";

#[async_trait]
impl Load for PostgresStore {
    async fn load(&self, partition: PartitionId, needs: &[Need], list_rows_max: u32) -> Result<Vec<Loaded>> {
        if !needs.iter().all(is_deployed) {
            self.follower.catch_up_owned(partition).await?;
        }
        let lists = Lists { partition, rows_max: list_rows_max };
        match self.try_load(lists, needs).await {
            // A connection that was lost without our noticing: nothing was changed, so once more.
            Err(error) if error::is_connection(&error) => {}
            loaded => return loaded.map_err(|error| self.told(&error))?,
        }
        self.try_load(lists, needs).await.map_err(|error| self.told(&error))?
    }

    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>> {
        let partitions: BTreeSet<PartitionId> =
            instances.iter().filter_map(|instance| instance.key().partition()).collect();
        for partition in partitions.into_iter().filter(|partition| partition.0 <= self.partitions.0) {
            self.follower.catch_up_owned(partition).await?;
        }
        let rows = self.loads.read_one(history::remains_call(instances)).await?;
        let found: HashMap<i64, Remains> =
            rows.iter().map(|row| (row.get(0), history::remains(row))).collect();
        Ok(instances.iter().map(|key| found.get(&key.0).copied().unwrap_or_default()).collect())
    }

    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>> {
        let texts = |pick: fn(&(TenantId, Text)) -> &str| {
            Param::Texts(keys.iter().map(|key| Some(Cow::Borrowed(pick(key)))).collect())
        };
        let params = [partition.into(), texts(|key| key.0.as_str()), texts(|key| key.1.as_str())];
        let rows = self.loads.read_one(Call::new(ANSWERS, params)).await?;
        let found: HashMap<(TenantId, Text), IdempotentAnswer> = rows.iter().map(answer).collect();
        Ok(keys.iter().map(|key| found.get(key).cloned()).collect())
    }
}

/// Deployed things are never outstanding: they are written with their commit.
fn is_deployed(need: &Need) -> bool {
    matches!(
        need,
        Need::Starts { .. }
            | Need::Definition(_)
            | Need::Form { .. }
            | Need::Resource { .. }
            | Need::ResourceByKey(_)
    )
}

fn answer(row: &Row) -> ((TenantId, Text), IdempotentAnswer) {
    let (tenant, key) = (TenantId(row.get::<_, &str>(0).into()), Text::from(row.get::<_, &str>(1)));
    let answer = IdempotentAnswer {
        tenant: tenant.clone(),
        key: key.clone(),
        body_hash: row.get(2),
        answer: row.get(3),
        created_at: Timestamp(row.get(4)),
    };
    ((tenant, key), answer)
}

/// The outer error is the connection's, the inner one that of a row.
type Attempt<T> = std::result::Result<Result<T>, tokio_postgres::Error>;

impl PostgresStore {
    async fn try_load(&self, lists: Lists, needs: &[Need]) -> Attempt<Vec<Loaded>> {
        let mut lease = match self.loads.take().await {
            Ok(lease) => lease,
            Err(error) => return Ok(Err(error)),
        };
        let mut reading = Reading { lease: &mut lease, has_begun: false };
        let places = match resolve::calls(needs) {
            calls if calls.is_empty() => resolve::places(needs, &[]),
            calls => resolve::places(needs, &reading.flush(&calls, false).await?),
        };
        let mut instances = Instances::default();
        let mut keys: Vec<i64> = places.iter().flatten().map(|place| place.instance).collect();
        // Several needs often lead to the same instance, which is loaded once.
        keys.sort_unstable();
        keys.dedup();
        if !keys.is_empty() {
            let fetch = instances_fetch(&keys);
            let rows = reading.flush(&[fetch.call, sizes_call(&keys)], false).await?;
            instances.note_sizes(&rows[1]);
            match rows[0].iter().map(|row| owned_entity(fetch.kind, row)).collect::<Result<Vec<_>>>() {
                Ok(found) => instances.add(found),
                Err(error) => return Ok(Err(error)),
            }
        }
        self.load_rest(reading, lists, needs, &places, instances).await
    }

    /// Belongings of whole instances, pieces of large ones, and lists, together.
    async fn load_rest(
        &self,
        mut reading: Reading<'_, '_>,
        lists: Lists,
        needs: &[Need],
        places: &[Option<Place>],
        mut instances: Instances,
    ) -> Attempt<Vec<Loaded>> {
        let belongings = instances.belongings();
        let mut pieces: Vec<Vec<Fetch<'_>>> = Vec::with_capacity(needs.len());
        for (need, place) in needs.iter().zip(places) {
            pieces.push(match place {
                Some(place) if lists.rows_max_of(need).is_none() => instances.piece(place),
                place => lists.fetches(need, place.as_ref()),
            });
        }
        // The keys of children are known only when their rows have come: then, and only then, there is one more round trip.
        let has_children = needs.iter().any(|need| matches!(need, Need::Children { .. }));
        let counts: Vec<usize> = pieces.iter().map(Vec::len).collect();
        let fetches: Vec<Fetch<'_>> = belongings.into_iter().chain(pieces.into_iter().flatten()).collect();
        let belonging_count = fetches.len() - counts.iter().sum::<usize>();
        let mut found = match reading.fetch(fetches, !has_children).await? {
            Ok(found) => found.into_iter(),
            Err(error) => return Ok(Err(error)),
        };
        found.by_ref().take(belonging_count).for_each(|entities| instances.add(entities));
        let mut loaded = Vec::with_capacity(needs.len());
        for ((need, place), count) in needs.iter().zip(places).zip(counts) {
            let rows: Vec<Vec<(i64, Entity)>> = found.by_ref().take(count).collect();
            loaded.push(match (place, lists.rows_max_of(need)) {
                (Some(place), None) => instances.answer(place, entities(rows)),
                (place, Some(rows_max)) => cut(rows, rows_max, place.as_ref()),
                (None, None) => Loaded { entities: entities(rows), ..Loaded::default() },
            });
        }
        if has_children {
            return add_children_belongings(reading, needs, places, loaded).await;
        }
        Ok(Ok(loaded))
    }
}

/// Children come with what belongs to them, for all of them together.
async fn add_children_belongings(
    mut reading: Reading<'_, '_>,
    needs: &[Need],
    places: &[Option<Place>],
    mut loaded: Vec<Loaded>,
) -> Attempt<Vec<Loaded>> {
    let mut fetches = Vec::new();
    let mut counts = vec![0; needs.len()];
    for (n, (need, place)) in needs.iter().zip(places).enumerate() {
        if let (Need::Children { .. }, Some(place)) = (need, place) {
            let children: Vec<i64> = loaded[n].entities.iter().filter_map(element_key).collect();
            let belongings = scope_belongings(place.instance, &children);
            counts[n] = belongings.len();
            fetches.extend(belongings);
        }
    }
    let mut found = match reading.fetch(fetches, true).await? {
        Ok(found) => found.into_iter(),
        Err(error) => return Ok(Err(error)),
    };
    for (loaded, count) in loaded.iter_mut().zip(counts) {
        loaded.entities.extend(entities(found.by_ref().take(count).collect()));
    }
    Ok(Ok(loaded))
}

fn element_key(entity: &Entity) -> Option<i64> {
    if let Entity::ElementInstance(element) = entity { Some(element.key.0) } else { None }
}

fn entities(lists: Vec<Vec<(i64, Entity)>>) -> Vec<Entity> {
    lists.into_iter().flatten().map(|(_, entity)| entity).collect()
}

/// Of a list that was read one longer than asked for.
fn cut(lists: Vec<Vec<(i64, Entity)>>, limit: u32, place: Option<&Place>) -> Loaded {
    let mut entities = entities(lists);
    let has_more = entities.len() > limit as usize;
    entities.truncate(limit as usize);
    let instance = place.map(|place| ProcessInstanceKey(place.instance));
    Loaded { instance, entities, is_large: false, has_more }
}

/// A read transaction over several flushes.
struct Reading<'r, 'p> {
    lease: &'r mut Lease<'p>,
    has_begun: bool,
}

impl Reading<'_, '_> {
    async fn flush(
        &mut self,
        calls: &[Call<'_>],
        is_last: bool,
    ) -> std::result::Result<Vec<Vec<Row>>, tokio_postgres::Error> {
        let begin = if self.has_begun { "" } else { BEGIN };
        self.has_begun = true;
        let end = if is_last { "COMMIT" } else { "" };
        self.lease.transact(begin, calls, end, &[]).await.into_rows()
    }

    async fn fetch(&mut self, fetches: Vec<Fetch<'_>>, is_last: bool) -> Attempt<Vec<Vec<(i64, Entity)>>> {
        let (kinds, calls): (Vec<_>, Vec<_>) =
            fetches.into_iter().map(|fetch| (fetch.kind, fetch.call)).unzip();
        let rows = self.flush(&calls, is_last).await?;
        let read = |(rows, kind): (Vec<Row>, _)| rows.iter().map(|row| owned_entity(kind, row)).collect();
        Ok(rows.into_iter().zip(kinds).map(read).collect())
    }
}
