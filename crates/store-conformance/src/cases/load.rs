//! The engine gets all rows that it asks for, and none that have ended.

use super::{end, put, row};
use crate::build::origin;
use crate::{Place, Session};
use tidemill_model::entity::*;
use tidemill_model::{
    Change, ElementInstanceKey, Entity, JobKey, JobPosition, Need, PartitionId, RawJson, TenantId, Timestamp,
};
use tidemill_store::{INSTANCE_ENTITIES_MAX, LIST_ROWS_MAX, Loaded};

/// The entities in an order of their own, for comparison.
fn sorted(entities: impl IntoIterator<Item = Entity>) -> Vec<Entity> {
    let mut entities: Vec<Entity> = entities.into_iter().collect();
    entities.sort_by_key(|entity| format!("{entity:?}"));
    entities
}

/// One of everything that can belong to an element.
fn belongings(session: &Session, instance: &ProcessInstance, element: &ElementInstance) -> Vec<Entity> {
    let make = &session.make;
    let job = make.job(element, "work");
    let backoff = Timer {
        key: make.key(),
        due_at: Timestamp(800),
        purpose: TimerPurpose::JobBackoff { origin: origin(instance), job: job.key },
        repetitions: None,
        waits_for_clock: false,
    };
    let input = LoopInput { body: element.key, origin: origin(instance), items: RawJson::new("[1,2]") };
    vec![
        row(&job),
        row(&backoff),
        row(&input),
        row(&make.variable(instance, element.key, "x", "{\"a\":[1, 2]}")),
        row(&make.user_task(element)),
        row(&make.incident(element, "broken")),
        row(&make.catch_timer(element, 700)),
        row(&make.message_subscription(element, "m", "k")),
        row(&make.signal_subscription(element, "s")),
    ]
}

async fn put_all(session: &Session, entities: &[Entity]) {
    session.commit(entities.iter().cloned().map(Change::Put).collect()).await;
}

pub async fn a_small_instance_comes_whole(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    let output =
        LoopOutput { body: element.key, origin: origin(&instance), loop_counter: 1, value: RawJson::NULL };
    let mut all = vec![row(&instance), row(&element), row(&output)];
    all.extend(belongings(&session, &instance, &element));
    all.push(row(&session.make.variable(&instance, instance.key.scope(), "y", "\"text\"")));
    put_all(&session, &all).await;
    // A neighbour that must not come along.
    let other = session.make.instance(session.make.key());
    let other_element = session.make.element(&other, other.key.scope(), "task");
    let mut others = vec![row(&other), row(&other_element)];
    others.extend(belongings(&session, &other, &other_element));
    put_all(&session, &others).await;

    let needs = [Need::Instance(instance.key), Need::Instance(other.key)];
    let loaded = session.store.load(PartitionId(1), &needs, LIST_ROWS_MAX).await.expect("loads");
    assert_eq!(loaded[0].instance, Some(instance.key));
    assert!(!loaded[0].is_large);
    assert_eq!(sorted(loaded[0].entities.clone()), sorted(all));
    assert_eq!(sorted(loaded[1].entities.clone()), sorted(others));
}

pub async fn keys_lead_to_their_instance(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    let (job, task) = (session.make.job(&element, "w"), session.make.user_task(&element));
    let incident = session.make.incident(&element, "broken");
    let subscription = session.make.message_subscription(&element, "paid", "1");
    let rows = vec![put(&instance), put(&element), put(&job), put(&task), put(&incident), put(&subscription)];
    session.commit(rows).await;
    let needs = [
        Need::instance_of::<Job>(job.key),
        Need::instance_of::<UserTask>(task.key),
        Need::instance_of::<Incident>(incident.key),
        Need::instance_of::<MessageSubscription>(subscription.key),
        Need::Element(element.key),
        Need::Element(instance.key.scope()),
        Need::instance_of::<Job>(JobKey(12)),
    ];
    let loaded = session.store.load(PartitionId(1), &needs, LIST_ROWS_MAX).await.expect("loads");
    for found in &loaded[..6] {
        assert_eq!((found.instance, found.entities.len()), (Some(instance.key), 6));
    }
    assert_eq!(loaded[6], Loaded::default());
}

