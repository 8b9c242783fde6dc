//! Searches: operators, order, pages, and what instances are selected by.

use super::{end, put, remove};
use crate::build::texts;
use crate::{Place, Session};
use tidemill_model::entity::*;
use tidemill_model::{Change, TenantId, Timestamp};
use tidemill_store::Error;
use tidemill_store::query::*;

type InstanceSearch = Search<ProcessInstanceField>;

/// The business ids of what was found: tests name their instances by them.
async fn found(session: &Session, search: &InstanceSearch) -> Vec<String> {
    let results = session.store.process_instances(search).await.expect("searches");
    results.items.iter().map(|item| item.business_id.as_deref().unwrap_or("-").to_owned()).collect()
}

async fn filtered(session: &Session, filter: Filter<ProcessInstanceField>) -> Vec<String> {
    found(session, &Search::of(filter)).await
}

/// Instances with these business ids, each started one later than the one before.
async fn instances<const N: usize>(session: &Session, names: [&str; N]) -> [ProcessInstance; N] {
    let mut started_at = 0;
    let made = names.map(|name| {
        started_at += 1;
        let business_id = (name != "-").then(|| name.into());
        let definition = session.make.key();
        ProcessInstance {
            business_id,
            started_at: Timestamp(started_at),
            ..session.make.instance(definition)
        }
    });
    session.commit(made.iter().map(put).collect()).await;
    made
}

fn ended(instance: &ProcessInstance, at: i64) -> ProcessInstance {
    ProcessInstance { state: Lifecycle::Completed, ended_at: Some(Timestamp(at)), ..instance.clone() }
}

pub async fn operators_test_what_they_say(place: &dyn Place) {
    use ProcessInstanceField::*;
    let session = Session::open(place).await;
    instances(&session, ["ab", "Ab", "a*b", "a?b", "a[b", "-"]).await;
    let id = |test| Filter::default().is(BusinessId, test);
    let started = |test| Filter::default().is(StartDate, test);
    let text = |values: &[&str]| values.iter().map(|value| Value::from(*value)).collect::<Vec<_>>();
    let cases: Vec<(Filter<ProcessInstanceField>, &[&str])> = vec![
        (id(Test::eq("ab")), &["ab"]),
        (id(Test::Neq("ab".into())), &["Ab", "a*b", "a?b", "a[b", "-"]),
        (id(Test::Exists(false)), &["-"]),
        (id(Test::Exists(true)), &["ab", "Ab", "a*b", "a?b", "a[b"]),
        (id(Test::In(text(&["ab", "a?b", "none"]))), &["ab", "a?b"]),
        (id(Test::In(vec![])), &["ab", "Ab", "a*b", "a?b", "a[b", "-"]),
        (id(Test::NotIn(text(&["ab", "a?b"]))), &["Ab", "a*b", "a[b", "-"]),
        (id(Test::Like("a*".into())), &["ab", "a*b", "a?b", "a[b"]),
        (id(Test::Like("a?b".into())), &["a*b", "a?b", "a[b"]),
        (id(Test::Like(r"a\*b".into())), &["a*b"]),
        (id(Test::Like(r"a\?*".into())), &["a?b"]),
        (id(Test::Like("*[*".into())), &["a[b"]),
        (id(Test::Gt("a[b".into())), &["ab"]),
        (id(Test::Lt("a".into())), &["Ab"]),
        (started(Test::Gt(2.into())), &["a*b", "a?b", "a[b", "-"]),
        (started(Test::Gte(2.into())), &["Ab", "a*b", "a?b", "a[b", "-"]),
        (started(Test::Lt(2.into())), &["ab"]),
        (started(Test::Lte(2.into())), &["ab", "Ab"]),
        (started(Test::Gte(2.into())).is(StartDate, Test::Lt(4.into())), &["Ab", "a*b"]),
        (Filter::default().is(HasIncident, Test::eq(true)), &[]),
        (Filter::default().is(State, Test::eq("ACTIVE")).is(BusinessId, Test::eq("ab")), &["ab"]),
        (Filter::default().is(State, Test::eq("COMPLETED")), &[]),
        (Filter::default().is(State, Test::Like("ACT*".into())).is(StartDate, Test::eq(1)), &["ab"]),
    ];
    for (filter, expected) in cases {
        assert_eq!(filtered(&session, filter.clone()).await, expected, "{filter:?}");
    }
}

