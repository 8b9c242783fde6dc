//! The cases, by what they are about.

pub mod catalog;
pub mod commit;
pub mod dead_letters;
pub mod inbox;
pub mod inspect;
pub mod large_searches;
pub mod leases;
pub mod load;
pub mod maintenance;
pub mod ownership;
pub mod plain;
pub mod reopen;
pub mod search;
pub mod timer_shards;
pub mod timers;
pub mod views;

use std::sync::Arc;
use tidemill_model::{Change, Entity};

/// Partitions of the places that cases are given.
pub const PARTITIONS: u16 = 3;

fn put<E>(entity: &E) -> Change
where
    E: Clone,
    Arc<E>: Into<Entity>,
{
    Change::Put(row(entity))
}

fn remove<E>(entity: &E) -> Change
where
    E: Clone,
    Arc<E>: Into<Entity>,
{
    Change::Remove(row(entity))
}

fn end<E>(entity: &E, was_stored: bool) -> Change
where
    E: Clone,
    Arc<E>: Into<Entity>,
{
    Change::End { entity: row(entity), was_stored }
}

fn row<E>(entity: &E) -> Entity
where
    E: Clone,
    Arc<E>: Into<Entity>,
{
    Arc::new(entity.clone()).into()
}