pub async fn a_large_instance_comes_in_pieces(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let body = session.make.element(&instance, instance.key.scope(), "body");
    let children: Vec<ElementInstance> = (0..INSTANCE_ENTITIES_MAX)
        .map(|n| ElementInstance {
            loop_counter: n as u32 + 1,
            ..session.make.element(&instance, body.key, "inner")
        })
        .collect();
    let first_child = belongings(&session, &instance, &children[0]);
    let of_body = belongings(&session, &instance, &body);
    let at_root = session.make.variable(&instance, instance.key.scope(), "root", "1");
    let output = |n| LoopOutput {
        body: body.key,
        origin: origin(&instance),
        loop_counter: n,
        value: RawJson::new(n.to_string()),
    };
    let mut all = vec![row(&instance), row(&body), row(&at_root)];
    all.extend(children.iter().map(row));
    all.extend(first_child.iter().chain(&of_body).cloned());
    all.extend((1..=5).map(|n| row(&output(n))));
    put_all(&session, &all).await;

    let root = session.load(Need::Instance(instance.key)).await;
    assert!(root.is_large);
    assert_eq!(sorted(root.entities), sorted([row(&instance), row(&at_root)]));

    let element = session.load(Need::Element(body.key)).await;
    assert!(element.is_large);
    let expected = [row(&instance), row(&body)].into_iter().chain(of_body.clone());
    assert_eq!(sorted(element.entities), sorted(expected));

    let Entity::Job(job) = &first_child[0] else { panic!("the job comes first") };
    let by_job = session.load(Need::instance_of::<Job>(job.key)).await;
    let expected = [row(&instance), row(&children[0])].into_iter().chain(first_child.clone());
    assert_eq!(sorted(by_job.entities), sorted(expected));

    let page = |after| Need::Children { scope: body.key, after };
    let first = session.load_list(page(None), 2).await;
    assert!(first.has_more);
    let expected = [row(&children[0]), row(&children[1])].into_iter().chain(first_child);
    assert_eq!(sorted(first.entities), sorted(expected));
    let last = session.load_list(page(Some(children[INSTANCE_ENTITIES_MAX - 2].key)), 2).await;
    assert_eq!((last.entities, last.has_more), (vec![row(&children[INSTANCE_ENTITIES_MAX - 1])], false));

    let outputs = session.load_list(Need::LoopOutputs(body.key), 3).await;
    assert_eq!((outputs.entities, outputs.has_more), ((1..=5).map(|n| row(&output(n))).collect(), false));
}

pub async fn message_boxes_are_loaded(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let (first, second) = (make.message("m", "k"), make.message("m", "k"));
    let (other_name, other_key) = (make.message("n", "k"), make.message("m", "l"));
    let expiry = Timer {
        key: make.key(),
        due_at: first.expires_at,
        purpose: TimerPurpose::MessageExpiry {
            message: first.key,
            tenant: TenantId::default(),
            name: "m".into(),
            correlation_key: "k".into(),
        },
        repetitions: None,
        waits_for_clock: false,
    };
    let subscription = make.box_subscription("m", "k");
    let lock = |process: &str, key: &str| MessageStartLock {
        tenant: TenantId::default(),
        process_id: process.into(),
        correlation_key: key.into(),
        instance: make.key(),
    };
    let (lock_p, lock_q, lock_other) = (lock("p", "k"), lock("q", "k"), lock("p", "l"));
    session.put([row(&first), row(&second), row(&other_name), row(&other_key), row(&expiry)]).await;
    session.put([row(&subscription), row(&make.box_subscription("n", "k"))]).await;
    session.put([row(&lock_p), row(&lock_q), row(&lock_other)]).await;
    let of = |tenant: &str| Need::box_of(&TenantId(tenant.into()), &"m".into(), &"k".into());
    let found = session.load(of(TenantId::DEFAULT)).await.entities;
    let expected = [row(&first), row(&second), row(&expiry), row(&subscription), row(&lock_p), row(&lock_q)];
    assert_eq!(sorted(found), sorted(expected));
    assert!(session.load(of("other")).await.entities.is_empty());
    session.commit(vec![super::remove(&first), super::remove(&lock_q), super::remove(&expiry)]).await;
    let left = session.load(of(TenantId::DEFAULT)).await.entities;
    assert_eq!(sorted(left), sorted([row(&second), row(&subscription), row(&lock_p)]));
}

pub async fn signals_and_starts_are_loaded(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let instance = make.instance(make.key());
    let element = make.element(&instance, instance.key.scope(), "wait");
    let subscriptions: Vec<_> = (0..5).map(|_| make.signal_subscription(&element, "s")).collect();
    session
        .commit(subscriptions.iter().chain([&make.signal_subscription(&element, "t")]).map(put).collect())
        .await;
    let page = |after| Need::SignalSubscriptions { tenant: TenantId::default(), name: "s".into(), after };
    let first = session.load_list(page(None), 3).await;
    assert_eq!((first.entities, first.has_more), (subscriptions[..3].iter().map(row).collect(), true));
    let rest = session.load_list(page(Some(subscriptions[2].key)), 3).await;
    assert_eq!((rest.entities, rest.has_more), (subscriptions[3..].iter().map(row).collect(), false));
    assert!(session.load_at(PartitionId(2), page(None), 3).await.entities.is_empty());

    let definition = make.definition("p", 1);
    let by_message = make.start_subscription(&definition, StartEventKind::Message, "go");
    let by_signal = make.start_subscription(&definition, StartEventKind::Signal, "go");
    session.commit(vec![put(&by_message), put(&by_signal)]).await;
    let starts = |kind| Need::Starts { tenant: TenantId::default(), kind, name: "go".into() };
    assert_eq!(session.load(starts(StartEventKind::Signal)).await.entities, [row(&by_signal)]);
    assert_eq!(session.load(starts(StartEventKind::Message)).await.entities, [row(&by_message)]);
}