pub async fn filters_are_joined(place: &dyn Place) {
    use ProcessInstanceField::*;
    let session = Session::open(place).await;
    let [a, b, c] = instances(&session, ["a", "b", "c"]).await;
    let either = Condition::Any(vec![
        Filter::default().is(Key, Test::eq(a.key.key())),
        Filter::default().is(BusinessId, Test::eq("b")).is(StartDate, Test::eq(2)),
        Filter::default().is(BusinessId, Test::eq("c")).is(StartDate, Test::eq(2)),
    ]);
    assert_eq!(filtered(&session, Filter::default().and(either.clone())).await, ["a", "b"]);
    let both = Filter::default().is(DefinitionKey, Test::eq(b.definition.key())).and(either);
    assert_eq!(filtered(&session, both).await, ["b"]);
    assert_eq!(filtered(&session, Filter::default().and(Condition::Any(vec![]))).await, ["a", "b", "c"]);
    let unknown = Filter::default().is(ProcessId, Test::eq("no such process"));
    assert!(filtered(&session, unknown).await.is_empty());
    let key = Filter::default().is(Key, Test::In(vec![c.key.key().into(), a.key.key().into()]));
    assert_eq!(filtered(&session, key).await, ["a", "c"]);
}

pub async fn pages_cover_everything_once(place: &dyn Place) {
    use ProcessInstanceField::*;
    let session = Session::open(place).await;
    let mut expected = Vec::new();
    let mut changes: Vec<Change> = Vec::new();
    for n in 0..25 {
        let instance = ProcessInstance {
            business_id: (n % 3 != 0).then(|| format!("{}", n % 4).into()),
            started_at: Timestamp(n % 5),
            ..session.make.instance(session.make.key())
        };
        // Every second one has ended: a page goes over both sides.
        changes.push(if n % 2 == 0 { put(&instance) } else { end(&ended(&instance, 900 - n), false) });
        expected.push(instance);
    }
    session.commit(changes).await;
    let sorts: [&[(ProcessInstanceField, Order)]; 5] = [
        &[],
        &[(StartDate, Order::Descending)],
        &[(BusinessId, Order::Ascending), (StartDate, Order::Descending)],
        &[(BusinessId, Order::Descending)],
        &[(EndDate, Order::Descending), (Key, Order::Descending)],
    ];
    for sort in sorts {
        let sorted =
            sort.iter().fold(Search::default(), |search, (field, order)| search.sort_by(*field, *order));
        let all = session.store.process_instances(&sorted).await.expect("searches");
        assert_eq!((all.items.len(), all.total, all.has_more_total), (25, 25, false));
        let keys: Vec<_> = all.items.iter().map(|item| item.key).collect();
        for limit in [1, 7, 25] {
            let forward = walk(&session, &sorted, limit, true).await;
            assert_eq!(forward, keys, "forward by {limit} over {sort:?}");
            let backward = walk(&session, &sorted, limit, false).await;
            assert_eq!(backward, keys, "backward by {limit} over {sort:?}");
        }
        let page = Page { limit: 4, start: PageStart::Offset(9) };
        let middle = session.store.process_instances(&sorted.clone().page(page)).await.expect("searches");
        assert_eq!(middle.items.iter().map(|item| item.key).collect::<Vec<_>>(), keys[9..13]);
        assert_eq!(middle.total, 25);
    }
    let none = Page { limit: 0, start: PageStart::Offset(0) };
    let counted = session.store.process_instances(&Search::default().page(none)).await.expect("searches");
    assert_eq!((counted.items.len(), counted.total, counted.start_cursor), (0, 25, None));
    let beyond = Page { limit: 10, start: PageStart::Offset(100) };
    let empty = session.store.process_instances(&Search::default().page(beyond)).await.expect("searches");
    assert_eq!((empty.items.len(), empty.total), (0, 25));
}

