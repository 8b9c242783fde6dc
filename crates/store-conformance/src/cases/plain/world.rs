//! Random rows that fit together as those of an engine do: what belongs to an ended instance has ended, and every
//! definition is there.

use crate::Builder;
use crate::build::origin;
use crate::cases::{end, put};
use tidemill_model::dice::Dice;
use tidemill_model::entity::*;
use tidemill_model::{Change, ElementInstanceKey, ProcessInstanceKey, RawJson, TenantId, Text, Timestamp};

/// With everything that means something in a pattern, and characters of several bytes.
pub(super) const TEXTS: [&str; 16] = [
    "a", "A", "ab", "abc", "a*b", "a?b", "a[b]", "a\\b", "\\", "100%", "a_b", "é", "€uro", "\"q'", " ",
    "task",
];

const INSTANCES: usize = 24;

pub(super) struct World {
    pub(super) batches: Vec<Vec<Change>>,
    pub(super) definitions: Vec<ProcessDefinition>,
    pub(super) instances: Vec<ProcessInstanceKey>,
    pub(super) elements: Vec<ElementInstanceKey>,
}

/// Of a variable: few, so that filters meet them.
pub(super) fn name(dice: &mut Dice) -> Text {
    ["x", "y", "total"][dice.below(3) as usize].into()
}

impl World {
    pub(super) fn new(make: &Builder, dice: &mut Dice, seed: u64) -> World {
        let mut maker = Maker { make, dice, changes: Vec::new(), callers: Vec::new() };
        let definitions = maker.definitions(seed);
        let (mut instances, mut elements) = (Vec::new(), Vec::new());
        let mut batches = vec![std::mem::take(&mut maker.changes)];
        for _ in 0..INSTANCES {
            let definition = &definitions[maker.dice.below(definitions.len() as u64) as usize];
            let (instance, inside) = maker.instance(definition);
            instances.push(instance);
            elements.extend(inside);
            batches.push(std::mem::take(&mut maker.changes));
        }
        World { batches, definitions, instances, elements }
    }
}

struct Maker<'m> {
    make: &'m Builder,
    dice: &'m mut Dice,
    changes: Vec<Change>,
    /// Elements that an instance may have been called from.
    callers: Vec<ElementInstance>,
}

