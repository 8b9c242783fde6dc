//! A history as a busy server leaves it behind: ended instances of several definitions with all that belonged to them.
//! For tests at a size where a search that reads everything shows.

use crate::Session;
use crate::one_task::{end, put};
use tidemill_model::Timestamp;
use tidemill_model::entity::*;

/// Instances per commit.
const PIECE: usize = 2_000;

/// Rows that searches can ask for.
pub struct History {
    pub instances: usize,
    pub definition: ProcessDefinition,
    /// One instance in the middle, with the key of its task.
    pub some: ProcessInstance,
    pub element: ElementInstance,
    pub job: Job,
}

/// Rare things are one in a thousand; two definitions are of the same process.
pub async fn fill(session: &Session, instances: usize) -> History {
    let definitions = [("order", 1), ("order", 2), ("refund", 1)]
        .map(|(process_id, version)| session.make.definition(process_id, version));
    session.commit(definitions.iter().cloned().map(put).collect()).await;
    let mut some = None;
    for first in (0..instances).step_by(PIECE) {
        let mut changes = Vec::with_capacity(PIECE * 8);
        for n in first..instances.min(first + PIECE) {
            let definition = if n % 1_000 == 999 { &definitions[2] } else { &definitions[n % 2] };
            let (instance, element, job) = one(session, definition, n, &mut changes);
            if n == instances / 2 {
                some = Some((instance, element, job));
            }
        }
        session.commit(changes).await;
    }
    let (instance, element, job) = some.expect("there is one in the middle");
    History { instances, definition: definitions[0].clone(), some: instance, element, job }
}

fn one(
    session: &Session,
    definition: &ProcessDefinition,
    n: usize,
    changes: &mut Vec<tidemill_model::Change>,
) -> (ProcessInstance, ElementInstance, Job) {
    let make = &session.make;
    let at = Timestamp(1_700_000_000_000 + 10 * n as i64);
    let ended_at = Some(at + 5);
    let is_rare = n % 1_000 == 7;
    let state = if is_rare { Lifecycle::Terminated } else { Lifecycle::Completed };
    let instance = ProcessInstance {
        business_id: Some(format!("order-{n}").into()),
        state,
        started_at: at,
        ended_at,
        incidents: u32::from(is_rare),
        ..make.instance(definition.key)
    };
    let element = |id: &str| ElementInstance {
        state,
        started_at: at,
        ended_at,
        ..make.element(&instance, instance.key.scope(), id)
    };
    let task = element("task");
    let job = Job {
        state: JobState::Completed,
        last_event: JobEvent::Completed,
        created_at: at,
        updated_at: at + 3,
        ended_at,
        ..make.job(&task, "work")
    };
    let variable = |name: &str, json: &str| make.variable(&instance, instance.key.scope(), name, json);
    let long = format!("\"{}{n}{}\"", "a".repeat(100), "z".repeat(100));
    changes.extend([end(element("start"), false), end(task.clone(), false), end(job.clone(), false)]);
    changes.extend([
        end(variable("orderId", &format!("\"order-{n}\"")), false),
        end(variable("amount", &n.to_string()), false),
        end(variable("status", "\"done\""), false),
    ]);
    if n.is_multiple_of(10) {
        changes.push(end(variable("note", &long), false));
    }
    if n.is_multiple_of(20) {
        let state = UserTaskState::Completed;
        let assignee = Some(format!("user-{}", n % 100).into());
        changes.push(end(
            UserTask { state, assignee, created_at: at, ended_at, ..make.user_task(&task) },
            false,
        ));
    }
    if n % 50 == 7 {
        let state = IncidentState::Resolved;
        let message = format!("failed for reason {}", n % 7);
        changes
            .push(end(Incident { state, created_at: at, ended_at, ..make.incident(&task, &message) }, false));
    }
    changes.push(end(instance.clone(), false));
    (instance, task, job)
}