/// All keys in the order of the sort, read page by page from one end.
async fn walk(
    session: &Session,
    search: &InstanceSearch,
    limit: u32,
    is_forward: bool,
) -> Vec<tidemill_model::ProcessInstanceKey> {
    let mut keys = Vec::new();
    // Backward walks begin behind the last item.
    let mut start = PageStart::Offset(if is_forward { 0 } else { 24 });
    loop {
        let is_first_back = !is_forward && keys.is_empty();
        let limit = if is_first_back { 1 } else { limit };
        let page = search.clone().page(Page { limit, start });
        let results = session.store.process_instances(&page).await.expect("searches");
        let more: Vec<_> = results.items.iter().map(|item| item.key).collect();
        if more.is_empty() {
            return keys;
        }
        assert_eq!(results.total, 25);
        if is_forward {
            keys.extend(more);
            start = PageStart::After(results.end_cursor.expect("a page that is not empty has cursors"));
        } else {
            keys.splice(0..0, more);
            start = PageStart::Before(results.start_cursor.expect("a page that is not empty has cursors"));
        }
    }
}

pub async fn cursors_hold_still_under_writes(place: &dyn Place) {
    let session = Session::open(place).await;
    let [a, b, c, d] = instances(&session, ["a", "b", "c", "d"]).await;
    let by_name = Search::default().sort_by(ProcessInstanceField::BusinessId, Order::Ascending);
    let first = by_name.clone().page(Page { limit: 2, start: PageStart::Offset(0) });
    let cursor = session.store.process_instances(&first).await.expect("searches").end_cursor.expect("there");
    // The item of the cursor goes, others come before it, one behind it ends.
    session.commit(vec![remove(&b), remove(&a), end(&ended(&c, 5), true)]).await;
    instances(&session, ["aa", "bb"]).await;
    let next = by_name.clone().page(Page { limit: 9, start: PageStart::After(cursor.clone()) });
    assert_eq!(found(&session, &next).await, ["bb", "c", "d"]);
    let back = by_name.page(Page { limit: 9, start: PageStart::Before(cursor.clone()) });
    assert_eq!(found(&session, &back).await, ["aa"]);
    let other = Search::default()
        .sort_by(ProcessInstanceField::StartDate, Order::Ascending)
        .page(Page { limit: 9, start: PageStart::After(cursor) });
    let refused = session.store.process_instances(&other).await;
    assert!(matches!(refused, Err(Error::BadCursor(_))), "a cursor belongs to its sort");
    assert!(d.ended_at.is_none());
}

pub async fn totals_are_exact_to_ten_thousand(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let variables = |count: usize| -> Vec<Change> {
        (0..count)
            .map(|n| session.make.variable(&instance, instance.key.scope(), &format!("v{n}"), "1"))
            .map(|variable| put(&variable))
            .collect()
    };
    session.commit(variables(10_000)).await;
    let page = Search::default().page(Page { limit: 3, start: PageStart::Offset(0) });
    let exact = session.store.variables(&page).await.expect("searches");
    assert_eq!((exact.total, exact.has_more_total), (10_000, false));
    session.commit(variables(1)).await;
    let more = session.store.variables(&page).await.expect("searches");
    assert_eq!((more.total, more.has_more_total), (10_000, true));
}