pub async fn waiting_jobs_come_in_order(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    let jobs: Vec<Job> = [5, 0, 9, 5, -3, 0]
        .into_iter()
        .map(|priority| Job { priority, ..session.make.job(&element, "w") })
        .collect();
    let failed = Job { state: JobState::BackingOff, ..session.make.job(&element, "w") };
    let other = session.make.job(&element, "v");
    session.commit(jobs.iter().chain([&failed, &other]).map(put).collect()).await;
    let page = |after| Need::WaitingJobs { job_type: "w".into(), after };
    let ordered = [2, 0, 3, 1, 5, 4].map(|n: usize| row(&jobs[n]));
    let mut read = Vec::new();
    let mut after = None;
    loop {
        let loaded = session.load_list(page(after), 2).await;
        if let Some(Entity::Job(last)) = loaded.entities.last() {
            after = Some(JobPosition { priority: last.priority, key: last.key });
        }
        read.extend(loaded.entities);
        if !loaded.has_more {
            break;
        }
    }
    assert_eq!(read, ordered);
    session.commit(vec![put(&Job { state: JobState::Waiting, priority: 100, ..failed })]).await;
    let first = session.load_list(page(None), 1).await.entities;
    assert!(matches!(&first[0], Entity::Job(job) if job.priority == 100), "{first:?}");
}

pub async fn leases_of_both_kinds_are_loaded(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    let leased = Job { lease: Some(session.make.lease("a", 50)), ..session.make.job(&element, "w") };
    let free = session.make.job(&element, "w");
    let lease = JobLease {
        lease: session.make.lease("b", 60),
        jobs: vec![free.key, JobKey(4)],
        released: Vec::new(),
    };
    session.commit(vec![put(&leased), put(&free), put(&lease)]).await;
    let leases = session.load(Need::Leases).await.entities;
    assert_eq!(sorted(leases), sorted([row(&leased), row(&lease)]));
    let elsewhere = session.load_at(PartitionId(2), Need::Leases, LIST_ROWS_MAX).await;
    assert!(elsewhere.entities.is_empty());
}

pub async fn nothing_is_found_where_nothing_is(place: &dyn Place) {
    let session = Session::open(place).await;
    let ended = ProcessInstance {
        state: Lifecycle::Terminated,
        ended_at: Some(Timestamp(1)),
        ..session.make.instance(session.make.key())
    };
    session.commit(vec![end(&ended, false)]).await;
    let needs = [
        Need::Instance(ended.key),
        Need::Element(ElementInstanceKey(3)),
        Need::Children { scope: ElementInstanceKey(3), after: None },
    ];
    for loaded in session.store.load(PartitionId(1), &needs, LIST_ROWS_MAX).await.expect("loads") {
        assert!(loaded.entities.is_empty(), "{loaded:?}");
    }
    assert!(session.store.load(PartitionId(1), &[], LIST_ROWS_MAX).await.expect("loads").is_empty());
}

pub async fn every_field_survives(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let mut flows = FlowSet::default();
    flows.insert(tidemill_model::FlowIndex(200));
    let trigger = Trigger { target: tidemill_model::ElementIndex(9), payload: Some(Default::default()) };
    let scope = Scope {
        children: 3,
        flows: 2,
        waiting: vec![WaitingToken {
            gateway: tidemill_model::ElementIndex(4),
            flow: tidemill_model::FlowIndex(5),
            count: 6,
        }],
        interruption: Some(Box::new(Interruption::EventSubProcess(trigger.clone()))),
        interrupted: true,
    };
    let instance = ProcessInstance {
        business_id: Some("b\u{1F980}".into()),
        tags: crate::build::texts(["a", "\"quoted\""]),
        flows_taken: flows,
        terminate_after: crate::build::texts(["end"]),
        start_lock: Some("k".into()),
        scope: scope.clone(),
        ..make.instance(make.key())
    };
    let element = ElementInstance {
        scope,
        progress: Some(LoopProgress { total: 9, created: 3, completed: 2, terminated: 1, is_done: true }),
        job: Some(make.key()),
        user_task: Some(make.key()),
        called: Some(make.key()),
        incident: Some(make.key()),
        payload: tidemill_model::Variables::parse(r#"{"n":1.50,"o":{"x":null}}"#).ok(),
        interrupted_by: Some(Box::new(trigger)),
        ..make.element(&instance, instance.key.scope(), "task")
    };
    let job = Job {
        headers: Some(RawJson::new(r#"{"h":"1"}"#)),
        lease: Some(Lease { is_exclusive: true, ..make.lease("w", 5) }),
        released: Some(make.key()),
        error_code: Some("E".into()),
        error_message: Some("long ".repeat(500).into()),
        ..make.job(&element, "w")
    };
    session.commit(vec![put(&instance), put(&element), put(&job)]).await;
    let loaded = session.load(Need::Instance(instance.key)).await.entities;
    assert_eq!(sorted(loaded), sorted([row(&instance), row(&element), row(&job)]));
}