impl Maker<'_> {
    fn is(&mut self, one_in: u64) -> bool {
        self.dice.below(one_in) == 0
    }

    fn text(&mut self) -> Text {
        TEXTS[self.dice.below(TEXTS.len() as u64) as usize].into()
    }

    fn maybe_text(&mut self) -> Option<Text> {
        if self.is(3) { None } else { Some(self.text()) }
    }

    fn texts(&mut self) -> Vec<Text> {
        (0..self.dice.below(3)).map(|_| self.text()).collect()
    }

    fn time(&mut self) -> Timestamp {
        Timestamp(self.dice.below(8) as i64)
    }

    fn tenant(&mut self) -> TenantId {
        if self.is(3) { TenantId("t".into()) } else { TenantId::default() }
    }

    /// Several versions of a few processes, and other things that are deployed.
    fn definitions(&mut self, seed: u64) -> Vec<ProcessDefinition> {
        let mut definitions = Vec::new();
        for n in 0..9 {
            let definition = ProcessDefinition {
                tenant: self.tenant(),
                name: self.maybe_text(),
                version_tag: self.maybe_text(),
                has_start_form: self.is(2),
                state: if self.is(4) { DefinitionState::Deleted } else { DefinitionState::Active },
                ..self.make.definition(&format!("process {seed}.{}", n % 3), 1 + n)
            };
            for kind in [StartEventKind::Message, StartEventKind::Signal] {
                let start = self.make.start_subscription(&definition, kind, TEXTS[n as usize]);
                self.changes.push(put(&start));
            }
            let resource = Resource {
                tenant: definition.tenant.clone(),
                version_tag: self.maybe_text(),
                is_deleted: self.is(4),
                ..self.make.resource(&format!("resource {seed}.{}", n % 2), 1 + n)
            };
            self.changes.extend([put(&definition), put(&resource)]);
            definitions.push(definition);
        }
        definitions
    }

    fn instance(&mut self, definition: &ProcessDefinition) -> (ProcessInstanceKey, Vec<ElementInstanceKey>) {
        let has_ended = self.is(2);
        let caller = self.callers.pop().filter(|_| self.dice.below(2) == 0);
        let fresh = match &caller {
            Some(caller) => self.make.called(definition.key, caller),
            None => self.make.instance(definition.key),
        };
        let instance = ProcessInstance {
            tenant: definition.tenant.clone(),
            business_id: self.maybe_text(),
            tags: self.texts(),
            started_at: self.time(),
            incidents: self.dice.below(2) as u32,
            state: self.lifecycle(has_ended),
            ended_at: has_ended.then(|| self.time()),
            ..fresh
        };
        self.store(&instance, has_ended);
        let mut inside: Vec<ElementInstance> = Vec::new();
        for _ in 0..1 + self.dice.below(4) {
            let parent = match inside.last() {
                Some(last) if self.dice.below(3) == 0 => last.key,
                _ => instance.key.scope(),
            };
            let element = self.element(&instance, parent, has_ended);
            inside.push(element);
        }
        self.variables(&instance, instance.key.scope(), has_ended);
        if !has_ended {
            self.callers.extend(inside.first().cloned());
        }
        (instance.key, inside.iter().map(|element| element.key).collect())
    }

    fn lifecycle(&mut self, has_ended: bool) -> Lifecycle {
        match (has_ended, self.is(2)) {
            (false, _) => Lifecycle::Activated,
            (true, true) => Lifecycle::Completed,
            (true, false) => Lifecycle::Terminated,
        }
    }

    /// Of an instance that has ended, every element has; of one that lives, some have.
    fn element(
        &mut self,
        instance: &ProcessInstance,
        parent: ElementInstanceKey,
        instance_has_ended: bool,
    ) -> ElementInstance {
        let has_ended = instance_has_ended || self.is(3);
        let id = self.text();
        let element = ElementInstance {
            state: self.lifecycle(has_ended),
            started_at: self.time(),
            ended_at: has_ended.then(|| self.time()),
            incident: if self.is(3) { Some(self.make.key()) } else { None },
            ..self.make.element(instance, parent, &id)
        };
        self.store(&element, has_ended);
        self.variables(instance, element.key, has_ended);
        self.work(&element, has_ended);
        self.messages(instance, &element, has_ended);
        element
    }

    fn variables(&mut self, instance: &ProcessInstance, scope: ElementInstanceKey, has_ended: bool) {
        for name in ["x", "y"] {
            if self.is(2) {
                let value = if self.is(12) { "long ".repeat(1_700) } else { self.text().to_string() };
                let variable = Variable {
                    value: RawJson::new(value),
                    ..self.make.variable(instance, scope, name, "null")
                };
                self.store(&variable, has_ended);
            }
        }
    }

    fn work(&mut self, element: &ElementInstance, has_ended: bool) {
        let is_failed = self.is(2);
        let job_type = self.text();
        let job = Job {
            lease: if self.is(2) { Some(self.lease()) } else { None },
            retries: self.dice.below(4) as i32,
            priority: self.dice.below(5) as i32 - 2,
            last_event: match (has_ended, is_failed) {
                (true, true) => JobEvent::Canceled,
                (true, false) => JobEvent::Completed,
                (false, true) => JobEvent::Failed,
                (false, false) => JobEvent::Created,
            },
            has_failed_with_retries_left: is_failed,
            error_code: self.maybe_text(),
            error_message: self.maybe_text(),
            business_id: self.maybe_text(),
            created_at: self.time(),
            updated_at: self.time(),
            ended_at: has_ended.then(|| self.time()),
            ..self.make.job(element, &job_type)
        };
        self.store(&job, has_ended);
        if self.is(2) {
            let lease = self.lease();
            let released = if self.is(3) { vec![job.key] } else { Vec::new() };
            self.changes.push(put(&JobLease { lease, jobs: vec![job.key], released }));
        }
        let task = UserTask {
            name: self.maybe_text(),
            state: if has_ended { UserTaskState::Completed } else { UserTaskState::Created },
            assignee: self.maybe_text(),
            candidate_users: self.texts(),
            candidate_groups: self.texts(),
            due_at: if self.is(2) { Some(self.time()) } else { None },
            follow_up_at: if self.is(2) { Some(self.time()) } else { None },
            priority: self.dice.below(4) as i32,
            business_id: self.maybe_text(),
            tags: self.texts(),
            created_at: self.time(),
            ended_at: has_ended.then(|| self.time()),
            ..self.make.user_task(element)
        };
        self.store(&task, has_ended);
    }

    fn lease(&mut self) -> Lease {
        let (worker, deadline) = (self.text(), self.time());
        self.make.lease(&worker, deadline.0)
    }

    fn messages(&mut self, instance: &ProcessInstance, element: &ElementInstance, has_ended: bool) {
        let (message, other) = (self.text(), self.text());
        let incident = Incident {
            job: if self.is(2) { Some(self.make.key()) } else { None },
            state: if has_ended { IncidentState::Resolved } else { IncidentState::Active },
            created_at: self.time(),
            ended_at: has_ended.then(|| self.time()),
            ..self.make.incident(element, &message)
        };
        self.store(&incident, has_ended);
        let subscription = MessageSubscription {
            business_id: self.maybe_text(),
            state: if has_ended { SubscriptionState::Deleted } else { SubscriptionState::Created },
            updated_at: self.time(),
            ..self.make.message_subscription(element, &message, &other)
        };
        self.store(&subscription, has_ended);
        for _ in 0..self.dice.below(3) {
            let correlation = MessageCorrelation {
                subscription: subscription.key,
                message: self.make.key(),
                origin: origin(instance),
                element_instance: if self.is(3) { None } else { Some(element.key) },
                element_id: self.text(),
                message_name: message.clone(),
                correlation_key: self.text(),
                business_id: self.maybe_text(),
                correlated_at: self.time(),
            };
            self.changes.push(end(&correlation, false));
        }
    }

    fn store<E>(&mut self, entity: &E, has_ended: bool)
    where
        E: Clone,
        std::sync::Arc<E>: Into<tidemill_model::Entity>,
    {
        self.changes.push(if has_ended { end(entity, false) } else { put(entity) });
    }
}
