//! Start events.

use crate::support::{accepted, file, refused};

#[test]
fn a_process_begins_somewhere() {
    let xml = file("\n<task id=\"t\"/>", "");
    refused(&xml, &[("p", 1, "Must have at least one start event")]);
}

#[test]
fn there_is_one_none_start_event_at_most() {
    let xml = file("\n<startEvent id=\"a\"/>\n<startEvent id=\"b\"/>", "");
    refused(&xml, &[("b", 3, "Multiple none start events are not allowed")]);
}

#[test]
fn typed_starts_stand_beside_each_other_and_beside_a_none_start() {
    let xml = file(
        r#"
<startEvent id="none"/>
<startEvent id="timer"><timerEventDefinition><timeCycle>R/PT1H</timeCycle></timerEventDefinition></startEvent>
<startEvent id="once"><timerEventDefinition><timeDuration>PT1H</timeDuration></timerEventDefinition></startEvent>
<startEvent id="message"><messageEventDefinition messageRef="m"/></startEvent>
<startEvent id="signal"><signalEventDefinition signalRef="s"/></startEvent>"#,
        r#"<message id="m" name="hello"/><signal id="s" name="hello"/>"#,
    );
    accepted(&xml);
}

#[test]
fn a_start_event_has_one_type() {
    let xml = file(
        r#"
<startEvent id="s">
  <messageEventDefinition messageRef="m"/>
  <signalEventDefinition signalRef="x"/>
</startEvent>"#,
        r#"<message id="m" name="hello"/><signal id="x" name="hello"/>"#,
    );
    refused(&xml, &[("s", 2, "Start event can't have more than one type")]);
}

#[test]
fn errors_and_escalations_do_not_start_a_process() {
    let xml = file(
        r#"
<startEvent id="a"><errorEventDefinition/></startEvent>
<startEvent id="b"><escalationEventDefinition/></startEvent>"#,
        "",
    );
    let reason = "Start events of processes must be one of: none, message, timer, signal or conditional";
    refused(&xml, &[("a", 2, reason), ("b", 3, reason)]);
}

fn sub_process(attributes: &str, inside: &str) -> String {
    file(
        &format!("\n<startEvent id=\"s\"/>\n<subProcess id=\"sub\" {attributes}>{inside}\n</subProcess>"),
        "",
    )
}

#[test]
fn a_subprocess_has_exactly_one_plain_start() {
    refused(&sub_process("", "\n<task id=\"t\"/>"), &[("sub", 3, "Must have exactly one start event")]);
    refused(
        &sub_process("", "\n<startEvent id=\"a\"/>\n<startEvent id=\"b\"/>"),
        &[("sub", 3, "Must have exactly one start event")],
    );
    let typed = "\n<startEvent id=\"a\"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></startEvent>";
    refused(&sub_process("", typed), &[("a", 4, "Start events in subprocesses must be of type none")]);
}

#[test]
fn an_event_subprocess_has_exactly_one_typed_start() {
    let event = "triggeredByEvent=\"true\"";
    let reason = "Start events in event subprocesses must be one of: message, timer, error, signal, escalation or conditional";
    refused(&sub_process(event, ""), &[("sub", 3, "Must have exactly one start event")]);
    refused(&sub_process(event, "\n<startEvent id=\"a\"/>"), &[("a", 4, reason)]);
    let link = "\n<startEvent id=\"a\"><linkEventDefinition name=\"x\"/></startEvent>";
    refused(&sub_process(event, link), &[("a", 4, reason)]);
    accepted(&sub_process(event, "\n<startEvent id=\"a\"><escalationEventDefinition/></startEvent>"));
}

#[test]
fn event_subprocesses_interrupt_by_errors_and_never_by_cycles() {
    let event = "triggeredByEvent=\"true\"";
    let error = "\n<startEvent id=\"a\" isInterrupting=\"false\">\n<errorEventDefinition/></startEvent>";
    refused(&sub_process(event, error), &[("a", 5, "Non-Interrupting event of this type is not allowed")]);
    let cycle = "\n<startEvent id=\"a\">\n<timerEventDefinition><timeCycle>R/PT1S</timeCycle></timerEventDefinition></startEvent>";
    refused(
        &sub_process(event, cycle),
        &[("a", 5, "Interrupting timer event with time cycle is not allowed.")],
    );
    accepted(&sub_process(event, &cycle.replace("id=\"a\"", "id=\"a\" isInterrupting=\"false\"")));
}
