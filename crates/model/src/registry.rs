//! The kinds of entity that the engine changes and a store keeps, one line each. Everything that must exist
//! once per kind, such as a table of the engine or a statement of a store, is made from this list with `for_each_entity!`.

use crate::entity::*;
use crate::key::*;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use std::fmt::Debug;
use std::hash::Hash;
use std::sync::Arc;

/// Gives the list to a macro: `Kind in rows { KeyType = |row| its key; what remains after its end; where it belongs }`.
///
/// - `rows` is the plural by which stores call the rows of this kind. It is part of the stored format.
/// - The order is part of nothing that is stored. Batches are written in it.
/// - What remains is one of [`Ended`]; where it belongs is a [`Belonging`], or `None` for what belongs to no instance.
/// - The macro is named in brackets. The content of the second brackets is passed on before the list.
#[macro_export]
macro_rules! for_each_entity {
    ([$($then:tt)+] [$($with:tt)*]) => {
        $($then)+! {
            [$($with)*]
            ProcessInstance in process_instances { ProcessInstanceKey = |row| row.key; History; |_row| None }
            ElementInstance in element_instances
                { ElementInstanceKey = |row| row.key; History; |row| Belonging::to_instance(&row.origin) }
            Variable in variables
                { VariableKey = |row| row.key; History; |row| Belonging::to_element(&row.origin, row.scope) }
            Job in jobs
                { JobKey = |row| row.key; History; |row| Belonging::to_element(&row.origin, row.element_instance) }
            JobLease in job_leases { LeaseKey = |row| row.lease.key; Nothing; |_row| None }
            UserTask in user_tasks
                { UserTaskKey = |row| row.key; History; |row| Belonging::to_element(&row.origin, row.element_instance) }
            Incident in incidents
                { IncidentKey = |row| row.key; History; |row| Belonging::to_element(&row.origin, row.element_instance) }
            Timer in timers { TimerKey = |row| row.key; Nothing; |row| Timer::belongs_to(row) }
            Message in messages { MessageKey = |row| row.key; Nothing; |_row| None }
            MessageSubscription in message_subscriptions
                { SubscriptionKey = |row| row.key; History; |row| Belonging::to_element(&row.origin, row.element_instance) }
            BoxSubscription in box_subscriptions { SubscriptionKey = |row| row.key; Nothing; |_row| None }
            MessageStartLock in start_locks { ProcessInstanceKey = |row| row.instance; Nothing; |_row| None }
            MessageCorrelation in message_correlations
                { (SubscriptionKey, MessageKey) = |row| (row.subscription, row.message); HistoryFromTheStart;
                    |row| Belonging::to_instance(&row.origin) }
            SignalSubscription in signal_subscriptions
                { SubscriptionKey = |row| row.key; Nothing; |row| Belonging::to_element(&row.origin, row.element_instance) }
            StartSubscription in start_subscriptions { SubscriptionKey = |row| row.key; Nothing; |_row| None }
            LoopInput in loop_inputs
                { ElementInstanceKey = |row| row.body; Nothing; |row| Belonging::to_element(&row.origin, row.body) }
            LoopOutput in loop_outputs
                { (ElementInstanceKey, u32) = |row| (row.body, row.loop_counter); Nothing;
                    |row| Belonging::to_instance(&row.origin) }
            ProcessDefinition in process_definitions { DefinitionKey = |row| row.key; Nothing; |_row| None }
            ProcessXml in process_files { DefinitionKey = |row| row.definition; Nothing; |_row| None }
            Form in forms { FormKey = |row| row.key; Nothing; |_row| None }
            Resource in resources { ResourceKey = |row| row.key; Nothing; |_row| None }
        }
    };
}

/// Runs an expression for the kind that is known only at run time: `R` stands for its type.
///
/// `with_kind!(entity.kind(), R => R::ROWS)`
#[macro_export]
macro_rules! with_kind {
    ($kind:expr, $row:ident => $value:expr) => {
        $crate::for_each_entity!([$crate::match_kind] [$kind, $row => $value])
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! match_kind {
    ([$on:expr, $row:ident => $value:expr] $($kind:ident in $rows:ident $facts:tt)+) => {
        match $on {
            $($crate::EntityKind::$kind => {
                type $row = $crate::entity::$kind;
                $value
            })+
        }
    };
}

/// Runs a statement for each kind, in the order of the list: `R` stands for its type.
#[macro_export]
macro_rules! for_each_kind {
    ($row:ident => $value:expr) => {
        $crate::for_each_entity!([$crate::repeat_for_kinds] [$row => $value])
    };
}

#[doc(hidden)]
#[macro_export]
macro_rules! repeat_for_kinds {
    ([$row:ident => $value:expr] $($kind:ident in $rows:ident $facts:tt)+) => {
        $({
            type $row = $crate::entity::$kind;
            $value;
        })+
    };
}

/// The row that remains of an entity when it has ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ended {
    /// Searches still show it: its row moves from the live rows to history.
    History,
    /// It is written once, straight into history, and never lives.
    HistoryFromTheStart,
    /// Nobody can see it any more.
    Nothing,
}

impl Ended {
    pub fn is_kept(self) -> bool {
        self != Ended::Nothing
    }
}

/// The instance and the element whose life an entity shares.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Belonging {
    pub instance: ProcessInstanceKey,
    /// The element or scope with which it is loaded, even if its instance is too large to be loaded as a whole.
    pub element: Option<ElementInstanceKey>,
}

