//! The searchable entities: how each is searched, and which conditions only it knows.

use super::question::{test, text};
use super::world::World;
use crate::dice::Dice;
use async_trait::async_trait;
use std::fmt::Debug;
use tidemill_store::Store;
use tidemill_store::query::plain::Shown;
use tidemill_store::query::*;
use tidemill_store::view::*;

#[async_trait]
pub(super) trait Searched: Shown<View: Clone + PartialEq + Debug + Send + Sync> {
    async fn search(store: &dyn Store, search: &Search<Self>) -> Results<Self::View>;

    /// A condition that looks at other rows, where the entity has such.
    fn special(_: &mut Dice, _: &World) -> Option<Condition<Self>> {
        None
    }
}

macro_rules! searched {
    ($($field:ident: $view:ident by $search:ident $(with $special:ident)?;)+) => {$(
        #[async_trait]
        impl Searched for $field {
            async fn search(store: &dyn Store, search: &Search<$field>) -> Results<$view> {
                let found = store.$search(search).await;
                found.unwrap_or_else(|error| panic!("{error}: {search:?}"))
            }
            $(
                fn special(dice: &mut Dice, world: &World) -> Option<Condition<$field>> {
                    Some($special(dice, world))
                }
            )?
        }
    )+};
}

searched! {
    ProcessDefinitionField: ProcessDefinitionView by process_definitions;
    ProcessInstanceField: ProcessInstanceView by process_instances with of_instances;
    ElementInstanceField: ElementInstanceView by element_instances;
    JobField: JobView by jobs;
    UserTaskField: UserTaskView by user_tasks with of_tasks;
    VariableField: VariableView by variables;
    MessageSubscriptionField: MessageSubscriptionView by message_subscriptions;
    CorrelationField: CorrelationView by message_correlations;
    IncidentField: IncidentView by incidents with of_incidents;
    ResourceField: ResourceView by resources;
}

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