/// Calls a macro with every search that people, the command line and clients send by themselves, as
/// `name: Field = search;`. The history is `$history`.
#[macro_export]
macro_rules! searches_over_history {
    ($history:ident, $check:ident) => {{
        use tidemill_store::query::*;
        type Instances = ProcessInstanceField;
        let history: &$crate::history::History = $history;
        fn newest<F>(field: F) -> Sort<F> {
            Sort { field, order: Order::Descending }
        }
        let of_instance = history.some.key.0;
        let all = |sort: Vec<Sort<Instances>>, filter: Filter<Instances>| Search {
            filter,
            sort,
            ..Search::default()
        };
        let none = Filter::<Instances>::default;
        let by_start = || vec![newest(Instances::StartDate)];
        let variable = |name: &str, test: Test| {
            none().and(Condition::HasVariable {
                scope: VariableScope::Anywhere,
                name: name.into(),
                value: vec![test],
            })
        };
        let process = |test: &str| none().is(Instances::ProcessId, Test::eq(test));
        let middle = history.instances / 2;
        $check!("instances in the order of keys", all(vec![], none()));
        $check!("newest instances", all(by_start(), none()));
        $check!(
            "newest instances, key last",
            all(vec![newest(Instances::StartDate), newest(Instances::Key)], none())
        );
        $check!("instances that ended last", all(vec![newest(Instances::EndDate)], none()));
        $check!("newest of a process", all(by_start(), process("order")));
        $check!("newest of a rare process", all(by_start(), process("refund")));
        $check!(
            "newest of a definition",
            all(by_start(), none().is(Instances::DefinitionKey, Test::eq(history.definition.key.0)))
        );
        $check!("newest completed", all(by_start(), none().is(Instances::State, Test::eq("COMPLETED"))));
        $check!("newest terminated", all(by_start(), none().is(Instances::State, Test::eq("TERMINATED"))));
        $check!(
            "terminated in the order of keys",
            all(vec![], none().is(Instances::State, Test::eq("TERMINATED")))
        );
        $check!(
            "newest terminated of a process",
            all(by_start(), process("order").is(Instances::State, Test::eq("TERMINATED")))
        );
        $check!(
            "newest with an incident",
            all(by_start(), none().is(Instances::HasIncident, Test::eq(true)))
        );
        $check!("newest active", all(by_start(), none().is(Instances::State, Test::eq("ACTIVE"))));
        $check!(
            "by business id",
            all(by_start(), none().is(Instances::BusinessId, Test::eq(&*format!("order-{middle}"))))
        );
        $check!(
            "by beginning of a business id",
            all(by_start(), none().is(Instances::BusinessId, Test::Like(format!("order-{middle}*").into())))
        );
        $check!("by parent", all(vec![], none().is(Instances::ParentInstance, Test::eq(of_instance))));
        $check!(
            "by calling element",
            all(vec![], none().is(Instances::ParentElement, Test::eq(history.element.key.0)))
        );
        $check!("by root", all(vec![], none().is(Instances::Root, Test::eq(of_instance))));
        $check!(
            "by keys",
            all(
                by_start(),
                none()
                    .is(Instances::Key, Test::In((0..1_000).map(|n| Value::Int(of_instance + n)).collect()))
            )
        );
        $check!("by a text", all(by_start(), variable("orderId", Test::eq(&*format!("\"order-{middle}\"")))));
        $check!("by a number", all(by_start(), variable("amount", Test::eq(&*middle.to_string()))));
        $check!(
            "by a long text",
            all(
                by_start(),
                variable("note", Test::eq(&*format!("\"{}{middle}{}\"", "a".repeat(100), "z".repeat(100))))
            )
        );
        $check!(
            "by the beginning of a text",
            all(by_start(), variable("orderId", Test::Like(format!("\"order-{middle}*").into())))
        );
        $check!("by a frequent text", all(by_start(), variable("status", Test::eq("\"done\""))));
        $check!(
            "by one of several texts",
            all(by_start(), variable("orderId", Test::In(vec!["\"order-1\"".into(), "\"order-2\"".into()])))
        );
        $check!(
            "by the text of an error",
            all(
                by_start(),
                none().and(Condition::HasIncident(vec![(
                    IncidentField::ErrorMessage,
                    Test::eq("failed for no reason")
                )]))
            )
        );
        let elements = Filter::<ElementInstanceField>::default;
        $check!(
            "elements of an instance",
            Search::of(elements().is(ElementInstanceField::ProcessInstance, Test::eq(of_instance)))
        );
        $check!(
            "elements of a scope",
            Search::of(elements().is(ElementInstanceField::Scope, Test::eq(of_instance)))
        );
        $check!("elements in the order of keys", Search::of(elements()));
        let variables = Filter::<VariableField>::default;
        $check!(
            "variables of an instance",
            Search::of(variables().is(VariableField::ProcessInstance, Test::eq(of_instance)))
        );
        $check!(
            "variables of a scope",
            Search::of(variables().is(VariableField::Scope, Test::eq(of_instance)))
        );
        $check!(
            "variables of an element",
            Search::of(variables().is(VariableField::Scope, Test::eq(history.element.key.0)))
        );
        $check!(
            "variables by name and value",
            Search::of(
                variables()
                    .is(VariableField::Name, Test::eq("amount"))
                    .is(VariableField::Value, Test::eq("4711"))
            )
        );
        $check!(
            "variables by name and beginning",
            Search::of(
                variables()
                    .is(VariableField::Name, Test::eq("orderId"))
                    .is(VariableField::Value, Test::Like("\"order-471*".into()))
            )
        );
        let jobs = Filter::<JobField>::default;
        $check!(
            "jobs of an instance",
            Search::of(jobs().is(JobField::ProcessInstance, Test::eq(of_instance)))
        );
        $check!(
            "jobs of an element",
            Search::of(jobs().is(JobField::ElementInstance, Test::eq(history.element.key.0)))
        );
        $check!(
            "newest jobs",
            Search { sort: vec![newest(JobField::CreationTime), newest(JobField::Key)], ..Search::default() }
        );
        $check!(
            "newest jobs that are open",
            Search {
                filter: jobs().is(JobField::EndTime, Test::Exists(false)),
                sort: vec![newest(JobField::CreationTime)],
                ..Search::default()
            }
        );
        let tasks = Filter::<UserTaskField>::default;
        $check!(
            "tasks of a user",
            Search {
                filter: tasks().is(UserTaskField::Assignee, Test::eq("user-20")),
                sort: vec![newest(UserTaskField::CreationDate)],
                ..Search::default()
            }
        );
        $check!(
            "newest tasks",
            Search { sort: vec![newest(UserTaskField::CreationDate)], ..Search::default() }
        );
        $check!(
            "tasks of an instance",
            Search::of(tasks().is(UserTaskField::ProcessInstance, Test::eq(of_instance)))
        );
        let incidents = Filter::<IncidentField>::default;
        $check!(
            "newest incidents",
            Search { sort: vec![newest(IncidentField::CreationTime)], ..Search::default() }
        );
        $check!("active incidents", Search::of(incidents().is(IncidentField::State, Test::eq("ACTIVE"))));
        $check!(
            "incidents of an instance",
            Search::of(incidents().is(IncidentField::ProcessInstance, Test::eq(of_instance)))
        );
        $check!(
            "incidents below an instance",
            Search::of(incidents().and(Condition::WithinInstance(history.some.key)))
        );
        let subscriptions = Filter::<MessageSubscriptionField>::default;
        $check!(
            "subscriptions of an instance",
            Search::of(subscriptions().is(MessageSubscriptionField::ProcessInstance, Test::eq(of_instance)))
        );
    }};
}
