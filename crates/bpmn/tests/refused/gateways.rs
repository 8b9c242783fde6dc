//! Event-based gateways.

use crate::support::{file, refused};

fn gateway(inside: &str) -> String {
    file(
        &format!(
            r#"
<startEvent id="s"/>
<eventBasedGateway id="g"/>
<sequenceFlow id="f0" sourceRef="s" targetRef="g"/>
<intermediateCatchEvent id="a"><signalEventDefinition signalRef="x"/></intermediateCatchEvent>
<sequenceFlow id="fa" sourceRef="g" targetRef="a"/>{inside}"#
        ),
        r#"<signal id="x" name="x"/><message id="m" name="m"><extensionElements><z:subscription correlationKey="=k"/></extensionElements></message>"#,
    )
}

#[test]
fn there_are_at_least_two_events_to_wait_for() {
    refused(&gateway(""), &[("g", 3, "Event-based gateway must have at least 2 outgoing sequence flows.")]);
}

#[test]
fn only_catch_events_can_be_waited_for() {
    let reason = "Event-based gateway must not have an outgoing sequence flow to other elements than message/timer/signal/conditional intermediate catch events.";
    let flow = r#"<sequenceFlow id="fb" sourceRef="g" targetRef="b"/>"#;
    for target in [
        r#"<receiveTask id="b" messageRef="m"/>"#,
        r#"<task id="b"/>"#,
        r#"<intermediateCatchEvent id="b"><linkEventDefinition name="l"/></intermediateCatchEvent>"#,
    ] {
        refused(&gateway(&format!("{target}{flow}")), &[("g", 3, reason)]);
    }
}

#[test]
fn events_behind_the_gateway_have_no_other_way_in() {
    let inside = r#"
<intermediateCatchEvent id="b"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>
<sequenceFlow id="fb" sourceRef="g" targetRef="b"/>
<sequenceFlow id="fs" sourceRef="s" targetRef="b"/>"#;
    refused(
        &gateway(inside),
        &[(
            "g",
            3,
            "Target elements of an event gateway must not have any additional incoming sequence flows",
        )],
    );
}

#[test]
fn events_behind_the_gateway_differ() {
    let inside = r#"
<intermediateCatchEvent id="b"><signalEventDefinition signalRef="x"/></intermediateCatchEvent>
<sequenceFlow id="fb" sourceRef="g" targetRef="b"/>"#;
    refused(
        &gateway(inside),
        &[("b", 7, "Multiple signal event definitions with the same name 'x' are not allowed.")],
    );
}
