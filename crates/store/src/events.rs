//! The events of an instance: what has happened in it, made from the rows that every store keeps, so that every store gives the
//! same list in the same order.

use crate::Result;
use crate::query::{Filter, Page, PageStart, Query, Results, Search, Test};
use crate::view::*;
use std::collections::HashMap;
use tidemill_model::entity::{IncidentState, InstanceState, JobEvent};
use tidemill_model::{ElementKind, ProcessInstanceKey, Text, Timestamp};

/// Rows of one kind that are read at once, and at most.
const ROWS_PER_PAGE: u32 = 1_000;
pub const EVENT_ROWS_MAX: usize = 10_000;

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum EventKind {
    InstanceStarted,
    InstanceCompleted,
    InstanceTerminated,
    ElementStarted,
    ElementCompleted,
    ElementTerminated,
    JobCreated,
    JobCompleted,
    JobFailed,
    IncidentRaised,
    IncidentResolved,
    VariableSet,
    MessageCorrelated,
    TimerFired,
}

impl EventKind {
    pub fn name(self) -> &'static str {
        match self {
            EventKind::InstanceStarted => "INSTANCE_STARTED",
            EventKind::InstanceCompleted => "INSTANCE_COMPLETED",
            EventKind::InstanceTerminated => "INSTANCE_TERMINATED",
            EventKind::ElementStarted => "ELEMENT_STARTED",
            EventKind::ElementCompleted => "ELEMENT_COMPLETED",
            EventKind::ElementTerminated => "ELEMENT_TERMINATED",
            EventKind::JobCreated => "JOB_CREATED",
            EventKind::JobCompleted => "JOB_COMPLETED",
            EventKind::JobFailed => "JOB_FAILED",
            EventKind::IncidentRaised => "INCIDENT_RAISED",
            EventKind::IncidentResolved => "INCIDENT_RESOLVED",
            EventKind::VariableSet => "VARIABLE_SET",
            EventKind::MessageCorrelated => "MESSAGE_CORRELATED",
            EventKind::TimerFired => "TIMER_FIRED",
        }
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Event {
    pub kind: EventKind,
    /// Of a variable the time of what was begun last before it: variables have no time of their own.
    pub at: Timestamp,
    /// Of the instance, element, job, incident, variable or subscription that it is about.
    pub key: i64,
    pub element_id: Option<Text>,
    /// The type of a job, the name of a variable or message, the words of an incident.
    pub detail: Option<Text>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Events {
    pub items: Vec<Event>,
    /// False if the instance has more rows than are read.
    pub is_complete: bool,
}

/// The events of an instance in their order. `is_timer` tells which elements wait for a timer.
pub async fn events(
    store: &(impl Query + ?Sized),
    instance: &ProcessInstanceView,
    is_timer: &(dyn Fn(&Text) -> bool + Send + Sync),
) -> Result<Events> {
    let rows = Rows::read(store, instance.key).await?;
    let mut placed = Vec::new();
    let last = rows.last_keys();
    let mut add = |place: Place, kind, at, key, element_id: Option<&Text>, detail: Option<Text>| {
        let event = Event { kind, at, key, element_id: element_id.cloned(), detail };
        placed.push(((at, place), event));
    };
    add(
        Place::begin(instance.key.0),
        EventKind::InstanceStarted,
        instance.started_at,
        instance.key.0,
        None,
        None,
    );
    for row in &rows.elements {
        let (key, id) = (row.key.0, Some(&row.element_id));
        let waits = is_timer(&row.element_id);
        if waits && row.kind == ElementKind::BoundaryEvent {
            add(
                Place { order: key, step: FIRST, inner: 0 },
                EventKind::TimerFired,
                row.started_at,
                key,
                id,
                None,
            );
        }
        add(Place::begin(key), EventKind::ElementStarted, row.started_at, key, id, None);
        let Some(ended_at) = row.ended_at else { continue };
        let is_complete = row.state == InstanceState::Completed;
        if waits && is_complete && row.kind == ElementKind::IntermediateCatchEvent {
            add(Place { order: key, step: MIDDLE, inner: 0 }, EventKind::TimerFired, ended_at, key, id, None);
        }
        let kind = if is_complete { EventKind::ElementCompleted } else { EventKind::ElementTerminated };
        add(Place::end(last.get(&key).copied().unwrap_or(key), key), kind, ended_at, key, id, None);
    }
    for row in &rows.jobs {
        let (key, id) = (row.key.0, Some(&row.element_id));
        add(Place::begin(key), EventKind::JobCreated, row.created_at, key, id, Some(row.job_type.clone()));
        let ending = match row.state {
            JobEvent::Completed => Some(EventKind::JobCompleted),
            JobEvent::Failed | JobEvent::ErrorThrown => Some(EventKind::JobFailed),
            _ => None,
        };
        if let Some(kind) = ending {
            let (at, detail) = (row.ended_at.unwrap_or(row.updated_at), row.error_message.clone());
            add(Place { order: key, step: LATE, inner: 0 }, kind, at, key, id, detail);
        }
    }
    for row in &rows.incidents {
        let (key, id) = (row.key.0, Some(&row.element_id));
        let words = Some(Text::from(row.message.as_str()));
        add(Place::begin(key), EventKind::IncidentRaised, row.created_at, key, id, words);
        if let (IncidentState::Resolved, Some(at)) = (row.state, row.ended_at) {
            add(Place { order: key, step: LATE, inner: 0 }, EventKind::IncidentResolved, at, key, id, None);
        }
    }
    for row in &rows.correlations {
        let key = row.subscription.0;
        let (id, name) = (Some(&row.element_id), Some(row.message_name.clone()));
        let place = Place { order: key, step: MIDDLE, inner: row.message.0 };
        add(place, EventKind::MessageCorrelated, row.correlated_at, key, id, name);
    }
    let begun = rows.begun();
    for row in &rows.variables {
        let before = begun.partition_point(|(key, _)| *key < row.key.0);
        let at = begun[..before].last().map_or(instance.started_at, |(_, at)| *at);
        add(Place::begin(row.key.0), EventKind::VariableSet, at, row.key.0, None, Some(row.name.clone()));
    }
    if let Some(at) = instance.ended_at {
        let is_complete = instance.state == InstanceState::Completed;
        let kind = if is_complete { EventKind::InstanceCompleted } else { EventKind::InstanceTerminated };
        add(Place::end(i64::MAX, instance.key.0), kind, at, instance.key.0, None, None);
    }
    placed.sort_by(|(a, one), (b, other)| (a, one.kind).cmp(&(b, other.kind)));
    Ok(Events { items: placed.into_iter().map(|(_, event)| event).collect(), is_complete: rows.is_complete })
}

/// The place of an event among those of one millisecond. Keys rise, so what begins is in the order of keys; what ends comes
/// behind everything that was begun within it, the inner before the outer.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    order: i64,
    step: u8,
    inner: i64,
}

const FIRST: u8 = 0;
const BEGIN: u8 = 1;
const MIDDLE: u8 = 2;
const LATE: u8 = 3;
const END: u8 = 4;

impl Place {
    fn begin(key: i64) -> Place {
        Place { order: key, step: BEGIN, inner: 0 }
    }

