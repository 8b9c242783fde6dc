//! The words of incidents and refusals that people search for, as one table.

use crate::support::{Harness, ModelBuilder, Options, Timer, scenario};
use tidemill_model::entity::IncidentKind;

/// The message of the incident that an instance without variables runs into.
fn message(model: &ModelBuilder) -> String {
    let mut engine = Harness::new();
    engine.deploy(model);
    engine.start("p", "{}");
    let incident = engine.incident();
    assert_eq!(incident.kind, IncidentKind::ExtractValueError, "{}", incident.message);
    incident.message.to_string()
}

fn waiting_for(timer: Timer) -> ModelBuilder {
    ModelBuilder::process("p").start("s").catch_timer("wait", timer).end("e")
}

fn working(options: impl Fn(Options) -> Options) -> ModelBuilder {
    ModelBuilder::process("p").start("s").service_task("t", |t| options(t.job_type("w"))).end("e")
}

fn asking(options: impl Fn(Options) -> Options) -> ModelBuilder {
    ModelBuilder::process("p").start("s").user_task("u", options).end("e")
}

#[test]
fn a_timer_takes_the_types_of_its_kind() {
    let wrong = |timer: Timer, text: &str, wanted: &str, given: &str| {
        let expected =
            format!("Expected result of the expression '{text}' to be {wanted}, but was '{given}'.");
        assert_eq!(message(&waiting_for(timer)), expected);
    };
    let date = r#"date("2026-01-01")"#;
    wrong(Timer::date(&format!("={date}")), date, "one of '[DATE_TIME, STRING]'", "DATE");
    wrong(Timer::duration(&format!("={date}")), date, "one of '[DURATION, PERIOD, STRING]'", "DATE");
    let duration = r#"duration("PT1S")"#;
    wrong(Timer::date(&format!("={duration}")), duration, "one of '[DATE_TIME, STRING]'", "DURATION");
}

