//! Instances, whole or, if they are large, piece by piece.

use crate::rows::{Tabled, Tables};
use crate::{INSTANCE_ENTITIES_MAX, Loaded};
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::{Timer, TimerPurpose};
use tidemill_model::{
    Belonging, ElementInstanceKey, Entity, EntityKey, Key, ProcessInstanceKey, Stored, for_each_kind,
};

/// Where a request leads: an instance, and the element that it is about.
#[derive(Clone, Copy)]
pub(super) struct Place {
    instance: ProcessInstanceKey,
    element: ElementInstanceKey,
}

impl Place {
    /// Where the row with this key belongs, if it is there and belongs to an element.
    pub(super) fn of_row<R: Tabled>(live: &Tables, key: Key) -> Option<Place> {
        // This goes through the whole table, because some kinds have another id than their key. Tables in memory are small.
        let row = R::table(live).values().find(|row| row.key().numbers().0 == key.0)?;
        let Belonging { instance, element } = row.belongs_to()?;
        Some(Place { instance, element: element? })
    }

    pub(super) fn of_instance(instance: ProcessInstanceKey) -> Place {
        Place { instance, element: instance.scope() }
    }

    /// A scope that is no element can only be an instance's own.
    pub(super) fn of_element(live: &Tables, element: ElementInstanceKey) -> Place {
        let instance = live.element_instances.get(&element).map(|row| row.origin.instance);
        Place { instance: instance.unwrap_or(ProcessInstanceKey(element.0)), element }
    }
}

pub(super) fn around(live: &Tables, place: Place) -> Loaded {
    let Some(instance) = live.process_instances.get(&place.instance) else { return Loaded::default() };
    let is_large = is_large(live, place.instance);
    let mut entities = vec![Entity::from(instance.clone())];
    if is_large {
        entities.extend(live.element_instances.get(&place.element).cloned().map(Entity::from));
        append_belongings(live, place, &mut entities);
    } else {
        append_all(live, place.instance, &mut entities);
    }
    Loaded { instance: Some(place.instance), entities, is_large, has_more: false }
}

/// The kinds of rows that an instance can have any number of. The same kinds count in the SQL stores, or simulations would never see
/// instances that are loaded in pieces.
fn is_large(live: &Tables, instance: ProcessInstanceKey) -> bool {
    let elements = live.element_instances.values().filter(|row| row.origin.instance == instance).count();
    let variables = live.variables.values().filter(|row| row.origin.instance == instance).count();
    let outputs = live.loop_outputs.values().filter(|row| row.origin.instance == instance).count();
    elements + variables + outputs > INSTANCE_ENTITIES_MAX
}

fn append_all(live: &Tables, instance: ProcessInstanceKey, entities: &mut Vec<Entity>) {
    let is_of_instance = |belonging: Option<Belonging>| belonging.is_some_and(|it| it.instance == instance);
    for_each_kind!(R => append(R::table(live), |row| is_of_instance(Stored::belongs_to(row)), entities));
}

/// Loads the rows that belong to one scope directly. The element itself is not among them. The back-off timer of a job comes with the
/// element of the job.
fn append_belongings(live: &Tables, place: Place, entities: &mut Vec<Entity>) {
    let element = Some(place.element);
    let is_of_element = |belonging: Option<Belonging>| belonging.is_some_and(|it| it.element == element);
    for_each_kind!(R => append(R::table(live), |row| is_of_element(Stored::belongs_to(row)), entities));
    let is_of_job = |timer: &Timer| match &timer.purpose {
        TimerPurpose::JobBackoff { job, .. } => {
            live.jobs.get(job).is_some_and(|job| Some(job.element_instance) == element)
        }
        _ => false,
    };
    append(&live.timers, is_of_job, entities);
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
    let behind = live.element_instances.values().filter(|row| row.parent == scope && Some(row.key) > after);
    // One more than asked for tells whether there are more.
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

pub(super) fn loop_outputs(live: &Tables, body: ElementInstanceKey) -> Loaded {
    let instance = Place::of_element(live, body).instance;
    let mut entities = Vec::new();
    append(&live.loop_outputs, |row| row.body == body, &mut entities);
    Loaded { instance: Some(instance), entities, ..Loaded::default() }
}