pub async fn live_and_history_are_one(place: &dyn Place) {
    use ProcessInstanceField::*;
    let session = Session::open(place).await;
    let [a, b, _c] = instances(&session, ["a", "b", "c"]).await;
    session.commit(vec![end(&ended(&a, 50), true)]).await;
    session.commit(vec![end(&ProcessInstance { state: Lifecycle::Terminated, ..ended(&b, 60) }, true)]).await;
    let by_start = Search::default().sort_by(StartDate, Order::Descending);
    assert_eq!(found(&session, &by_start).await, ["c", "b", "a"]);
    let state = |test| Filter::default().is(State, test);
    assert_eq!(filtered(&session, state(Test::eq("ACTIVE"))).await, ["c"]);
    assert_eq!(filtered(&session, state(Test::eq("TERMINATED"))).await, ["b"]);
    let mixed = Test::In(vec!["ACTIVE".into(), "COMPLETED".into()]);
    assert_eq!(filtered(&session, state(mixed)).await, ["a", "c"]);
    assert_eq!(filtered(&session, state(Test::Neq("COMPLETED".into()))).await, ["b", "c"]);
    let end_date = |test| Filter::default().is(EndDate, test);
    assert_eq!(filtered(&session, end_date(Test::Gt(50.into()))).await, ["b"]);
    assert_eq!(filtered(&session, end_date(Test::Exists(false))).await, ["c"]);
    assert_eq!(filtered(&session, end_date(Test::Neq(50.into()))).await, ["b", "c"]);
    assert!(filtered(&session, state(Test::eq("ACTIVE")).is(EndDate, Test::Exists(true))).await.is_empty());
}

pub async fn nulls_have_a_place_in_the_order(place: &dyn Place) {
    let session = Session::open(place).await;
    instances(&session, ["b", "-", "a"]).await;
    let by = |order| Search::default().sort_by(ProcessInstanceField::BusinessId, order);
    assert_eq!(found(&session, &by(Order::Ascending)).await, ["-", "a", "b"]);
    assert_eq!(found(&session, &by(Order::Descending)).await, ["b", "a", "-"]);
}

pub async fn lists_are_tested_by_member(place: &dyn Place) {
    use UserTaskField::CandidateGroup;
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    let task = |groups: &[&str], name: &str| UserTask {
        candidate_groups: groups.iter().map(|group| (*group).into()).collect(),
        name: Some(name.into()),
        ..session.make.user_task(&element)
    };
    let tasks = [task(&["sales", "north"], "1"), task(&["sales\"team"], "2"), task(&[], "3")];
    session.commit(tasks.iter().map(put).collect()).await;
    let names = async |test: Test| {
        let search = Search::of(Filter::default().is(CandidateGroup, test));
        let results = session.store.user_tasks(&search).await.expect("searches");
        results.items.iter().map(|task| task.name.clone().unwrap_or_default().to_string()).collect::<Vec<_>>()
    };
    assert_eq!(names(Test::eq("north")).await, ["1"]);
    assert_eq!(names(Test::eq("sales\"team")).await, ["2"]);
    assert_eq!(names(Test::In(vec!["x".into(), "sales".into()])).await, ["1"]);
    assert_eq!(names(Test::Like("sales*".into())).await, ["1", "2"]);
    assert_eq!(names(Test::Neq("north".into())).await, ["2", "3"]);
    assert_eq!(names(Test::NotIn(vec!["north".into(), "sales\"team".into()])).await, ["3"]);
    for nothing in [Test::In(vec![]), Test::NotIn(vec![])] {
        assert_eq!(names(nothing).await, ["1", "2", "3"], "an empty list lets everything pass");
    }
    assert_eq!(names(Test::Exists(true)).await, ["1", "2"]);
    assert_eq!(names(Test::Exists(false)).await, ["3"]);
    let tagged = ProcessInstance {
        tags: texts(["red", "big"]),
        business_id: Some("t".into()),
        ..session.make.instance(session.make.key())
    };
    session.commit(vec![put(&tagged)]).await;
    let both = Filter::default()
        .is(ProcessInstanceField::Tags, Test::eq("red"))
        .is(ProcessInstanceField::Tags, Test::eq("big"));
    assert_eq!(filtered(&session, both.clone()).await, ["t"]);
    assert!(filtered(&session, both.is(ProcessInstanceField::Tags, Test::eq("no"))).await.is_empty());
}