#[test]
fn a_date_in_a_text_says_its_offset() {
    let told = message(&waiting_for(Timer::date(r#"="2026-01-01T00:00:00""#)));
    let expected =
        r#"Invalid date-time format '2026-01-01T00:00:00' for expression '"2026-01-01T00:00:00"'."#;
    assert!(told.starts_with(expected), "{told}");
    let told = message(&asking(|u| u.due_date(r#"="2026-01-01T00:00:00""#)));
    assert!(told.starts_with(expected), "{told}");
}

#[test]
fn a_correlation_key_comes_with_the_warnings_of_its_evaluation() {
    let model = ModelBuilder::process("p").start("s").catch_message("wait", ("go", "=x")).end("e");
    assert_eq!(
        message(&model),
        "Failed to extract the correlation key for 'x': The value must be either a string or a number, but was 'NULL'. The \
         evaluation reported the following warnings:\n[NO_VARIABLE_FOUND] No variable found with name 'x'"
    );
}

#[test]
fn priorities_are_whole_numbers() {
    let job = |priority: &str| message(&working(|t| t.job_priority(priority)));
    let wanted = "for the job priority to be an integer within the 32-bit signed range, but was";
    assert_eq!(job("=1.5"), format!("Expected result of the expression '1.5' {wanted} '1.5'."));
    assert_eq!(
        job("=3000000000"),
        format!("Expected result of the expression '3000000000' {wanted} '3000000000'.")
    );
    assert_eq!(
        job("=true"),
        "Expected result of the expression 'true' for the job priority to be 'NUMBER', but was 'BOOLEAN'."
    );
    assert_eq!(
        message(&asking(|u| u.priority("=1.5"))),
        "Expected result of the expression '1.5' to be an integer, but was a decimal."
    );
    scenario(|engine| {
        engine.deploy(&working(|t| t.job_priority("=5.0")));
        engine.start("p", "{}");
        assert_eq!(engine.job("w").priority, 5);
    });
}

#[test]
fn retries_that_are_no_number() {
    let told = message(&working(|t| t.retries("many")));
    assert_eq!(told, "Expected result of the expression 'many' to be 'NUMBER', but was 'STRING'.");
}

#[test]
fn of_several_faults_of_a_user_task_the_assignee_is_told_first() {
    let told = message(&asking(|u| u.priority("=true").due_date("=1").candidate_groups("=1").assignee("=1")));
    assert_eq!(told, "Expected result of the expression '1' to be 'STRING', but was 'NUMBER'.");
}

#[test]
fn workers_of_user_tasks_get_dates_as_they_were_written() {
    scenario(|engine| {
        let model = ModelBuilder::process("p").start("s").user_task_job("u", |u| {
            u.due_date("2026-01-01T00:00:00+02:00").follow_up_date("2026-01-01T00:00:05.250Z")
        });
        engine.deploy(&model.end("e"));
        engine.start("p", "{}");
        let headers = engine.job("io.camunda.zeebe:userTask").headers.clone().expect("headers");
        assert!(
            headers.as_str().contains(r#""io.camunda.zeebe:dueDate":"2026-01-01T00:00+02:00""#),
            "{headers:?}"
        );
        assert!(headers.as_str().contains(r#""io.camunda.zeebe:followUpDate":"2026-01-01T00:00:05.250Z""#));
    });
}

#[test]
fn instructions_are_refused_rule_by_rule() {
    scenario(|engine| {
        let inside = |b: ModelBuilder| b.start("is").task("it").end("ie");
        let model = ModelBuilder::process("p").start("s").sub_process("sub", inside).event_based("g");
        let model = model.catch_timer("wait", Timer::duration("PT1S"));
        let model = model.end("e").move_to("g").catch_signal("other", "go").end("e2");
        let model = model.with_element("sub", |o| o.multi_instance("=[1]", "i"));
        engine.deploy(&model);
        let mut refused = |at: &[&str]| {
            let start = at.iter().fold(engine.create("p"), |start, id| start.at(id));
            start.try_go().expect_err("refused").reason
        };
        let begin = "Expected to create instance of process with start instructions but";
        assert_eq!(refused(&["s", "nowhere"]), format!("{begin} no element found with id 'nowhere'."));
        assert_eq!(
            refused(&["s", "it"]),
            format!(
                "{begin} the element with id 'it' is inside a multi-instance subprocess. The creation of elements inside a \
                 multi-instance subprocess is not supported."
            )
        );
        let told = refused(&["wait", "s"]);
        let expected = format!(
            "{begin} the element with id 's' targets unsupported element type 'START_EVENT'. Supported"
        );
        assert!(told.starts_with(&expected), "{told}");
        assert_eq!(
            refused(&["wait"]),
            format!(
                "{begin} the element with id 'wait' belongs to an event-based gateway. The creation of elements belonging to \
                 an event-based gateway is not supported."
            )
        );
        let unknown = ["x1", "x2", "x1", "x3", "x4", "x5", "x6", "x7"];
        let start = unknown.iter().fold(engine.create("p"), |start, id| start.terminate_after(id));
        assert_eq!(
            start.try_go().expect_err("refused").reason,
            "Expected to create instance of process with runtime instructions but no element found with id 'x1', 'x2', \
             'x3', 'x4', 'x5' and 2 more in process definition 'p'."
        );
    });
}

#[test]
fn ids_that_are_deployed_twice() {
    scenario(|engine| {
        let form = r#"{"id":"f"}"#;
        let refused = engine.deploy_files(&[("a.form", form), ("b.form", form)]).expect_err("refused");
        assert!(
            refused.reason.ends_with(
                "Expected the form ids to be unique within a deployment but found a duplicated id 'f' in the resources \
                 'a.form' and 'b.form'."
            ),
            "{refused}"
        );
        let refused = engine.deploy_files(&[("a.form", "{")]).expect_err("refused");
        assert!(refused.reason.contains("Failed to parse form JSON. 'a.form': "), "{refused}");
    });
}

#[test]
fn retries_that_are_too_many() {
    let told = |retries: &str| message(&working(|t| t.retries(retries)));
    assert_eq!(
        told("=10**30"),
        "Expected result of the expression '10**30' to be a number of at most 64 bits, but was \
         '1000000000000000000000000000000'."
    );
    let wanted = "for the job retries to be within the 32-bit signed range, but was";
    assert_eq!(
        told("=-3000000000"),
        format!("Expected result of the expression '-3000000000' {wanted} '-3000000000'.")
    );
    assert_eq!(
        told("3000000000"),
        format!("Expected result of the expression '3000000000' {wanted} '3000000000'.")
    );
}

/// Camunda takes them as they are too: such a job is handed out once.
#[test]
fn retries_may_be_negative_and_lose_their_fraction() {
    for (given, retries) in [("=-1", -1), ("=2.7", 2)] {
        scenario(|engine| {
            engine.deploy(&working(|t| t.retries(given)));
            engine.start("p", "{}");
            assert_eq!(engine.job("w").retries, retries);
        });
    }
}
