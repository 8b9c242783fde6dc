//! Entities with everything a test does not care about filled in.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tidemill_model::entity::*;
use tidemill_model::{
    DefinitionKey, DeploymentKey, ElementIndex, ElementInstanceKey, ElementKind, Key, PartitionId,
    ProcessInstanceKey, RawJson, TenantId, Text, Timestamp, Variables,
};

pub struct Builder {
    partition: PartitionId,
    next: AtomicU64,
}

impl Builder {
    pub fn new(partition: PartitionId, first: u64) -> Builder {
        Builder { partition, next: AtomicU64::new(first) }
    }

    pub fn key<K: From<Key>>(&self) -> K {
        Key::new(self.partition, self.next.fetch_add(1, Ordering::Relaxed)).into()
    }

    pub fn highest_key(&self) -> u64 {
        self.next.load(Ordering::Relaxed).saturating_sub(1)
    }

    pub fn definition(&self, process_id: &str, version: i32) -> ProcessDefinition {
        ProcessDefinition {
            key: self.key(),
            tenant: TenantId::default(),
            process_id: process_id.into(),
            version,
            version_tag: None,
            name: Some(format!("The {process_id}").into()),
            resource_name: format!("{process_id}.bpmn").into(),
            checksum: format!("{process_id}/{version}").into(),
            deployment: self.key(),
            deployed_at: Timestamp(1),
            has_start_form: false,
            state: DefinitionState::Active,
        }
    }

    pub fn form(&self, form_id: &str, version: i32) -> Form {
        Form {
            key: self.key(),
            tenant: TenantId::default(),
            form_id: form_id.into(),
            version,
            version_tag: None,
            resource_name: format!("{form_id}.form").into(),
            checksum: "sum".into(),
            deployment: DeploymentKey(1),
            is_deleted: false,
            schema: Arc::from("{}"),
        }
    }

    pub fn resource(&self, resource_id: &str, version: i32) -> Resource {
        Resource {
            key: self.key(),
            tenant: TenantId::default(),
            resource_id: resource_id.into(),
            version,
            version_tag: None,
            resource_name: format!("{resource_id}.rpa").into(),
            checksum: "sum".into(),
            deployment: self.key(),
            is_deleted: false,
            content: Arc::from([0, 159, 146, 150]),
        }
    }

    pub fn start_subscription(
        &self,
        definition: &ProcessDefinition,
        kind: StartEventKind,
        name: &str,
    ) -> StartSubscription {
        StartSubscription {
            key: self.key(),
            tenant: definition.tenant.clone(),
            definition: definition.key,
            process_id: definition.process_id.clone(),
            element: ElementIndex(1),
            element_id: "start".into(),
            kind,
            name: name.into(),
            updated_at: Timestamp(5),
        }
    }

    pub fn instance(&self, definition: DefinitionKey) -> ProcessInstance {
        let key = self.key();
        ProcessInstance {
            key,
            root: key,
            definition,
            tenant: TenantId::default(),
            parent: None,
            call_depth: 0,
            business_id: None,
            tags: Vec::new(),
            state: Lifecycle::Activated,
            started_at: Timestamp(100),
            ended_at: None,
            scope: Scope::default(),
            flows_taken: FlowSet::default(),
            incidents: 0,
            terminate_after: Vec::new(),
            start_lock: None,
            is_recursive: false,
            recursive_calls: 0,
        }
    }

    pub fn called(&self, definition: DefinitionKey, caller: &ElementInstance) -> ProcessInstance {
        let parent = ParentCall { instance: caller.origin.instance, element: caller.key };
        ProcessInstance {
            root: caller.origin.root,
            parent: Some(parent),
            call_depth: 1,
            ..self.instance(definition)
        }
    }

    pub fn element(&self, of: &ProcessInstance, parent: ElementInstanceKey, id: &str) -> ElementInstance {
        ElementInstance {
            key: self.key(),
            origin: origin(of),
            element: ElementIndex(2),
            element_id: id.into(),
            kind: ElementKind::ServiceTask,
            parent,
            state: Lifecycle::Activated,
            started_at: Timestamp(110),
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
        }
    }

    pub fn variable(
        &self,
        of: &ProcessInstance,
        scope: ElementInstanceKey,
        name: &str,
        json: &str,
    ) -> Variable {
        let value = RawJson::parse(json).expect("valid JSON");
        Variable { key: self.key(), origin: origin(of), scope, name: name.into(), value }
    }

