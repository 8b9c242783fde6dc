//! The parts of answers: views, trees and counts.

use super::{end, put};
use crate::build::{origin, texts};
use crate::{Place, Session};
use tidemill_model::entity::*;
use tidemill_model::{ElementKind, FlowIndex, ProcessInstanceKey, RawJson, TenantId, Timestamp};
use tidemill_store::query::*;
use tidemill_store::view::*;
use tidemill_store::{Event, Events, events};

pub async fn everything_that_answers_need_is_there(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let definition = ProcessDefinition { version_tag: Some("stable".into()), ..make.definition("order", 4) };
    let instance = ProcessInstance {
        business_id: Some("order-1".into()),
        tags: texts(["a", "b"]),
        incidents: 1,
        ..make.instance(definition.key)
    };
    let element = ElementInstance {
        kind: ElementKind::UserTask,
        incident: Some(make.key()),
        ..make.element(&instance, instance.key.scope(), "approve")
    };
    let task = UserTask {
        assignee: Some("ada".into()),
        candidate_users: texts(["bob"]),
        candidate_groups: texts(["sales"]),
        due_at: Some(Timestamp(500)),
        follow_up_at: Some(Timestamp(400)),
        form: Some(make.key()),
        headers: Some(RawJson::new(r#"{"h":1}"#)),
        tags: texts(["t"]),
        ..make.user_task(&element)
    };
    let incident = Incident { job: Some(make.key()), ..make.incident(&element, "broken") };
    let variable = make.variable(&instance, element.key, "x", r#"{"a":[1,2]}"#);
    let correlation = MessageCorrelation {
        subscription: make.key(),
        message: make.key(),
        origin: origin(&instance),
        element_instance: Some(element.key),
        element_id: "catch".into(),
        message_name: "m".into(),
        correlation_key: "k".into(),
        business_id: None,
        correlated_at: Timestamp(600),
    };
    session
        .commit(vec![
            put(&definition),
            put(&instance),
            put(&element),
            put(&task),
            put(&incident),
            put(&variable),
        ])
        .await;
    session.commit(vec![end(&correlation, false)]).await;

    let expected = ProcessInstanceView {
        key: instance.key,
        root: instance.key,
        definition: definition.key,
        process_id: "order".into(),
        process_name: definition.name.clone(),
        version: 4,
        version_tag: Some("stable".into()),
        tenant: TenantId::default(),
        parent_instance: None,
        parent_element: None,
        state: InstanceState::Active,
        has_incident: true,
        started_at: instance.started_at,
        ended_at: None,
        business_id: Some("order-1".into()),
        tags: texts(["a", "b"]),
    };
    let store = &session.store;
    assert_eq!(store.process_instance(instance.key).await.expect("reads"), Some(expected));
    let shown = store.element_instance(element.key).await.expect("reads").expect("there");
    assert_eq!(
        (shown.kind.name(), shown.incident, shown.has_incident),
        ("USER_TASK", element.incident, true)
    );
    assert_eq!((shown.process_id.as_str(), shown.parent), ("order", instance.key.scope()));
    let shown = store.user_task(task.key).await.expect("reads").expect("there");
    assert_eq!((shown.due_at, shown.follow_up_at, shown.form), (task.due_at, task.follow_up_at, task.form));
    assert_eq!(
        (shown.candidate_users, shown.candidate_groups, shown.tags),
        (task.candidate_users, task.candidate_groups, task.tags)
    );
    assert_eq!(
        (shown.headers, shown.version, shown.process_name),
        (task.headers, 4, definition.name.clone())
    );
    let shown = store.incident(incident.key).await.expect("reads").expect("there");
    assert_eq!(
        (shown.message.as_str(), shown.kind.name(), shown.job),
        ("broken", "JOB_NO_RETRIES", incident.job)
    );
    let shown = store.variable(variable.key).await.expect("reads").expect("there");
    assert_eq!((shown.value, shown.scope), (variable.value, element.key));
    let shown = store.message_correlations(&Search::default()).await.expect("searches").items.remove(0);
    assert_eq!(
        (shown.message, shown.partition, shown.correlated_at),
        (correlation.message, session.fence.partition, Timestamp(600))
    );
    let found = store.process_definitions(&Search::default()).await.expect("searches").items.remove(0);
    assert_eq!((found.version_tag.as_deref(), found.state.name()), (Some("stable"), "ACTIVE"));
    assert!(store.process_instance(ProcessInstanceKey(3)).await.expect("reads").is_none());
}

pub async fn variables_are_seen_from_a_scope(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let instance = make.instance(make.key());
    let outer = make.element(&instance, instance.key.scope(), "outer");
    let inner = make.element(&instance, outer.key, "inner");
    let beside = make.element(&instance, outer.key, "beside");
    let all = [
        make.variable(&instance, instance.key.scope(), "a", "1"),
        make.variable(&instance, instance.key.scope(), "b", "1"),
        make.variable(&instance, outer.key, "b", "2"),
        make.variable(&instance, inner.key, "c", "3"),
        make.variable(&instance, beside.key, "d", "4"),
    ];
    session
        .commit(all.iter().map(put).chain([put(&instance), put(&outer), put(&inner), put(&beside)]).collect())
        .await;
    let seen = async |scope| {
        let variables = session.store.visible_variables(scope).await.expect("reads");
        variables.iter().map(|v| format!("{}={}", v.name, v.value)).collect::<Vec<_>>()
    };
    assert_eq!(seen(inner.key).await, ["a=1", "b=2", "c=3"]);
    assert_eq!(seen(instance.key.scope()).await, ["a=1", "b=1"]);
    let ended = ElementInstance { ended_at: Some(Timestamp(1)), ..inner.clone() };
    session.commit(vec![end(&ended, true), end(&all[3], true)]).await;
    assert_eq!(seen(inner.key).await, ["a=1", "b=2", "c=3"], "an ended scope still shows what it saw");
}

pub async fn callers_are_listed_from_the_root(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let definition = make.definition("p", 1);
    let root = make.instance(definition.key);
    let call = make.element(&root, root.key.scope(), "call");
    let middle = make.called(definition.key, &call);
    let call_again = make.element(&middle, middle.key.scope(), "call");
    let leaf = make.called(definition.key, &call_again);
    session
        .commit(vec![
            put(&definition),
            put(&root),
            put(&middle),
            end(&ProcessInstance { ended_at: Some(Timestamp(1)), ..leaf.clone() }, false),
        ])
        .await;
    let hierarchy = session.store.call_hierarchy(leaf.key).await.expect("reads").expect("there");
    assert_eq!(hierarchy.iter().map(|e| e.instance).collect::<Vec<_>>(), [root.key, middle.key, leaf.key]);
    assert_eq!(hierarchy[0].process_name, definition.name);
    assert_eq!(session.store.call_hierarchy(root.key).await.expect("reads"), Some(Vec::new()));
    assert_eq!(session.store.call_hierarchy(ProcessInstanceKey(9)).await.expect("reads"), None);
    let children = Filter::default().is(ProcessInstanceField::ParentInstance, Test::eq(root.key.key()));
    let found = session.store.process_instances(&Search::of(children)).await.expect("searches");
    assert_eq!(found.items[0].key, middle.key);
}

pub async fn flows_taken_are_kept(place: &dyn Place) {
    let session = Session::open(place).await;
    let mut instance = session.make.instance(session.make.key());
    instance.flows_taken.insert(FlowIndex(0));
    instance.flows_taken.insert(FlowIndex(77));
    session.commit(vec![put(&instance)]).await;
    let live = session.store.flows_taken(instance.key).await.expect("reads").expect("there");
    assert_eq!(live.flows, instance.flows_taken);
    instance.flows_taken.insert(FlowIndex(3));
    instance.ended_at = Some(Timestamp(1));
    session.commit(vec![end(&instance, true)]).await;
    let ended = session.store.flows_taken(instance.key).await.expect("reads").expect("there");
    assert_eq!(ended.flows.iter().collect::<Vec<_>>(), [FlowIndex(0), FlowIndex(3), FlowIndex(77)]);
    assert!(session.store.flows_taken(ProcessInstanceKey(9)).await.expect("reads").is_none());
}

pub async fn events_are_told_in_order(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let definition = make.definition("p", 1);
    let instance = ProcessInstance { started_at: Timestamp(10), ..make.instance(definition.key) };
    let variable = make.variable(&instance, instance.key.scope(), "x", "1");
    let at = |parent, id: &str, started_at: i64| ElementInstance {
        started_at: Timestamp(started_at),
        ..make.element(&instance, parent, id)
    };
    let outer = at(instance.key.scope(), "outer", 10);
    let task = at(outer.key, "task", 10);
    let job = Job { created_at: Timestamp(10), updated_at: Timestamp(10), ..make.job(&task, "work") };
    let incident = Incident { created_at: Timestamp(20), ..make.incident(&task, "broken") };
    let wait = ElementInstance { kind: ElementKind::IntermediateCatchEvent, ..at(outer.key, "wait", 30) };
    let late = ElementInstance { kind: ElementKind::BoundaryEvent, ..at(instance.key.scope(), "late", 40) };
    let correlation = MessageCorrelation {
        subscription: make.key(),
        message: make.key(),
        origin: origin(&instance),
        element_instance: Some(task.key),
        element_id: "task".into(),
        message_name: "paid".into(),
        correlation_key: "k".into(),
        business_id: None,
        correlated_at: Timestamp(25),
    };
    session
        .commit(vec![put(&definition), put(&instance), put(&variable), put(&outer), put(&task), put(&job)])
        .await;
    session.commit(vec![put(&incident), end(&correlation, false)]).await;
    let is_timer = |id: &tidemill_model::Text| ["wait", "late"].contains(&id.as_str());
    let told = |events: Events| {
        let shown = |event: &Event| {
            let about = event.element_id.clone().or(event.detail.clone()).unwrap_or_default();
            format!("{} {} {about}", event.at.0, event.kind.name())
        };
        events.items.iter().map(shown).collect::<Vec<_>>()
    };
    let store = &session.store;
    let view = store.process_instance(instance.key).await.expect("reads").expect("there");
    let live = told(events(&**store, &view, &is_timer).await.expect("reads"));
    let begun = [
        "10 INSTANCE_STARTED ",
        "10 VARIABLE_SET x",
        "10 ELEMENT_STARTED outer",
        "10 ELEMENT_STARTED task",
        "10 JOB_CREATED task",
        "20 INCIDENT_RAISED task",
        "25 MESSAGE_CORRELATED task",
    ];
    assert_eq!(live, begun);
    let ended = Some(Timestamp(40));
    let over = |row: &ElementInstance, state| ElementInstance { state, ended_at: ended, ..row.clone() };
    let resolved = Incident { state: IncidentState::Resolved, ended_at: Some(Timestamp(30)), ..incident };
    let done = Job {
        state: JobState::Completed,
        last_event: JobEvent::Completed,
        updated_at: Timestamp(40),
        ended_at: ended,
        ..job
    };
    session.commit(vec![put(&wait), end(&resolved, true)]).await;
    let completed = ProcessInstance { state: Lifecycle::Completed, ended_at: ended, ..instance.clone() };
    session
        .commit(vec![
            end(&done, true),
            end(&over(&task, Lifecycle::Completed), true),
            end(&over(&wait, Lifecycle::Completed), true),
            end(&over(&late, Lifecycle::Terminated), false),
            end(&over(&outer, Lifecycle::Completed), true),
            end(&variable, true),
            end(&completed, true),
        ])
        .await;
    let view = store.process_instance(instance.key).await.expect("reads").expect("there");
    let told = told(events(&**store, &view, &is_timer).await.expect("reads"));
    let then = [
        "30 INCIDENT_RESOLVED task",
        "30 ELEMENT_STARTED wait",
        "40 JOB_COMPLETED task",
        "40 ELEMENT_COMPLETED task",
        "40 TIMER_FIRED wait",
        "40 ELEMENT_COMPLETED wait",
        "40 ELEMENT_COMPLETED outer",
        "40 TIMER_FIRED late",
        "40 ELEMENT_STARTED late",
        "40 ELEMENT_TERMINATED late",
        "40 INSTANCE_COMPLETED ",
    ];
    assert_eq!(told, begun.iter().chain(&then).copied().collect::<Vec<_>>());
}

pub async fn elements_are_counted(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let definition = make.definition("p", 1);
    let (a, b) = (make.instance(definition.key), make.instance(definition.key));
    let b = ProcessInstance { business_id: Some("b".into()), ..b };
    let other = make.instance(make.key());
    let at = |of: &ProcessInstance, id: &str| make.element(of, of.key.scope(), id);
    let over =
        |element: ElementInstance, state| ElementInstance { state, ended_at: Some(Timestamp(1)), ..element };
    let stuck = ElementInstance { incident: Some(make.key()), ..at(&a, "x") };
    session.commit(vec![put(&definition), put(&a), put(&b), put(&other)]).await;
    session.commit(vec![put(&stuck), put(&at(&a, "x")), put(&at(&b, "x")), put(&at(&other, "x"))]).await;
    session
        .commit(vec![
            end(&over(at(&a, "x"), Lifecycle::Completed), false),
            end(&over(at(&b, "x"), Lifecycle::Completed), false),
            end(&over(at(&b, "y"), Lifecycle::Terminated), false),
        ])
        .await;
    let counts = |id: &str, active, completed, canceled, incidents| ElementStatistics {
        element_id: id.into(),
        active,
        completed,
        canceled,
        incidents,
    };
    let store = &session.store;
    assert_eq!(store.instance_statistics(a.key).await.expect("counts"), [counts("x", 1, 1, 0, 1)]);
    let all = store.definition_statistics(definition.key, &Filter::default()).await.expect("counts");
    assert_eq!(all, [counts("x", 2, 2, 0, 1), counts("y", 0, 0, 1, 0)]);
    let only_b = Filter::default().is(ProcessInstanceField::BusinessId, Test::eq("b"));
    let some = store.definition_statistics(definition.key, &only_b).await.expect("counts");
    assert_eq!(some, [counts("x", 1, 1, 0, 0), counts("y", 0, 0, 1, 0)]);
    assert!(store.instance_statistics(ProcessInstanceKey(9)).await.expect("counts").is_empty());
}

pub async fn processes_and_versions_are_counted(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let (one, two) =
        (make.definition("p", 1), ProcessDefinition { name: Some("New".into()), ..make.definition("p", 2) });
    let idle = make.definition("q", 1);
    let stuck = ProcessInstance { incidents: 2, ..make.instance(two.key) };
    session.commit(vec![put(&one), put(&two), put(&idle), put(&stuck)]).await;
    session.commit(vec![put(&make.instance(one.key)), put(&make.instance(two.key))]).await;
    let by_process = session.store.process_statistics().await.expect("counts");
    let shown: Vec<_> = by_process
        .iter()
        .map(|p| {
            (
                p.process_id.as_str(),
                p.latest_name.as_deref(),
                p.has_multiple_versions,
                p.active_without_incident,
                p.active_with_incident,
            )
        })
        .collect();
    assert_eq!(shown, [("p", Some("New"), true, 2, 1), ("q", Some("The q"), false, 0, 0)]);
    let by_version = session.store.version_statistics(Some(&TenantId::default()), "p").await.expect("counts");
    let shown: Vec<_> =
        by_version.iter().map(|v| (v.version, v.active_without_incident, v.active_with_incident)).collect();
    assert_eq!(shown, [(1, 1, 0), (2, 1, 1)]);
    assert!(
        session.store.version_statistics(Some(&TenantId("x".into())), "p").await.expect("counts").is_empty()
    );
}

pub async fn errors_are_counted(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let (a, b) = (make.instance(make.key()), make.instance(make.key()));
    let at = |of: &ProcessInstance| make.element(of, of.key.scope(), "x");
    session
        .commit(vec![
            put(&make.incident(&at(&a), "often")),
            put(&make.incident(&at(&a), "often")),
            put(&make.incident(&at(&b), "often")),
            put(&make.incident(&at(&b), "once")),
        ])
        .await;
    let errors = session.store.error_statistics().await.expect("counts");
    let shown: Vec<_> = errors.iter().map(|e| (e.message.as_str(), e.active_instances, e.hash)).collect();
    assert_eq!(shown, [("often", 2, error_hash("often")), ("once", 1, error_hash("once"))]);
}
