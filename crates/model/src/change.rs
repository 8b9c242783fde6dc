//! The changes of a command, entity by entity: the engine's output and a store's input.

use crate::Entity;
use serde::{Deserialize, Serialize};

/// The net effect of a batch on one entity.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub enum Change {
    /// Insert or overwrite the live row.
    Put(Entity),
    /// The live row goes and leaves nothing behind. Carries what the row last was, so that a store can
    /// find it by any of its columns.
    Remove(Entity),
    /// The entity has ended: it leaves the live rows and stays in history as it is here.
    /// `was_stored` tells whether there is a live row to remove.
    End { entity: Entity, was_stored: bool },
}

impl Change {
    pub fn entity(&self) -> &Entity {
        match self {
            Change::Put(entity) | Change::Remove(entity) | Change::End { entity, .. } => entity,
        }
    }
}

/// The rows that a store still has of an ended instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Remains {
    /// The row of the instance itself is in history.
    pub is_ended_instance: bool,
    /// Rows that belonged to it, counted no further than one commit deletes.
    pub rows: usize,
    /// There is more than one commit deletes.
    pub has_more: bool,
}