pub async fn variables_select_instances(place: &dyn Place) {
    let session = Session::open(place).await;
    let [a, b, c] = instances(&session, ["a", "b", "c"]).await;
    let make = &session.make;
    let inner = make.element(&a, a.key.scope(), "task");
    let task = make.user_task(&inner);
    let local = make.variable(&a, inner.key, "local", "\"here\"");
    let root = |of: &ProcessInstance, value: &str| make.variable(of, of.key.scope(), "x", value);
    session.commit(vec![put(&inner), put(&task), put(&local)]).await;
    let of_b = root(&b, "1");
    session.commit(vec![put(&root(&a, "1")), put(&of_b), put(&root(&c, "\"1\""))]).await;
    // b ends and takes its variable along; a's local variable ends while a lives.
    session.commit(vec![end(&ended(&b, 5), true), end(&of_b, true), end(&local, true)]).await;
    fn has<F>(scope: VariableScope, name: &str, value: Vec<Test>) -> Condition<F> {
        Condition::HasVariable { scope, name: name.into(), value }
    }
    let anywhere = |name: &str, value| Filter::default().and(has(VariableScope::Anywhere, name, value));
    assert_eq!(filtered(&session, anywhere("x", vec![Test::eq("1")])).await, ["a", "b"]);
    assert_eq!(filtered(&session, anywhere("x", vec![Test::eq("\"1\"")])).await, ["c"]);
    assert_eq!(filtered(&session, anywhere("x", vec![])).await, ["a", "b", "c"]);
    assert_eq!(filtered(&session, anywhere("local", vec![Test::Like("\"h*".into())])).await, ["a"]);
    let both = anywhere("x", vec![Test::eq("1")]).and(has(
        VariableScope::Anywhere,
        "local",
        vec![Test::eq("\"here\"")],
    ));
    assert_eq!(filtered(&session, both).await, ["a"]);
    let tasks = async |scope, name: &str| {
        let search = Search::of(Filter::default().and(has(scope, name, vec![])));
        session.store.user_tasks(&search).await.expect("searches").total
    };
    assert_eq!(tasks(VariableScope::Instance, "x").await, 1);
    assert_eq!(tasks(VariableScope::Local, "x").await, 0);
    assert_eq!(tasks(VariableScope::Local, "local").await, 1);
    let done = UserTask { state: UserTaskState::Completed, ended_at: Some(Timestamp(6)), ..task };
    session.commit(vec![end(&done, true)]).await;
    assert_eq!(tasks(VariableScope::Instance, "x").await, 1, "the variable lives on after the task");
    assert_eq!(tasks(VariableScope::Local, "local").await, 1);
}

pub async fn elements_incidents_and_jobs_select_instances(place: &dyn Place) {
    let session = Session::open(place).await;
    let [a, b, c] = instances(&session, ["a", "b", "c"]).await;
    let make = &session.make;
    let in_a = make.element(&a, a.key.scope(), "one");
    let in_b = make.element(&b, b.key.scope(), "one");
    let incident = Incident { state: IncidentState::Active, ..make.incident(&in_b, "No money left") };
    let job = Job { has_failed_with_retries_left: true, ..make.job(&in_a, "w") };
    let in_c = ElementInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(9)),
        ..make.element(&c, c.key.scope(), "one")
    };
    session.commit(vec![put(&in_a), put(&in_b), put(&incident), put(&job), end(&in_c, false)]).await;
    session.commit(vec![end(&ended(&c, 9), true)]).await;
    let element = |tests| filtered(&session, Filter::default().and(Condition::HasElement(tests)));
    use ElementInstanceField as E;
    assert_eq!(element(vec![(E::ElementId, Test::eq("one"))]).await, ["a", "b", "c"]);
    let active = vec![(E::ElementId, Test::eq("one")), (E::State, Test::eq("ACTIVE"))];
    assert_eq!(element(active).await, ["a", "b"]);
    let completed = vec![(E::State, Test::eq("COMPLETED")), (E::EndDate, Test::eq(9))];
    assert_eq!(element(completed).await, ["c"]);
    let error = vec![(IncidentField::ErrorMessage, Test::Like("*money*".into()))];
    assert_eq!(filtered(&session, Filter::default().and(Condition::HasIncident(error))).await, ["b"]);
    let hash = i64::from(tidemill_store::view::error_hash("No money left"));
    let by_hash = vec![(IncidentField::ErrorHash, Test::eq(hash))];
    assert_eq!(filtered(&session, Filter::default().and(Condition::HasIncident(by_hash))).await, ["b"]);
    let failed = vec![(JobField::HasFailedWithRetriesLeft, Test::eq(true))];
    assert_eq!(filtered(&session, Filter::default().and(Condition::HasJob(failed))).await, ["a"]);
}

