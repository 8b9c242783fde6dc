//! Expectations of a scenario. If one is not met, the whole record log is shown.

use super::harness::Harness;
use std::fmt::Write;
use tidemill_model::entity::Lifecycle;
use tidemill_model::{ElementIntent, Entity, Event, ProcessInstanceKey};

impl Harness {
    /// The compact record log, one line a record.
    pub fn log(&self) -> String {
        let mut log = String::new();
        for record in &self.records {
            let _ = writeln!(log, "{record}");
        }
        log
    }

    /// The log without keys and kinds: `task Activated`, `flow f1`, `job pay Created`, ...
    pub fn brief(&self) -> Vec<String> {
        self.records
            .iter()
            .map(|record| match &record.event {
                Event::Element { id, intent, .. } => format!("{id} {intent:?}"),
                Event::FlowTaken { id } => format!("flow {id}"),
                Event::VariableCreated { name, value, .. } => format!("{name} := {value}"),
                Event::VariableUpdated { name, value, .. } => format!("{name} = {value}"),
                Event::Job { job_type, event, .. } => format!("job {job_type} {event:?}"),
                Event::JobActivated { job_type, .. } => format!("job {job_type} Activated"),
                Event::UserTask { element_id, state } => format!("user task {element_id} {state:?}"),
                Event::IncidentCreated { element_id, kind, .. } => {
                    format!("incident {element_id} {}", kind.name())
                }
                Event::IncidentResolved { element_id, .. } => format!("resolved {element_id}"),
                Event::TimerCreated { target_id, .. } => format!("timer {target_id} Created"),
                Event::TimerTriggered { target_id } => format!("timer {target_id} Triggered"),
                Event::TimerCanceled { target_id } => format!("timer {target_id} Canceled"),
                Event::MessagePublished { name, .. } => format!("message {name} Published"),
                Event::MessageExpired { name, .. } => format!("message {name} Expired"),
                Event::SubscriptionCreated { name, .. } => format!("subscription {name} Created"),
                Event::SubscriptionCorrelated { name, .. } => format!("subscription {name} Correlated"),
                Event::SubscriptionDeleted { name, .. } => format!("subscription {name} Deleted"),
                Event::SignalBroadcast { name } => format!("signal {name} Broadcast"),
                Event::SignalSubscriptionCreated { name } => format!("signal {name} Subscribed"),
                Event::SignalSubscriptionDeleted { name } => format!("signal {name} Unsubscribed"),
                Event::ErrorThrown { code, .. } => format!("error {code}"),
                Event::EscalationThrown { code, .. } => format!("escalation {code}"),
                Event::Deployed { resource_id, version } => format!("deployed {resource_id} v{version}"),
                Event::ResourceDeleted { resource_id, version } => {
                    format!("deleted {resource_id} v{version}")
                }
                Event::Rejected { intent, rejection } => {
                    format!("{intent} rejected {}", rejection.code.name())
                }
            })
            .collect()
    }

    /// These happened in this order, with anything in between.
    #[track_caller]
    pub fn expect(&self, expected: &[&str]) {
        let brief = self.brief();
        let mut at = 0;
        for line in expected {
            match brief[at..].iter().position(|happened| happened == line) {
                Some(found) => at += found + 1,
                None => panic!("expected '{line}' after line {at} of\n{}", self.log()),
            }
        }
    }

    /// Exactly these happened, among the lines that begin with one of the prefixes.
    #[track_caller]
    pub fn expect_exactly(&self, prefixes: &[&str], expected: &[&str]) {
        let brief = self.brief();
        let happened: Vec<_> =
            brief.iter().filter(|line| prefixes.iter().any(|prefix| line.starts_with(prefix))).collect();
        assert_eq!(happened, expected, "\n{}", self.log());
    }

    #[track_caller]
    pub fn expect_never(&self, unexpected: &str) {
        assert!(!self.brief().iter().any(|line| line == unexpected), "'{unexpected}' in\n{}", self.log());
    }

    pub fn count(&self, line: &str) -> usize {
        self.brief().iter().filter(|happened| *happened == line).count()
    }

    /// The instance has completed and nothing of it is left in the live state.
    #[track_caller]
    pub fn expect_completed(&self, instance: ProcessInstanceKey) {
        self.expect_end(instance, ElementIntent::Completed);
    }

    #[track_caller]
    pub fn expect_terminated(&self, instance: ProcessInstanceKey) {
        self.expect_end(instance, ElementIntent::Terminated);
    }

    #[track_caller]
    fn expect_end(&self, instance: ProcessInstanceKey, end: ElementIntent) {
        let has_ended = self.records.iter().any(|record| {
            record.key == instance.key()
                && matches!(&record.event, Event::Element { intent, .. } if *intent == end)
        });
        assert!(has_ended, "{instance} should be {end:?}\n{}", self.log());
    }

    /// No live entity but definitions.
    #[track_caller]
    pub fn expect_nothing_left(&self) {
        let left = self.store.left_behind();
        assert!(left.is_empty(), "left behind: {left:#?}\n{}", self.log());
    }

    /// The value of a variable of the process scope, living or ended.
    pub fn variable(&self, instance: ProcessInstanceKey, name: &str) -> Option<String> {
        let ended = self.store.ended.iter().cloned();
        self.store.live().chain(ended).find_map(|entity| match entity {
            Entity::Variable(variable) if variable.scope == instance.scope() && variable.name == name => {
                Some(variable.value.to_string())
            }
            _ => None,
        })
    }

    pub fn is_active(&self, id: &str) -> bool {
        self.store.live().any(|entity| {
            matches!(entity, Entity::ElementInstance(e)
                if e.element_id == id && e.state == Lifecycle::Activated)
        })
    }
}