    fn end(last_within: i64, key: i64) -> Place {
        Place { order: last_within, step: END, inner: -key }
    }
}

/// Everything that belongs to one instance, by key.
struct Rows {
    elements: Vec<ElementInstanceView>,
    jobs: Vec<JobView>,
    incidents: Vec<IncidentView>,
    variables: Vec<VariableView>,
    correlations: Vec<CorrelationView>,
    is_complete: bool,
}

/// Reads all pages of a search, up to the limit.
macro_rules! all_pages {
    ($store:ident.$search:ident($field:ty, $by:expr, $instance:expr), $is_complete:ident) => {{
        let mut items = Vec::new();
        let mut start = PageStart::Offset(0);
        loop {
            let filter = Filter::<$field>::default().is($by, Test::eq($instance.key()));
            let page = Page { limit: ROWS_PER_PAGE, start };
            let found: Results<_> = $store.$search(&Search::of(filter).page(page).brief()).await?;
            let is_last = found.items.len() < ROWS_PER_PAGE as usize;
            items.extend(found.items);
            match found.end_cursor {
                _ if is_last => break,
                Some(cursor) if items.len() < EVENT_ROWS_MAX => start = PageStart::After(cursor),
                _ => {
                    $is_complete = false;
                    break;
                }
            }
        }
        items
    }};
}

impl Rows {
    async fn read(store: &(impl Query + ?Sized), instance: ProcessInstanceKey) -> Result<Rows> {
        let mut is_complete = true;
        let elements = all_pages!(
            store.element_instances(ElementInstanceField, ElementInstanceField::ProcessInstance, instance),
            is_complete
        );
        let jobs = all_pages!(store.jobs(JobField, JobField::ProcessInstance, instance), is_complete);
        let incidents =
            all_pages!(store.incidents(IncidentField, IncidentField::ProcessInstance, instance), is_complete);
        let variables =
            all_pages!(store.variables(VariableField, VariableField::ProcessInstance, instance), is_complete);
        let correlations = all_pages!(
            store.message_correlations(CorrelationField, CorrelationField::ProcessInstance, instance),
            is_complete
        );
        Ok(Rows { elements, jobs, incidents, variables, correlations, is_complete })
    }

    /// The highest key of what was begun within each element, itself included.
    fn last_keys(&self) -> HashMap<i64, i64> {
        let mut last: HashMap<i64, i64> = self.elements.iter().map(|row| (row.key.0, row.key.0)).collect();
        let mut note = |element: i64, key: i64| {
            if let Some(known) = last.get_mut(&element) {
                *known = (*known).max(key);
            }
        };
        self.jobs.iter().for_each(|row| note(row.element_instance.0, row.key.0));
        self.incidents.iter().for_each(|row| note(row.element_instance.0, row.key.0));
        self.variables.iter().for_each(|row| note(row.scope.0, row.key.0));
        // Inner elements have higher keys, so the innermost come first.
        let mut elements: Vec<&ElementInstanceView> = self.elements.iter().collect();
        elements.sort_by_key(|row| std::cmp::Reverse(row.key));
        for row in elements {
            let key = last[&row.key.0];
            if let Some(around) = last.get_mut(&row.parent.0) {
                *around = (*around).max(key);
            }
        }
        last
    }

    /// When each row with a time of its own was begun, by key.
    fn begun(&self) -> Vec<(i64, Timestamp)> {
        let elements = self.elements.iter().map(|row| (row.key.0, row.started_at));
        let jobs = self.jobs.iter().map(|row| (row.key.0, row.created_at));
        let mut begun: Vec<_> = elements.chain(jobs).collect();
        begun.sort_unstable();
        begun
    }
}