    pub fn job(&self, element: &ElementInstance, job_type: &str) -> Job {
        Job {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            element: element.element,
            element_id: element.element_id.clone(),
            kind: JobKind::BpmnElement,
            job_type: job_type.into(),
            retries: 3,
            priority: 0,
            state: JobState::Waiting,
            last_event: JobEvent::Created,
            headers: None,
            lease: None,
            released: None,
            last_held: None,
            error_code: None,
            error_message: None,
            has_failed_with_retries_left: false,
            business_id: None,
            created_at: Timestamp(120),
            updated_at: Timestamp(120),
            ended_at: None,
        }
    }

    pub fn lease(&self, worker: &str, deadline: i64) -> Lease {
        Lease { key: self.key(), worker: worker.into(), deadline: Timestamp(deadline), is_exclusive: false }
    }

    pub fn user_task(&self, element: &ElementInstance) -> UserTask {
        UserTask {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            element: element.element,
            element_id: element.element_id.clone(),
            name: Some("Look at it".into()),
            state: UserTaskState::Created,
            assignee: None,
            candidate_users: Vec::new(),
            candidate_groups: Vec::new(),
            due_at: None,
            follow_up_at: None,
            priority: 50,
            form: None,
            external_form_reference: None,
            headers: None,
            business_id: None,
            tags: Vec::new(),
            action: None,
            created_at: Timestamp(130),
            ended_at: None,
        }
    }

    pub fn incident(&self, element: &ElementInstance, message: &str) -> Incident {
        Incident {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            element_id: element.element_id.clone(),
            kind: IncidentKind::JobNoRetries,
            message: message.into(),
            job: None,
            stopped_timer: None,
            state: IncidentState::Active,
            created_at: Timestamp(140),
            ended_at: None,
        }
    }

    pub fn catch_timer(&self, element: &ElementInstance, due_at: i64) -> Timer {
        Timer {
            key: self.key(),
            due_at: Timestamp(due_at),
            purpose: TimerPurpose::Catch {
                origin: element.origin.clone(),
                element_instance: element.key,
                target: ElementIndex(3),
            },
            repetitions: Some(-1),
            waits_for_clock: false,
        }
    }

    pub fn message(&self, name: &str, correlation_key: &str) -> Message {
        Message {
            key: self.key(),
            tenant: TenantId::default(),
            name: name.into(),
            correlation_key: correlation_key.into(),
            message_id: Some("id".into()),
            business_id: None,
            variables: Variables::parse(r#"{"a":1}"#).expect("valid JSON"),
            expires_at: Timestamp(9_000),
            correlated_to: vec!["p".into()],
            waits_for_busy: false,
            reply: None,
        }
    }

    pub fn box_subscription(&self, name: &str, correlation_key: &str) -> BoxSubscription {
        BoxSubscription {
            key: self.key(),
            tenant: TenantId::default(),
            message_name: name.into(),
            correlation_key: correlation_key.into(),
            business_id: None,
            process_id: "p".into(),
            instance: ProcessInstanceKey(7),
            is_interrupting: true,
            correlating: None,
            reply: None,
        }
    }

    pub fn message_subscription(
        &self,
        element: &ElementInstance,
        name: &str,
        key: &str,
    ) -> MessageSubscription {
        MessageSubscription {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            target: ElementIndex(4),
            target_id: "catch".into(),
            message_name: name.into(),
            correlation_key: key.into(),
            business_id: None,
            is_interrupting: false,
            state: SubscriptionState::Created,
            updated_at: Timestamp(150),
        }
    }

    pub fn signal_subscription(&self, element: &ElementInstance, name: &str) -> SignalSubscription {
        SignalSubscription {
            key: self.key(),
            origin: element.origin.clone(),
            element_instance: element.key,
            target: ElementIndex(5),
            signal_name: name.into(),
            is_interrupting: true,
        }
    }
}

pub(crate) fn origin(of: &ProcessInstance) -> Origin {
    Origin { instance: of.key, root: of.root, definition: of.definition, tenant: of.tenant.clone() }
}

/// Texts from literals.
pub(crate) fn texts<const N: usize>(values: [&str; N]) -> Vec<Text> {
    values.into_iter().map(Text::from).collect()
}