pub async fn jobs_show_their_leases(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let instance = make.instance(make.key());
    let element = make.element(&instance, instance.key.scope(), "task");
    let own = Job { lease: Some(make.lease("own", 10)), ..make.job(&element, "w") };
    let (listed, free, over) = (make.job(&element, "w"), make.job(&element, "w"), make.job(&element, "w"));
    let old = JobLease {
        lease: make.lease("old", 5),
        jobs: vec![listed.key, over.key, own.key, free.key],
        released: vec![free.key],
    };
    let over = Job { released: Some(old.lease.key), ..over };
    let new = JobLease { lease: make.lease("new", 20), jobs: vec![listed.key], released: Vec::new() };
    // The job's own lease is younger than the row that lists it.
    let own = Job { lease: Some(make.lease("own", 10)), ..own };
    session.commit(vec![put(&own), put(&listed), put(&free), put(&over), put(&old), put(&new)]).await;
    let shown = async |search: &Search<JobField>| {
        let jobs = session.store.jobs(search).await.expect("searches").items;
        jobs.into_iter()
            .map(|job| (job.key, job.worker.map(String::from), job.deadline.map(|d| d.0)))
            .collect::<Vec<_>>()
    };
    let all = [
        (own.key, Some("own".to_owned()), Some(10)),
        (listed.key, Some("new".to_owned()), Some(20)),
        (free.key, None, None),
        (over.key, None, None),
    ];
    assert_eq!(shown(&Search::default()).await, all);
    let by_worker = Search::of(Filter::default().is(JobField::Worker, Test::eq("new")));
    assert_eq!(shown(&by_worker).await, all[1..2]);
    let by_deadline = Search::default().sort_by(JobField::Deadline, Order::Descending);
    assert_eq!(shown(&by_deadline).await[..2], [all[1].clone(), all[0].clone()]);
    let done = Job { last_event: JobEvent::Completed, ended_at: Some(Timestamp(30)), ..own };
    session.commit(vec![end(&done, true), remove(&new)]).await;
    let one = session.store.job(done.key).await.expect("reads").expect("there");
    assert_eq!(
        (one.state.name(), one.worker.as_deref(), one.ended_at),
        ("COMPLETED", Some("own"), done.ended_at)
    );
}

pub async fn incidents_below_are_found(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let root = make.instance(make.key());
    let sub_process = make.element(&root, root.key.scope(), "sub");
    let caller = make.element(&root, sub_process.key, "call");
    let called = make.called(make.key(), &caller);
    let inner = make.element(&called, called.key.scope(), "task");
    let beside = make.element(&root, root.key.scope(), "beside");
    let (below, next_to) = (make.incident(&inner, "below"), make.incident(&beside, "beside"));
    let stranger = make.instance(make.key());
    let strange = make.element(&stranger, stranger.key.scope(), "task");
    session.commit(vec![put(&root), put(&sub_process), put(&caller), put(&called), put(&inner)]).await;
    session.commit(vec![put(&beside), put(&below), put(&next_to), put(&make.incident(&strange, "x"))]).await;
    let messages = async |condition| {
        let search = Search::of(Filter::default().and(condition));
        let found = session.store.incidents(&search).await.expect("searches");
        found.items.into_iter().map(|incident| incident.message).collect::<Vec<_>>()
    };
    assert_eq!(messages(Condition::WithinInstance(root.key)).await, ["below", "beside"]);
    assert_eq!(messages(Condition::WithinInstance(called.key)).await, ["below"]);
    assert_eq!(messages(Condition::WithinElement(sub_process.key)).await, ["below"]);
    assert_eq!(messages(Condition::WithinElement(inner.key)).await, ["below"]);
    assert_eq!(messages(Condition::WithinElement(beside.key)).await, ["beside"]);
    let resolved = Incident { state: IncidentState::Resolved, ended_at: Some(Timestamp(1)), ..below };
    session
        .commit(vec![
            end(&resolved, true),
            end(&ElementInstance { ended_at: Some(Timestamp(1)), ..inner }, true),
        ])
        .await;
    assert_eq!(messages(Condition::WithinElement(sub_process.key)).await, ["below"], "ended ones too");
}

