//! What a command changed, entity by entity: the engine's output and a store's input.

use crate::entity::*;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

macro_rules! entities {
    ($($kind:ident($entity:ty)),+ $(,)?) => {
        /// Any entity, shared with the engine's own picture of it.
        #[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
        pub enum Entity {
            $($kind(Arc<$entity>),)+
        }

        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
        pub enum EntityKind {
            $($kind,)+
        }

        impl Entity {
            pub fn kind(&self) -> EntityKind {
                match self {
                    $(Entity::$kind(_) => EntityKind::$kind,)+
                }
            }
        }

        $(
            impl From<Arc<$entity>> for Entity {
                fn from(entity: Arc<$entity>) -> Entity {
                    Entity::$kind(entity)
                }
            }
        )+
    };
}

entities! {
    ProcessInstance(ProcessInstance),
    ElementInstance(ElementInstance),
    Variable(Variable),
    Job(Job),
    JobLease(JobLease),
    UserTask(UserTask),
    Incident(Incident),
    Timer(Timer),
    Message(Message),
    MessageSubscription(MessageSubscription),
    BoxSubscription(BoxSubscription),
    MessageStartLock(MessageStartLock),
    MessageCorrelation(MessageCorrelation),
    SignalSubscription(SignalSubscription),
    StartSubscription(StartSubscription),
    LoopInput(LoopInput),
    LoopOutput(LoopOutput),
    ProcessDefinition(ProcessDefinition),
    ProcessXml(ProcessXml),
    Form(Form),
    Resource(Resource),
}

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

/// What a store still has of an ended instance.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Remains {
    /// The row of the instance itself is in history.
    pub is_ended_instance: bool,
    /// What belonged to it, counted no further than one commit deletes.
    pub rows: usize,
    /// There is more than one commit deletes.
    pub has_more: bool,
}
