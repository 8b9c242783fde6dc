//! Names and codes that are caught twice in one place, and ids.

use crate::support::{accepted, file, refused};

const SHARED: &str = r#"
<message id="m1" name="m"><extensionElements><z:subscription correlationKey="=k"/></extensionElements></message>
<message id="m2" name="m"><extensionElements><z:subscription correlationKey="=k"/></extensionElements></message>
<signal id="x1" name="x"/><signal id="x2" name="x"/>
<error id="e1" errorCode="E"/><error id="e2" errorCode="E"/><error id="e3" errorCode="F"/>
<escalation id="c1" escalationCode="C"/><escalation id="c2" escalationCode="C"/>"#;

fn boundaries(first: &str, second: &str) -> String {
    file(
        &format!(
            r#"
<startEvent id="s"/>
<callActivity id="t"><extensionElements><z:calledElement processId="other"/></extensionElements></callActivity>
<boundaryEvent id="a" attachedToRef="t">{first}</boundaryEvent>
<boundaryEvent id="b" attachedToRef="t">{second}</boundaryEvent>"#
        ),
        SHARED,
    )
}

const CASES: &[(&str, &str, &str)] = &[
    (
        r#"<messageEventDefinition messageRef="m1"/>"#,
        r#"<messageEventDefinition messageRef="m2"/>"#,
        "Multiple message event definitions with the same name 'm' are not allowed.",
    ),
    (
        r#"<signalEventDefinition signalRef="x1"/>"#,
        r#"<signalEventDefinition signalRef="x2"/>"#,
        "Multiple signal event definitions with the same name 'x' are not allowed.",
    ),
    (
        r#"<errorEventDefinition errorRef="e1"/>"#,
        r#"<errorEventDefinition errorRef="e2"/>"#,
        "Multiple error catch events with the same error code 'E' are not supported on the same scope.",
    ),
    (
        r#"<errorEventDefinition/>"#,
        r#"<errorEventDefinition/>"#,
        "The same scope can not contain more than one error catch event without error code.",
    ),
    (
        r#"<escalationEventDefinition escalationRef="c1"/>"#,
        r#"<escalationEventDefinition escalationRef="c2"/>"#,
        "Multiple escalation catch events with the same escalation code 'C' are not supported on the same scope.",
    ),
    (
        r#"<escalationEventDefinition/>"#,
        r#"<escalationEventDefinition/>"#,
        "The same scope can not contain more than one escalation catch event without escalation code.",
    ),
];

#[test]
fn boundary_events_of_an_activity_differ() {
    for (first, second, reason) in CASES {
        refused(&boundaries(first, second), &[("b", 5, reason)]);
    }
    accepted(&boundaries(
        r#"<errorEventDefinition errorRef="e1"/>"#,
        r#"<errorEventDefinition errorRef="e3"/>"#,
    ));
    accepted(&boundaries(r#"<errorEventDefinition errorRef="e1"/>"#, "<errorEventDefinition/>"));
}

#[test]
fn event_subprocesses_of_a_scope_differ() {
    for (first, second, reason) in CASES {
        let xml = file(
            &format!(
                r#"
<startEvent id="s"/>
<subProcess id="one" triggeredByEvent="true"><startEvent id="a">{first}</startEvent></subProcess>
<subProcess id="two" triggeredByEvent="true">
<startEvent id="b">{second}</startEvent></subProcess>"#
            ),
            SHARED,
        );
        refused(&xml, &[("b", 5, reason)]);
    }
}

#[test]
fn start_events_of_a_process_differ() {
    for (first, second, reason) in &CASES[..2] {
        let xml = file(
            &format!(
                "\n<startEvent id=\"a\">{first}</startEvent>\n<startEvent id=\"b\">{second}</startEvent>"
            ),
            SHARED,
        );
        refused(&xml, &[("b", 3, reason)]);
    }
}

#[test]
fn the_same_name_in_different_places_is_fine() {
    let message = r#"<messageEventDefinition messageRef="m1"/>"#;
    let xml = file(
        &format!(
            r#"
<startEvent id="s"/>
<task id="t1"/><boundaryEvent id="a" attachedToRef="t1">{message}</boundaryEvent>
<task id="t2"/><boundaryEvent id="b" attachedToRef="t2">{message}</boundaryEvent>
<intermediateCatchEvent id="c">{message}</intermediateCatchEvent>"#
        ),
        SHARED,
    );
    accepted(&xml);
}

#[test]
fn a_receive_task_does_not_share_its_message_with_its_boundary_event() {
    let xml = file(
        r#"
<startEvent id="s"/>
<receiveTask id="t" messageRef="m1"/>
<boundaryEvent id="b" attachedToRef="t"><messageEventDefinition messageRef="m2"/></boundaryEvent>"#,
        SHARED,
    );
    refused(&xml, &[("t", 3, "Cannot reference the same message name as a boundary event")]);
}

#[test]
fn ids_are_there_and_differ() {
    let xml = file(
        r#"
<startEvent id="s"/>
<task id="t"/>
<task id="t"/>
<task name="Nameless"/>
<task id=""/>
<sequenceFlow sourceRef="s" targetRef="t"/>"#,
        "",
    );
    refused(
        &xml,
        &[
            ("t", 4, "Expected ids to be unique in the file, but 't' is used twice"),
            ("task", 5, "Element id must be present and not empty."),
            ("task", 6, "Element id must be present and not empty."),
            ("sequenceFlow", 7, "Element id must be present and not empty."),
        ],
    );
    let long = file(&format!("\n<startEvent id=\"{}\"/>", "s".repeat(513)), "");
    refused(
        &long,
        &[(
            &"s".repeat(513),
            2,
            "IDs must not be longer than the configured max-id-length of 256 characters.",
        )],
    );
}

#[test]
fn ids_are_names() {
    for bad in ["a&#10;b", "a b", "1a", "-a", "a:b", "a/b", "a&#x9b;b", "a\u{202e}b"] {
        let xml = file(&format!("\n<startEvent id=\"{bad}\"/>"), "");
        let findings = tidemill_bpmn::read(xml.as_bytes()).expect_err("refused").0;
        assert_eq!(findings.len(), 1, "{bad}: {findings:?}");
        assert_eq!((findings[0].line, findings[0].column > 0), (2, true), "{bad}");
        assert!(findings[0].reason.contains("begins with a letter"), "{bad}: {}", findings[0].reason);
        let xml = file("\n<startEvent id=\"s\"/>", "").replace("id=\"p\"", &format!("id=\"{bad}\""));
        assert!(tidemill_bpmn::read(xml.as_bytes()).is_err(), "a process called {bad}");
    }
    for good in ["a", "_1", "Straße-2.b", "注文"] {
        let xml = file(&format!("\n<startEvent id=\"{good}\"/>"), "");
        assert!(tidemill_bpmn::read(xml.as_bytes()).is_ok(), "{good}");
    }
}

#[test]
fn two_processes_of_a_file_do_not_share_ids() {
    let xml = file(
        "\n<startEvent id=\"s\"/>",
        "\n<process id=\"p\" isExecutable=\"true\">\n<startEvent id=\"s2\"/></process>",
    );
    refused(&xml, &[("p", 3, "Expected ids to be unique in the file, but 'p' is used twice")]);
}