pub async fn start_events_are_subscriptions_too(place: &dyn Place) {
    let session = Session::open(place).await;
    let make = &session.make;
    let definition = make.definition("p", 3);
    let start = make.start_subscription(&definition, StartEventKind::Message, "go");
    let signal = make.start_subscription(&definition, StartEventKind::Signal, "go");
    let instance = make.instance(definition.key);
    let element = make.element(&instance, instance.key.scope(), "wait");
    let waiting = make.message_subscription(&element, "m", "k");
    session.commit(vec![put(&definition), put(&start), put(&signal), put(&waiting)]).await;
    let all = session.store.message_subscriptions(&Search::default()).await.expect("searches").items;
    assert_eq!(all.iter().map(|s| s.key).collect::<Vec<_>>(), [start.key, waiting.key]);
    assert_eq!(
        (all[0].kind.name(), all[0].instance, all[0].correlation_key.clone()),
        ("START_EVENT", None, None)
    );
    assert_eq!((all[0].process_id.as_str(), all[0].version), ("p", 3));
    assert_eq!((all[1].kind.name(), all[1].instance), ("PROCESS_EVENT", Some(instance.key)));
    let only = Filter::default().is(MessageSubscriptionField::Type, Test::eq("START_EVENT"));
    assert_eq!(session.store.message_subscriptions(&Search::of(only)).await.expect("searches").total, 1);
}

/// No field is forgotten by a store: each can be tested with an operator and sorted by.
pub async fn every_field_can_be_tested_and_sorted(place: &dyn Place) {
    let session = Session::open(place).await;
    let mut workload = crate::workload::Workload::new(3);
    for _ in 0..10 {
        session.store.commit(workload.next(&session.fence)).await.expect("commits");
    }
    macro_rules! try_fields {
        ([] $($search:ident($field:ident) $(, $get:ident($key:ident))?;)+) => {$(
            for field in $field::all().iter().copied() {
                let told = |error| panic!("{}: {error}", field.name());
                let value = match field.kind() {
                    FieldKind::Text | FieldKind::Texts => Value::from("x"),
                    FieldKind::Bool => Value::from(true),
                    _ => Value::from(1),
                };
                let tests =
                    [Test::Eq(value.clone()), Test::Neq(value.clone()), Test::Exists(true), Test::In(vec![value])];
                for test in tests {
                    let search = Search::of(Filter::default().is(field, test));
                    session.store.$search(&search).await.unwrap_or_else(told);
                }
                if field.kind() == FieldKind::Texts {
                    continue;
                }
                for order in [Order::Ascending, Order::Descending] {
                    let mut search = Search::default().sort_by(field, order);
                    search.page.limit = 1;
                    let first = session.store.$search(&search).await.unwrap_or_else(told);
                    let Some(cursor) = first.end_cursor else { continue };
                    for start in [PageStart::After(cursor.clone()), PageStart::Before(cursor)] {
                        search.page.start = start;
                        session.store.$search(&search).await.unwrap_or_else(told);
                    }
                }
            }
        )+};
    }
    tidemill_store::for_each_search!([try_fields] []);
    let tenant = Filter::default().is(ProcessInstanceField::TenantId, Test::eq(TenantId::DEFAULT));
    assert!(session.store.process_instances(&Search::of(tenant)).await.expect("searches").total > 5);
}
