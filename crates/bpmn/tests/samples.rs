//! Files as modelers write them: pools, lanes, data objects, annotations, diagrams and foreign extensions.

use tidemill_bpmn::{Behavior, Binding, Catch, Document, FormLink, Process, Source, Throw, read};

const ORDER: &str = include_str!("files/order-fulfilment.bpmn");
const LOAN: &str = include_str!("files/boat-loan.bpmn");
const TOUR: &str = include_str!("files/harbour-tour.bpmn");

#[track_caller]
fn document(xml: &str) -> Document {
    read(xml).unwrap_or_else(|findings| panic!("{findings}"))
}

#[track_caller]
fn behavior<'a>(process: &'a Process, id: &str) -> &'a Behavior {
    &process.element_by_id(id).unwrap_or_else(|| panic!("no element {id}")).behavior
}

fn text(source: &Source) -> &str {
    match source {
        Source::Static { text, .. } => text,
        Source::Feel(expression) => expression.text(),
    }
}

#[test]
fn only_the_executable_pool_is_read() {
    let document = document(ORDER);
    assert_eq!(document.processes.len(), 1);
    let process = &document.processes[0];
    assert_eq!(process.id(), "order-fulfilment");
    assert_eq!(process.name().map(|name| name.as_str()), Some("Order fulfilment"));
    assert_eq!(process.version_tag.as_deref(), Some("2.1"));
    assert_eq!((process.elements().len(), process.flows().len()), (23, 17));
    assert_eq!(process.none_start(), None);
}

#[test]
fn elements_are_numbered_in_document_order() {
    let document = document(ORDER);
    let process = &document.processes[0];
    let ids: Vec<&str> = process.elements().iter().take(5).map(|element| element.id.as_str()).collect();
    assert_eq!(
        ids,
        ["order-fulfilment", "StartEvent_ordered", "Activity_review", "Gateway_valid", "Activity_charge"]
    );
    let flows: Vec<&str> = process.flows().iter().take(3).map(|flow| flow.id.as_str()).collect();
    assert_eq!(flows, ["Flow_1", "Flow_2", "Flow_valid"]);
    let review = process.element_by_id("Activity_review").expect("there");
    let line =
        ORDER.lines().position(|line| line.contains("<bpmn:userTask id=\"Activity_review\"")).expect("there");
    assert_eq!((review.line as usize, review.column), (line + 1, 5));
}

#[test]
fn contents_of_an_order_process() {
    let document = document(ORDER);
    let process = &document.processes[0];
    let Behavior::UserTask(task) = behavior(process, "Activity_review") else { panic!("native user task") };
    assert!(matches!(&task.form, Some(FormLink::Deployed { binding: Binding::Deployment, .. })));
    assert_eq!(task.priority.as_ref().map(text), Some("70"));
    let Behavior::Job(job) = behavior(process, "Activity_charge") else { panic!("job") };
    assert_eq!((text(&job.job_type), text(&job.retries)), ("charge-card", "5"));
    let charge = process.element_by_id("Activity_charge").expect("there");
    let headers = charge.headers.as_ref().map(|headers| headers.as_str());
    assert_eq!(headers, Some(r#"{"endpoint":"https://bank.example/charge","method":"POST"}"#));
    assert_eq!(charge.inputs[1].target, ["payment", "currency"]);
    let Behavior::Boundary { catch: Catch::Error { code }, .. } = behavior(process, "Event_declined") else {
        panic!("error boundary event")
    };
    assert_eq!(code.as_deref(), Some("card-declined"));
    let inner = process.element_by_id("Activity_fetch").expect("there");
    assert_eq!(inner.scope, process.element_by_id("Activity_pick").map(|pick| pick.index));
    assert!(matches!(behavior(process, "Event_cancelled"), Behavior::End(Throw::Terminate)));
    let Behavior::Call(called) = behavior(process, "Activity_restock") else { panic!("call activity") };
    assert!(!called.propagates_all_parent_variables && !called.propagates_all_child_variables);
    let valid = process.flows().iter().find(|flow| flow.id == "Flow_valid").expect("there");
    let condition = valid.condition.as_ref().map(|condition| condition.text());
    assert_eq!(condition, Some("valid and order.total > 0"));
}

#[test]
fn two_processes_of_a_file_are_both_read() {
    let document = document(LOAN);
    let ids: Vec<&str> = document.processes.iter().map(|process| process.id().as_str()).collect();
    assert_eq!(ids, ["boat-loan", "payout"]);
    let loan = &document.processes[0];
    assert_eq!(loan.starts().len(), 2);
    assert!(matches!(&loan.root().behavior, Behavior::Process { start_form: Some(_), .. }));
    let Behavior::Job(job) = behavior(loan, "rules") else { panic!("job") };
    assert_eq!(job.priority.as_ref().map(text), Some("10"), "the process's own priority");
    let Behavior::Call(called) = behavior(loan, "pay_out") else { panic!("call activity") };
    assert_eq!(called.binding, Binding::VersionTag("stable".into()));
}

#[test]
fn what_can_reach_an_inclusive_join_goes_over_boundary_events_and_links() {
    let document = document(LOAN);
    let loan = &document.processes[0];
    let Behavior::Inclusive { join: Some(join), .. } = behavior(loan, "together") else { panic!("join") };
    let flow = |id: &str| loan.flows().iter().find(|flow| flow.id == id).expect("there").index;
    let reaches = |element: &str, over: &str| {
        join.can_reach(loan.element_by_id(element).expect("there").index, flow(over))
    };
    assert!(reaches("survey", "f4") && reaches("checks", "f4") && reaches("applied", "f4"));
    assert!(!reaches("rules", "f4") && !reaches("together", "f4") && !reaches("pay_out", "f4"));
    assert!(reaches("survey", "f8") && reaches("survey_late", "f8") && reaches("jump", "f8"));
    assert!(!reaches("survey", "f5") && !reaches("calm", "f5"));
}

#[test]
fn other_modelers_use_other_prefixes_and_parts() {
    let document = document(TOUR);
    let process = &document.processes[0];
    let Behavior::Receive(message) = behavior(process, "_pay") else { panic!("receive task") };
    assert_eq!(text(&message.name), "paid");
    assert_eq!(
        process.element_by_id("_guide").and_then(|guide| guide.name.as_deref()),
        Some("Find\na guide")
    );
}

#[test]
fn a_byte_order_mark_and_windows_line_ends_change_nothing() {
    let windows = format!("\u{FEFF}{}", LOAN.replace('\n', "\r\n"));
    let (plain, marked) = (document(LOAN), document(&windows));
    let lines = |document: &Document| -> Vec<(u32, u32)> {
        document.processes[0].elements().iter().map(|element| (element.line, element.column)).collect()
    };
    assert_eq!(lines(&plain), lines(&marked));
}
