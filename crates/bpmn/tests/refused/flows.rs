//! Sequence flows.

use crate::support::{accepted, file, refused};

#[test]
fn a_condition_leaves_only_exclusive_and_inclusive_gateways() {
    let xml = file(
        r#"
<startEvent id="s"/>
<task id="t"/>
<sequenceFlow id="f" sourceRef="s" targetRef="t"><conditionExpression>=a</conditionExpression></sequenceFlow>"#,
        "",
    );
    refused(
        &xml,
        &[("f", 4, "Conditional sequence flows are only supported at exclusive or inclusive gateway")],
    );
}

fn gateway(kind: &str, default: &str, second: &str) -> String {
    file(
        &format!(
            r#"
<startEvent id="s"/>
<sequenceFlow id="f0" sourceRef="s" targetRef="g"/>
<{kind} id="g" {default}/>
<sequenceFlow id="f1" sourceRef="g" targetRef="e"><conditionExpression>=a</conditionExpression></sequenceFlow>
<sequenceFlow id="f2" sourceRef="g" targetRef="e">{second}</sequenceFlow>
<endEvent id="e"/>"#
        ),
        "",
    )
}

#[test]
fn every_way_out_needs_a_condition_or_is_the_default() {
    refused(&gateway("exclusiveGateway", "", ""), &[("f2", 6, "Must have a condition or be default flow")]);
    refused(&gateway("inclusiveGateway", "", ""), &[("f2", 6, "Must have a condition")]);
    accepted(&gateway("exclusiveGateway", "default=\"f2\"", ""));
    accepted(&gateway("inclusiveGateway", "default=\"f2\"", ""));
    accepted(&gateway("inclusiveGateway", "", "<conditionExpression>=b</conditionExpression>"));
}

#[test]
fn a_single_way_out_needs_no_condition() {
    let xml = file(
        r#"
<startEvent id="s"/>
<exclusiveGateway id="g"/>
<endEvent id="e"/>
<sequenceFlow id="f0" sourceRef="s" targetRef="g"/>
<sequenceFlow id="f1" sourceRef="g" targetRef="e"/>"#,
        "",
    );
    accepted(&xml);
}

#[test]
fn the_default_flow_starts_at_its_gateway() {
    let both = "<conditionExpression>=b</conditionExpression>";
    refused(
        &gateway("exclusiveGateway", "default=\"f0\"", both),
        &[("g", 4, "Default flow must start at gateway")],
    );
    refused(
        &gateway("inclusiveGateway", "default=\"none\"", both),
        &[("g", 4, "Default flow must start at gateway")],
    );
}

#[test]
fn end_events_are_the_end_and_nothing_leads_to_boundary_events() {
    let xml = file(
        r#"
<startEvent id="s"/>
<task id="t"/>
<boundaryEvent id="b" attachedToRef="t"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></boundaryEvent>
<endEvent id="e"/>
<sequenceFlow id="f1" sourceRef="s" targetRef="b"/>
<sequenceFlow id="f2" sourceRef="e" targetRef="t"/>"#,
        "",
    );
    refused(
        &xml,
        &[
            ("b", 4, "Cannot have incoming sequence flows"),
            ("e", 5, "End events must not have outgoing sequence flows to other elements."),
        ],
    );
}

#[test]
fn flows_connect_flow_nodes_of_one_scope() {
    let xml = file(
        r#"
<startEvent id="s"/>
<subProcess id="sub">
  <startEvent id="inner"/>
</subProcess>
<sequenceFlow id="f1" sourceRef="s" targetRef="inner"/>
<sequenceFlow id="f2" sourceRef="s" targetRef="nowhere"/>
<sequenceFlow id="f3" targetRef="sub"/>"#,
        "",
    );
    refused(
        &xml,
        &[
            ("f1", 6, "Expected source and target of a sequence flow in the same scope"),
            ("f2", 7, "Expected targetRef to name a flow node of the process, but it is 'nowhere'"),
            ("f3", 8, "Expected sourceRef to name a flow node of the process, but it is ''"),
        ],
    );
}

#[test]
fn event_subprocesses_stand_beside_the_flow() {
    let xml = file(
        r#"
<startEvent id="s"/>
<subProcess id="sub" triggeredByEvent="true">
  <startEvent id="inner"><errorEventDefinition/></startEvent>
</subProcess>
<sequenceFlow id="f" sourceRef="s" targetRef="sub"/>"#,
        "",
    );
    refused(&xml, &[("sub", 3, "Event subprocesses must not have sequence flows")]);
}
