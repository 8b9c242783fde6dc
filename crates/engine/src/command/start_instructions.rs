//! Instances that begin at given elements instead of their none start event.

use crate::data::mapping;
use crate::event::subscription;
use crate::lifecycle::{activated, enqueue_activation};
use crate::run::Run;
use crate::state::Definition;
use crate::stop::{Stepped, Stop};
use std::collections::BTreeMap;
use tidemill_bpmn::{Behavior, Element};
use tidemill_model::command::{CreateInstance, StartInstruction};
use tidemill_model::entity::{ElementInstance, Lifecycle, Scope};
use tidemill_model::{ElementIndex, ElementInstanceKey, ProcessInstanceKey, Rejection, Text};

/// Ids that a refusal names; of more it tells how many.
const IDS_TOLD_MAX: usize = 5;

/// Refuses what cannot be started. Each rule is asked of all elements before the next one, as in Camunda.
pub(super) fn check(definition: &Definition, command: &CreateInstance) -> Stepped {
    let mut elements = Vec::new();
    for instruction in &command.start {
        let id = &instruction.element_id;
        let element = definition.process.element_by_id(id);
        elements.push(element.ok_or_else(|| refused(&format!("no element found with id '{id}'.")))?);
    }
    if let Some(Element { id, .. }) = elements.iter().find(|one| is_inside_multi_instance(definition, one)) {
        return Err(refused(&format!(
            "the element with id '{id}' is inside a multi-instance subprocess. The creation of elements inside a \
             multi-instance subprocess is not supported."
        )));
    }
    if let Some(Element { id, kind, .. }) = elements.iter().find(|element| !can_start(element)) {
        return Err(refused(&format!(
            "the element with id '{id}' targets unsupported element type '{}'. Supported element types are: all but \
             processes, start events, boundary events and event subprocesses",
            kind.name()
        )));
    }
    if let Some(Element { id, .. }) = elements.iter().find(|one| follows_event_based_gateway(definition, one))
    {
        return Err(refused(&format!(
            "the element with id '{id}' belongs to an event-based gateway. The creation of elements belonging to an \
             event-based gateway is not supported."
        )));
    }
    check_ends(definition, command)
}

fn refused(why: &str) -> Stop {
    Rejection::invalid_argument(format!(
        "Expected to create instance of process with start instructions but {why}"
    ))
    .into()
}

fn can_start(element: &Element) -> bool {
    !matches!(
        element.behavior,
        Behavior::Process { .. }
            | Behavior::Start { .. }
            | Behavior::Boundary { .. }
            | Behavior::EventSubProcess { .. }
    )
}

/// The elements after which the instance ends.
fn check_ends(definition: &Definition, command: &CreateInstance) -> Stepped {
    let mut unknown: Vec<&Text> = Vec::new();
    for id in &command.terminate_after {
        if definition.process.element_by_id(id).is_none() && !unknown.contains(&id) {
            unknown.push(id);
        }
    }
    if unknown.is_empty() {
        return Ok(());
    }
    let told: Vec<String> = unknown.iter().take(IDS_TOLD_MAX).map(|id| format!("'{id}'")).collect();
    let more = match unknown.len().saturating_sub(IDS_TOLD_MAX) {
        0 => String::new(),
        more => format!(" and {more} more"),
    };
    Err(Rejection::invalid_argument(format!(
        "Expected to create instance of process with runtime instructions but no element found with id {}{more} in \
         process definition '{}'.",
        told.join(", "),
        definition.head.process_id
    ))
    .into())
}

fn is_inside_multi_instance(definition: &Definition, element: &Element) -> bool {
    scopes_around(definition, element)
        .iter()
        .any(|scope| definition.process.element(*scope).multi_instance.is_some())
}

fn follows_event_based_gateway(definition: &Definition, element: &Element) -> bool {
    element.incoming.iter().any(|flow| {
        let source = definition.process.flow(*flow).source;
        matches!(definition.process.element(source).behavior, Behavior::EventBased { .. })
    })
}

/// The scopes around an element, outermost first, without the process.
fn scopes_around(definition: &Definition, element: &Element) -> Vec<ElementIndex> {
    let mut scopes = Vec::new();
    let mut scope = element.scope;
    while let Some(index) = scope.filter(|index| *index != ElementIndex::PROCESS) {
        scopes.push(index);
        scope = definition.process.element(index).scope;
    }
    scopes.reverse();
    scopes
}

/// Starts each element in the scopes it stands in; a scope that several share is made once.
pub(super) fn start(
    run: &mut Run<'_>,
    definition: &Definition,
    instance: ProcessInstanceKey,
    instructions: &[StartInstruction],
) -> Stepped {
    arm(run, definition, instance.scope(), definition.process.root())?;
    let mut made: BTreeMap<ElementIndex, ElementInstanceKey> = BTreeMap::new();
    for instruction in instructions {
        let Some(element) = definition.process.element_by_id(&instruction.element_id) else { continue };
        let mut scope = instance.scope();
        for index in scopes_around(definition, element) {
            scope = match made.get(&index) {
                Some(key) => *key,
                None => {
                    let key = make_scope(run, definition, scope, index)?;
                    made.insert(index, key);
                    key
                }
            };
        }
        enqueue_activation(run, scope, element.index, None, None)?;
    }
    Ok(())
}

/// A subprocess that is active without its start event having run.
fn make_scope(
    run: &mut Run<'_>,
    definition: &Definition,
    parent: ElementInstanceKey,
    index: ElementIndex,
) -> Stepped<ElementInstanceKey> {
    let element = definition.process.element(index);
    let (key, origin, now) = (run.new_key(), run.origin(parent)?, run.now);
    run.scope_mut(parent)?.children += 1;
    run.insert(ElementInstance {
        key,
        origin,
        element: index,
        element_id: element.id.clone(),
        kind: element.kind,
        parent,
        state: Lifecycle::Activating,
        started_at: now,
        ended_at: None,
        scope: Scope::default(),
        loop_counter: 0,
        progress: None,
        job: None,
        user_task: None,
        called: None,
        incident: None,
        incidents_below: 0,
        payload: None,
        interrupted_by: None,
    });
    run.transition(key, Lifecycle::Activating)?;
    mapping::apply_inputs(run, key, &element.inputs)?;
    arm(run, definition, key, element)?;
    activated(run, key)?;
    Ok(key)
}

fn arm(run: &mut Run<'_>, definition: &Definition, key: ElementInstanceKey, scope: &Element) -> Stepped {
    let inside = subscription::event_sub_process_starts(definition, scope);
    let events: Vec<_> = scope.boundary_events.iter().copied().chain(inside).collect();
    subscription::open(run, key, definition, events)
}
