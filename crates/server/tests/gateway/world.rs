//! A store with one of everything, and a gateway before it.

use crate::harness::{Answered, Fixture, ToldBroker};
use serde_json::Value;
use std::sync::Arc;
use tempfile::TempDir;
use tidemill_model::entity::*;
use tidemill_model::*;
use tidemill_server::gateway::schema::answer_misfit;
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tidemill_store_conformance::Session;
use tidemill_store_sqlite::{Options, SqliteStore};

pub(crate) const XML: &str = r#"<?xml version="1.0" encoding="UTF-8"?>
<bpmn:definitions xmlns:bpmn="http://www.omg.org/spec/BPMN/20100524/MODEL"
    xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <bpmn:process id="order" name="The order" isExecutable="true">
    <bpmn:startEvent id="start">
      <bpmn:extensionElements><zeebe:formDefinition formId="ask"/></bpmn:extensionElements>
    </bpmn:startEvent>
    <bpmn:sequenceFlow id="to-pay" sourceRef="start" targetRef="pay"/>
    <bpmn:serviceTask id="pay" name="Take the money">
      <bpmn:extensionElements><zeebe:taskDefinition type="pay"/></bpmn:extensionElements>
    </bpmn:serviceTask>
    <bpmn:sequenceFlow id="to-end" sourceRef="pay" targetRef="end"/>
    <bpmn:endEvent id="end"/>
  </bpmn:process>
</bpmn:definitions>"#;

pub(crate) struct World {
    pub(crate) fixture: Fixture,
    pub(crate) session: Session,
    pub(crate) definition: ProcessDefinition,
    pub(crate) instance: ProcessInstance,
    pub(crate) element: ElementInstance,
    pub(crate) task: UserTask,
    pub(crate) form: Form,
    pub(crate) resource: Resource,
    pub(crate) incident: Incident,
    pub(crate) variable: Variable,
    _directory: TempDir,
}

/// Only the definition and one running instance of it.
async fn bare() -> World {
    let directory = tempfile::tempdir().expect("a directory");
    let store = SqliteStore::open(&Options::new(directory.path().join("store.db"))).expect("opens");
    let session = Session::take(Arc::new(store), PartitionId::FIRST).await;
    let broker = Arc::new(ToldBroker::default());
    let store = session.store.clone();
    let router = Gateway::new(broker.clone(), store.clone(), store, GatewayConfig::default()).router();
    let make = &session.make;
    let definition = ProcessDefinition { has_start_form: true, ..make.definition("order", 1) };
    let process = tidemill_bpmn::read(XML).expect("a good model").processes.remove(0);
    broker.processes.lock().expect("free").insert(definition.key, Arc::new(process));
    let mut instance = make.instance(definition.key);
    instance.tags = vec!["fast".into()];
    instance.flows_taken.insert(FlowIndex(0));
    let mut element = make.element(&instance, instance.key.scope(), "pay");
    let incident = make.incident(&element, "no money");
    element.incident = Some(incident.key);
    instance.incidents = 1;
    let form = make.form("ask", 1);
    let task = UserTask { form: Some(form.key), ..make.user_task(&element) };
    let resource = make.resource("robot", 1);
    let variable = make.variable(&instance, instance.key.scope(), "amount", "\"abc\"");
    let fixture = Fixture { broker, router };
    World {
        fixture,
        definition,
        instance,
        element,
        task,
        form,
        resource,
        incident,
        variable,
        session,
        _directory: directory,
    }
}

impl World {
    /// One of everything.
    pub(crate) async fn full() -> World {
        let world = bare().await;
        let World { session, definition, instance, element, .. } = &world;
        let make = &session.make;
        let lease = Some(make.lease("w", 5000));
        let job = Job { lease, ..make.job(element, "pay") };
        let subscription = make.message_subscription(element, "paid", "o-1");
        let correlation = MessageCorrelation {
            subscription: subscription.key,
            message: make.key(),
            origin: element.origin.clone(),
            element_instance: Some(element.key),
            element_id: "pay".into(),
            message_name: "paid".into(),
            correlation_key: "o-1".into(),
            business_id: None,
            correlated_at: Timestamp(160),
        };
        let xml = ProcessXml { definition: definition.key, xml: XML.into() };
        let mut entities: Vec<Entity> = vec![
            Arc::new(definition.clone()).into(),
            Arc::new(xml).into(),
            Arc::new(instance.clone()).into(),
            Arc::new(element.clone()).into(),
            Arc::new(job).into(),
            Arc::new(subscription).into(),
            Arc::new(correlation).into(),
            Arc::new(make.start_subscription(definition, StartEventKind::Message, "go")).into(),
        ];
        entities.extend([
            Entity::from(Arc::new(world.task.clone())),
            Arc::new(world.form.clone()).into(),
            Arc::new(world.resource.clone()).into(),
            Arc::new(world.incident.clone()).into(),
            Arc::new(world.variable.clone()).into(),
        ]);
        session.put(entities).await;
        world
    }

    pub(crate) async fn put<E>(&self, entities: impl IntoIterator<Item = E>)
    where
        Arc<E>: Into<Entity>,
    {
        self.session.put(entities.into_iter().map(Arc::new)).await;
    }

    /// An answer that must be there and have its shape.
    pub(crate) async fn read(&self, operation: &str, path: &str) -> Value {
        shaped(operation, path, &self.fixture.get(path).await)
    }

    /// A search whose answer must have its shape.
    pub(crate) async fn search(&self, operation: &str, path: &str, body: Value) -> Value {
        shaped(operation, path, &self.fixture.post(path, body).await)
    }
}

fn shaped(operation: &str, path: &str, answered: &Answered) -> Value {
    assert_eq!(answered.status, 200, "{path}: {}", answered.text);
    let body = answered.json();
    assert_eq!(answer_misfit(operation, 200, &body), None, "{path}: {body}");
    body
}
