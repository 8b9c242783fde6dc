//! The searchable entities: how each is searched, and which conditions only it knows.

use super::Both;
use super::question::{test, text};
use super::world::World;
use async_trait::async_trait;
use std::fmt::Debug;
use tidemill_model::dice::Dice;
use tidemill_store::Store;
use tidemill_store::query::plain::Shown;
use tidemill_store::query::*;

#[async_trait]
pub(super) trait Searched: Shown<View: Clone + PartialEq + Debug + Send + Sync> {
    async fn search(store: &dyn Store, search: &Search<Self>) -> Results<Self::View>;

    /// A condition that looks at other rows, where the entity has such.
    fn special(dice: &mut Dice, world: &World) -> Option<Condition<Self>>;
}

macro_rules! searched {
    ([] $($search:ident($field:ident) $(, $get:ident($key:ident))?;)+) => {
        $(
            #[async_trait]
            impl Searched for $field {
                async fn search(store: &dyn Store, search: &Search<$field>) -> Results<Self::View> {
                    let found = store.$search(search).await;
                    found.unwrap_or_else(|error| panic!("{error}: {search:?}"))
                }

                fn special(dice: &mut Dice, world: &World) -> Option<Condition<$field>> {
                    special_of!($field, dice, world)
                }
            }
        )+

        impl Both<'_> {
            pub(super) async fn compare_all(&mut self) {
                $(self.compare::<$field>().await;)+
            }
        }
    };
}

macro_rules! special_of {
    (ProcessInstanceField, $dice:ident, $world:ident) => {
        Some(of_instances($dice, $world))
    };
    (UserTaskField, $dice:ident, $world:ident) => {
        Some(of_tasks($dice, $world))
    };
    (IncidentField, $dice:ident, $world:ident) => {
        Some(of_incidents($dice, $world))
    };
    ($field:ident, $dice:ident, $world:ident) => {{
        let _ = ($dice, $world);
        None
    }};
}

tidemill_store::for_each_search!([searched] []);

fn of_instances(dice: &mut Dice, _: &World) -> Condition<ProcessInstanceField> {
    match dice.below(4) {
        0 => Condition::HasElement(vec![
            (ElementInstanceField::ElementId, Test::eq(text(dice))),
            (ElementInstanceField::State, Test::eq("COMPLETED")),
        ]),
        1 => Condition::HasIncident(vec![(IncidentField::ErrorMessage, test(dice, FieldKind::Text, &[]))]),
        2 => Condition::HasJob(vec![(JobField::HasFailedWithRetriesLeft, test(dice, FieldKind::Bool, &[]))]),
        _ => has_variable(dice, VariableScope::Anywhere),
    }
}

fn of_tasks(dice: &mut Dice, _: &World) -> Condition<UserTaskField> {
    let scope = if dice.below(2) == 0 { VariableScope::Instance } else { VariableScope::Local };
    has_variable(dice, scope)
}

fn has_variable<F>(dice: &mut Dice, scope: VariableScope) -> Condition<F> {
    let value = if dice.below(2) == 0 { vec![test(dice, FieldKind::Text, &[])] } else { Vec::new() };
    Condition::HasVariable { scope, name: super::world::name(dice), value }
}

fn of_incidents(dice: &mut Dice, world: &World) -> Condition<IncidentField> {
    match dice.below(2) {
        0 => Condition::WithinInstance(world.instances[dice.below(world.instances.len() as u64) as usize]),
        _ => Condition::WithinElement(world.elements[dice.below(world.elements.len() as u64) as usize]),
    }
}
