//! Intermediate, boundary and end events, and timers.

use crate::support::{accepted, file, refused};

fn event(tag: &str, inside: &str) -> String {
    file(&format!("\n<startEvent id=\"s\"/>\n<{tag} id=\"e\">\n{inside}\n</{tag}>"), SHARED)
}

const SHARED: &str = r#"<message id="m" name="m"><extensionElements><z:subscription correlationKey="=k"/></extensionElements></message>
<signal id="x" name="x"/>"#;

#[test]
fn an_intermediate_catch_has_one_definition_of_a_known_type() {
    refused(&event("intermediateCatchEvent", ""), &[("e", 3, "Must have exactly one event definition")]);
    let two = r#"<messageEventDefinition messageRef="m"/><signalEventDefinition signalRef="x"/>"#;
    refused(&event("intermediateCatchEvent", two), &[("e", 3, "Must have exactly one event definition")]);
    let reason = "Event definition must be one of: message, timer, signal, link or conditional";
    refused(&event("intermediateCatchEvent", "<errorEventDefinition/>"), &[("e", 4, reason)]);
    refused(&event("intermediateCatchEvent", "<cancelEventDefinition/>"), &[("e", 4, reason)]);
    accepted(&event("intermediateCatchEvent", r#"<signalEventDefinition signalRef="x"/>"#));
}

#[test]
fn an_intermediate_throw_has_at_most_one_definition_of_a_known_type() {
    accepted(&event("intermediateThrowEvent", ""));
    let two = r#"<signalEventDefinition signalRef="x"/><signalEventDefinition signalRef="x"/>"#;
    refused(&event("intermediateThrowEvent", two), &[("e", 3, "Must have at most one event definition")]);
    let reason =
        "Intermediate throw events must be one of: none, message, signal, escalation, link or compensation";
    refused(&event("intermediateThrowEvent", "<errorEventDefinition/>"), &[("e", 4, reason)]);
}

#[test]
fn an_end_has_at_most_one_definition_of_a_known_type() {
    accepted(&event("endEvent", "<terminateEventDefinition/>"));
    let two = r#"<terminateEventDefinition/><signalEventDefinition signalRef="x"/>"#;
    refused(&event("endEvent", two), &[("e", 3, "Must have at most one event definition")]);
    let reason =
        "End events must be one of: none, error, message, terminate, signal, escalation or compensation";
    refused(&event("endEvent", "<cancelEventDefinition/>"), &[("e", 4, reason)]);
}

fn boundary(attributes: &str, inside: &str) -> String {
    file(
        &format!(
            r#"
<startEvent id="s"/>
<task id="t"/>
<boundaryEvent id="b" {attributes}>
{inside}</boundaryEvent>"#
        ),
        SHARED,
    )
}

#[test]
fn a_boundary_event_is_attached_to_an_activity_of_its_scope() {
    let timer = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>";
    accepted(&boundary("attachedToRef=\"t\"", timer));
    for wrong in ["", "attachedToRef=\"nobody\"", "attachedToRef=\"s\""] {
        refused(&boundary(wrong, timer), &[("b", 4, "Must be attached to an activity")]);
    }
}

#[test]
fn a_boundary_event_has_one_definition_of_a_known_type() {
    let on = "attachedToRef=\"t\"";
    refused(&boundary(on, ""), &[("b", 4, "Must have exactly one event definition")]);
    let reason = "Boundary events must be one of: timer, message, error, signal, escalation, conditional";
    refused(&boundary(on, "<terminateEventDefinition/>"), &[("b", 5, reason)]);
    refused(&boundary(on, "<cancelEventDefinition/>"), &[("b", 5, reason)]);
}

#[test]
fn boundary_errors_interrupt_and_boundary_cycles_do_not() {
    let gently = "attachedToRef=\"t\" cancelActivity=\"false\"";
    refused(
        &boundary(gently, "<errorEventDefinition/>"),
        &[("b", 5, "Non-Interrupting event of this type is not allowed")],
    );
    let cycle = "<timerEventDefinition><timeCycle>R3/PT1S</timeCycle></timerEventDefinition>";
    refused(
        &boundary("attachedToRef=\"t\"", cycle),
        &[("b", 5, "Interrupting timer event with time cycle is not allowed.")],
    );
    accepted(&boundary(gently, cycle));
}

#[test]
fn escalations_leave_only_what_holds_other_elements() {
    refused(
        &boundary("attachedToRef=\"t\"", "<escalationEventDefinition/>"),
        &[(
            "b",
            4,
            "An escalation boundary event should only be attached to a subprocess, or a call activity.",
        )],
    );
}

fn timer(inside: &str) -> String {
    event("intermediateCatchEvent", &format!("<timerEventDefinition>\n{inside}\n</timerEventDefinition>"))
}

#[test]
fn a_timer_is_exactly_one_of_date_duration_and_cycle() {
    let reason = "Must be exactly one type of timer: timeDuration, timeDate or timeCycle";
    refused(&timer(""), &[("e", 4, reason)]);
    let two = "<timeDate>2030-01-01T00:00:00Z</timeDate><timeDuration>PT1S</timeDuration>";
    refused(&timer(two), &[("e", 4, reason)]);
    refused(
        &timer("<timeCycle>R/PT1S</timeCycle>"),
        &[("e", 4, "Intermediate timer catch event must have either a time duration or a time date.")],
    );
}

#[test]
fn static_timers_must_make_sense() {
    accepted(&timer("<timeDate>2030-01-01T00:00:00+01:00[Europe/Berlin]</timeDate>"));
    accepted(&timer("<timeDuration>P1DT2H</timeDuration>"));
    accepted(&timer("<timeDuration>=later</timeDuration>"));
    refused(
        &timer("<timeDate>tomorrow</timeDate>"),
        &[("e", 5, "Invalid timer date expression ('tomorrow'")],
    );
    refused(
        &timer("<timeDuration>5 min</timeDuration>"),
        &[("e", 5, "Invalid timer duration expression ('5 min'")],
    );
    refused(&timer("<timeDuration></timeDuration>"), &[("e", 5, "Invalid timer duration expression (''")]);
}

fn start_timer(inside: &str) -> String {
    file(
        &format!(
            "\n<startEvent id=\"s\"><timerEventDefinition>\n{inside}</timerEventDefinition></startEvent>"
        ),
        "",
    )
}

#[test]
fn start_timers_are_known_at_deployment() {
    accepted(&start_timer("<timeCycle>0 0 9 ? * MON-FRI</timeCycle>"));
    accepted(&start_timer("<timeDuration>=duration(\"PT1H\")</timeDuration>"));
    accepted(&start_timer("<timeCycle>=cycle(duration(\"PT1H\"))</timeCycle>"));
    refused(
        &start_timer("<timeCycle>every day</timeCycle>"),
        &[("s", 3, "Invalid timer cycle expression ('every day'")],
    );
    refused(
        &start_timer("<timeDate>=deadline</timeDate>"),
        &[("s", 3, "Invalid timer date expression ('deadline'")],
    );
}

#[test]
fn what_is_neither_true_nor_false_is_refused_with_its_place() {
    let timer = "<timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition>";
    accepted(&boundary("attachedToRef=\"t\" cancelActivity=\" 0 \"", timer));
    refused(
        &boundary("attachedToRef=\"t\" cancelActivity=\"nope\"", timer),
        &[("b", 4, "Expected 'cancelActivity' to be 'true' or 'false', but it is 'nope'")],
    );
    let looped = |attribute: &str| {
        let inside = format!(
            "<multiInstanceLoopCharacteristics {attribute}><extensionElements>\
             <z:loopCharacteristics inputCollection=\"=[1]\"/></extensionElements></multiInstanceLoopCharacteristics>"
        );
        file(&format!("\n<startEvent id=\"s\"/>\n<task id=\"t\">\n{inside}</task>"), "")
    };
    accepted(&looped("isSequential=\"true\""));
    refused(
        &looped("isSequential=\"yes\""),
        &[("t", 4, "Expected 'isSequential' to be 'true' or 'false', but it is 'yes'")],
    );
}

#[test]
fn a_cron_schedule_that_never_comes_is_refused() {
    let timer = |cycle: &str| {
        let inside = format!("<timerEventDefinition><timeCycle>{cycle}</timeCycle></timerEventDefinition>");
        file(&format!("\n<startEvent id=\"s\">\n{inside}</startEvent>"), "")
    };
    accepted(&timer("0 0 12 29 2 *"));
    for never in ["0 0 12 30 2 *", "=\"0 0 12 31 4,6 *\""] {
        let text = never.trim_matches(['=', '"']);
        let reason = format!("Invalid timer cycle expression ('{text}' never matches a date)");
        refused(&timer(never), &[("s", 3, &reason)]);
    }
}