impl Belonging {
    pub(crate) fn to_instance(origin: &Origin) -> Option<Belonging> {
        Some(Belonging { instance: origin.instance, element: None })
    }

    pub(crate) fn to_element(origin: &Origin, element: ElementInstanceKey) -> Option<Belonging> {
        Some(Belonging { instance: origin.instance, element: Some(element) })
    }
}

/// The key that tells entities of one kind apart.
pub trait EntityKey: Copy + Eq + Ord + Hash + Debug + Send + Sync + 'static {
    /// The key as numbers. The first is the one that messages name; the second is 0 where one is enough.
    fn numbers(self) -> (i64, i64);
}

impl EntityKey for (SubscriptionKey, MessageKey) {
    fn numbers(self) -> (i64, i64) {
        (self.0.0, self.1.0)
    }
}

impl EntityKey for (ElementInstanceKey, u32) {
    fn numbers(self) -> (i64, i64) {
        (self.0.0, i64::from(self.1))
    }
}

/// An entity of a kind that stands in the list.
pub trait Stored: Clone + Serialize + DeserializeOwned + Send + Sync + Sized + 'static {
    type Key: EntityKey;

    const KIND: EntityKind;
    /// The plural by which stores call rows of this kind.
    const ROWS: &'static str;
    const ENDED: Ended;

    fn key(&self) -> Self::Key;

    fn belongs_to(&self) -> Option<Belonging>;

    /// The entity, if it is of this kind.
    fn of(entity: &Entity) -> Option<&Self>;

    fn into_entity(self) -> Entity;
}

macro_rules! define {
    ([] $($kind:ident in $rows:ident { $key:ty = |$row:ident| $value:expr; $ended:ident; |$row2:ident| $belongs:expr })+) => {
        /// Any entity, shared with the engine's own picture of it.
        #[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
        pub enum Entity {
            $($kind(Arc<$kind>),)+
        }

        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
        pub enum EntityKind {
            $($kind,)+
        }

        impl EntityKind {
            pub const COUNT: usize = [$(EntityKind::$kind),+].len();

            pub const ALL: [EntityKind; EntityKind::COUNT] = [$(EntityKind::$kind),+];

            pub fn ended(self) -> Ended {
                match self {
                    $(EntityKind::$kind => Ended::$ended,)+
                }
            }
        }

        impl Entity {
            pub fn kind(&self) -> EntityKind {
                match self {
                    $(Entity::$kind(_) => EntityKind::$kind,)+
                }
            }

            /// Its key as numbers.
            pub fn numbers(&self) -> (i64, i64) {
                match self {
                    $(Entity::$kind(row) => row.key().numbers(),)+
                }
            }

            pub fn belongs_to(&self) -> Option<Belonging> {
                match self {
                    $(Entity::$kind(row) => Stored::belongs_to(&**row),)+
                }
            }
        }

        $(
            impl From<Arc<$kind>> for Entity {
                fn from(entity: Arc<$kind>) -> Entity {
                    Entity::$kind(entity)
                }
            }

            impl Stored for $kind {
                type Key = $key;

                const KIND: EntityKind = EntityKind::$kind;
                const ROWS: &'static str = stringify!($rows);
                const ENDED: Ended = Ended::$ended;

                fn key(&self) -> $key {
                    let $row = self;
                    $value
                }

                fn belongs_to(&self) -> Option<Belonging> {
                    let $row2 = self;
                    $belongs
                }

                fn of(entity: &Entity) -> Option<&$kind> {
                    match entity {
                        Entity::$kind(row) => Some(row),
                        _ => None,
                    }
                }

                fn into_entity(self) -> Entity {
                    Entity::$kind(Arc::new(self))
                }
            }
        )+
    };
}

for_each_entity!([define] []);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_listed_once_and_knows_its_place() {
        for (n, kind) in EntityKind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, n);
        }
        let mut names = Vec::new();
        for_each_kind!(R => names.push(R::ROWS));
        assert_eq!(names.len(), EntityKind::COUNT);
        assert_eq!(with_kind!(EntityKind::Incident, R => R::ROWS), "incidents");
    }

    #[test]
    fn facts_come_with_the_type_and_with_the_kind() {
        assert_eq!((Incident::ROWS, Incident::KIND), ("incidents", EntityKind::Incident));
        assert_eq!(Incident::ENDED, EntityKind::Incident.ended());
        assert!(EntityKind::MessageCorrelation.ended().is_kept() && !EntityKind::Timer.ended().is_kept());
    }
}
