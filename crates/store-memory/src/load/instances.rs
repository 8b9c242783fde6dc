//! Instances, whole or, if they are large, piece by piece.

use super::lists::cut;
use crate::tables::Tables;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{Origin, Timer, TimerPurpose};
use tidemill_model::{ElementInstanceKey, Entity, ProcessInstanceKey};
use tidemill_store::{INSTANCE_ENTITIES_MAX, Loaded};

/// Where a request leads: an instance, and the element that it is about.
#[derive(Clone, Copy)]
pub(super) struct Place {
    instance: ProcessInstanceKey,
    element: ElementInstanceKey,
}

impl Place {
    pub(super) fn new(origin: &Origin, element: ElementInstanceKey) -> Place {
        Place { instance: origin.instance, element }
    }

    pub(super) fn of_instance(instance: ProcessInstanceKey) -> Place {
        Place { instance, element: instance.scope() }
    }

    /// A scope that is no element can only be an instance's own.
    pub(super) fn of_element(live: &Tables, element: ElementInstanceKey) -> Place {
        let instance = live.elements.get(&element.0).map(|row| row.origin.instance);
        Place { instance: instance.unwrap_or(ProcessInstanceKey(element.0)), element }
    }
}

pub(super) fn around(live: &Tables, place: Place) -> Loaded {
    let Some(instance) = live.instances.get(&place.instance.0) else { return Loaded::default() };
    let is_large = is_large(live, place.instance);
    let mut entities = vec![Entity::from(instance.clone())];
    if is_large {
        entities.extend(live.elements.get(&place.element.0).cloned().map(Entity::from));
        append_belongings(live, place, &mut entities);
    } else {
        append_all(live, place.instance, &mut entities);
    }
    Loaded { instance: Some(place.instance), entities, is_large, has_more: false }
}

fn is_large(live: &Tables, instance: ProcessInstanceKey) -> bool {
    let elements = live.elements.values().filter(|row| row.origin.instance == instance).count();
    let variables = live.variables.values().filter(|row| row.origin.instance == instance).count();
    let outputs = live.loop_outputs.values().filter(|row| row.origin.instance == instance).count();
    elements + variables + outputs > INSTANCE_ENTITIES_MAX
}

fn append_all(live: &Tables, instance: ProcessInstanceKey, entities: &mut Vec<Entity>) {
    append(&live.elements, |row| row.origin.instance == instance, entities);
    append(&live.variables, |row| row.origin.instance == instance, entities);
    append(&live.jobs, |row| row.origin.instance == instance, entities);
    append(&live.user_tasks, |row| row.origin.instance == instance, entities);
    append(&live.incidents, |row| row.origin.instance == instance, entities);
    append(&live.timers, |row| origin_of(row).is_some_and(|origin| origin.instance == instance), entities);
    append(&live.message_subscriptions, |row| row.origin.instance == instance, entities);
    append(&live.signal_subscriptions, |row| row.origin.instance == instance, entities);
    append(&live.loop_inputs, |row| row.origin.instance == instance, entities);
    append(&live.loop_outputs, |row| row.origin.instance == instance, entities);
}

/// What belongs to one scope directly; the element itself is not among it.
fn append_belongings(live: &Tables, place: Place, entities: &mut Vec<Entity>) {
    let element = place.element;
    append(&live.variables, |row| row.scope == element, entities);
    append(&live.jobs, |row| row.element_instance == element, entities);
    append(&live.user_tasks, |row| row.element_instance == element, entities);
    append(&live.incidents, |row| row.element_instance == element, entities);
    let is_of_element = |timer: &Timer| match &timer.purpose {
        TimerPurpose::Catch { element_instance, .. } => *element_instance == element,
        TimerPurpose::JobBackoff { job, .. } => {
            live.jobs.get(&job.0).is_some_and(|job| job.element_instance == element)
        }
        TimerPurpose::Start { .. } | TimerPurpose::MessageExpiry { .. } => false,
    };
    append(&live.timers, is_of_element, entities);
    append(&live.message_subscriptions, |row| row.element_instance == element, entities);
    append(&live.signal_subscriptions, |row| row.element_instance == element, entities);
    append(&live.loop_inputs, |row| row.body == element, entities);
}

fn origin_of(timer: &Timer) -> Option<&Origin> {
    match &timer.purpose {
        TimerPurpose::Catch { origin, .. } | TimerPurpose::JobBackoff { origin, .. } => Some(origin),
        TimerPurpose::Start { .. } | TimerPurpose::MessageExpiry { .. } => None,
    }
}

/// All rows of a table that are meant, in its order.
pub(super) fn append<I, E>(
    table: &BTreeMap<I, Arc<E>>,
    is_meant: impl Fn(&E) -> bool,
    entities: &mut Vec<Entity>,
) where
    Entity: From<Arc<E>>,
{
    entities.extend(table.values().filter(|row| is_meant(row)).cloned().map(Entity::from));
}

pub(super) fn children(
    live: &Tables,
    scope: ElementInstanceKey,
    after: Option<ElementInstanceKey>,
    limit: u32,
) -> Loaded {
    let instance = Place::of_element(live, scope).instance;
    let behind = live.elements.values().filter(|row| row.parent == scope && Some(row.key) > after);
    let mut found: Vec<_> = behind.take(limit as usize + 1).collect();
    let has_more = found.len() > limit as usize;
    found.truncate(limit as usize);
    let mut entities = Vec::new();
    for child in found {
        entities.push(child.clone().into());
        append_belongings(live, Place { instance, element: child.key }, &mut entities);
    }
    Loaded { instance: Some(instance), entities, is_large: false, has_more }
}

pub(super) fn loop_outputs(live: &Tables, body: ElementInstanceKey, after: u32, limit: u32) -> Loaded {
    let instance = Place::of_element(live, body).instance;
    let mut entities = Vec::new();
    append(&live.loop_outputs, |row| row.body == body && row.loop_counter > after, &mut entities);
    Loaded { instance: Some(instance), ..cut(entities, limit) }
}
