//! Rows of instances, live and ended, as one state.

use super::Kind;
use crate::entry::{entries, fields};
use crate::load::read_row;
use crate::row::{unpacked, unpacked_all};
use crate::store::RedisStore;
use redis::Value;
use tidemill_model::ProcessInstanceKey;
use tidemill_store::Result;
use tidemill_store::query::{Field, Filter};
use tidemill_store::rows::{Tables, Views};

/// How much of an instance is needed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Depth {
    /// Its own row.
    Instances,
    Everything,
}

impl Depth {
    pub(super) fn of<F: Field>(filter: &Filter<F>) -> Depth {
        let is_enough = Kind::of::<F>() == Kind::Instances && filter.related() == 0;
        if is_enough { Depth::Instances } else { Depth::Everything }
    }
}

pub(super) struct Fetched {
    pub(super) live: Tables,
    pub(super) history: Tables,
}

impl Fetched {
    pub(super) fn views(&self) -> Views<'_> {
        Views { live: &self.live, history: &self.history }
    }
}

impl RedisStore {
    /// Instances beside the rows that are there already.
    pub(super) async fn fetch(
        &self,
        base: &Tables,
        instances: &[ProcessInstanceKey],
        depth: Depth,
    ) -> Result<Fetched> {
        let mut pipeline = redis::pipe();
        let placed = instances.iter().filter_map(|key| Some((*key, self.space.of_key(key.key())?)));
        let placed: Vec<_> = placed.collect();
        for (instance, keys) in &placed {
            pipeline.cmd("GET").arg(keys.instance(*instance));
            if depth == Depth::Everything {
                pipeline.cmd("HGETALL").arg(keys.live(*instance));
                pipeline.cmd("XRANGE").arg(keys.events(*instance)).arg("-").arg("+");
            }
        }
        let mut answers = self.read_all(pipeline).await?.into_iter();
        let mut next = || answers.next().unwrap_or(Value::Nil);
        let mut fetched = Fetched { live: base.clone(), history: Tables::default() };
        for (instance, _) in placed {
            if let Some((row, is_ended)) = read_row(instance, next())? {
                let side = if is_ended { &mut fetched.history } else { &mut fetched.live };
                side.put(&row);
            }
            if depth == Depth::Everything {
                for (field, bytes) in fields(next())? {
                    fetched.live.put(&unpacked(&field, &bytes)?);
                }
                for entry in entries(next())? {
                    let rows = unpacked_all(&entry.id, entry.bytes("rows").unwrap_or_default())?;
                    rows.iter().for_each(|row| fetched.history.put(row));
                }
            }
        }
        Ok(fetched)
    }

    pub(super) async fn put_leases(&self, rows: &mut Tables) -> Result<()> {
        let mut pipeline = redis::pipe();
        for (_, keys) in self.space.all() {
            pipeline.cmd("HGETALL").arg(keys.named("leases"));
        }
        for answer in self.read_all(pipeline).await? {
            for (field, bytes) in fields(answer)? {
                rows.put(&unpacked(&field, &bytes)?);
            }
        }
        Ok(())
    }
}
