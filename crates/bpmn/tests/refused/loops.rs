//! Loops without a wait.

use crate::support::{accepted, file, findings, refused};

fn round(inside: &str) -> String {
    file(
        &format!(
            r#"
<startEvent id="s"/>
<exclusiveGateway id="g" default="f9"/>
<sequenceFlow id="f0" sourceRef="s" targetRef="g"/>
<sequenceFlow id="f1" sourceRef="g" targetRef="t"><conditionExpression>=a</conditionExpression></sequenceFlow>
<sequenceFlow id="f2" sourceRef="t" targetRef="g"/>
<sequenceFlow id="f9" sourceRef="g" targetRef="e"/>
<endEvent id="e"/>
{inside}"#
        ),
        r#"<signal id="x" name="x"/>"#,
    )
}

#[test]
fn a_loop_that_never_waits_is_refused() {
    let reason = "Processes are not allowed to contain a straight-through processing loop: t > g > t";
    for element in [
        r#"<task id="t"/>"#,
        r#"<manualTask id="t"/>"#,
        r#"<scriptTask id="t"><extensionElements><z:script expression="=1" resultVariable="r"/></extensionElements></scriptTask>"#,
        r#"<intermediateThrowEvent id="t"/>"#,
        r#"<intermediateThrowEvent id="t"><signalEventDefinition signalRef="x"/></intermediateThrowEvent>"#,
    ] {
        refused(&round(element), &[("t", 9, reason)]);
    }
}

#[test]
fn a_loop_that_waits_or_holds_only_gateways_is_fine() {
    for element in [
        r#"<serviceTask id="t"><extensionElements><z:taskDefinition type="x"/></extensionElements></serviceTask>"#,
        r#"<scriptTask id="t"><extensionElements><z:taskDefinition type="x"/></extensionElements></scriptTask>"#,
        r#"<userTask id="t"/>"#,
        r#"<intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>"#,
        r#"<intermediateThrowEvent id="t"><extensionElements><z:taskDefinition type="x"/></extensionElements><messageEventDefinition/></intermediateThrowEvent>"#,
        r#"<exclusiveGateway id="t"/>"#,
    ] {
        accepted(&round(element));
    }
}

#[test]
fn a_loop_through_a_subprocess_is_seen() {
    let sub = |inside: &str| {
        round(&format!(
            r#"<subProcess id="t"><startEvent id="s1"/><sequenceFlow id="i1" sourceRef="s1" targetRef="w"/>{inside}</subProcess>"#
        ))
    };
    let reason =
        "Processes are not allowed to contain a straight-through processing loop: w > g > t > s1 > w";
    refused(&sub(r#"<task id="w"/>"#), &[("w", 9, reason)]);
    accepted(&sub(r#"<userTask id="w"/>"#));
}

#[test]
fn a_process_that_calls_itself_at_once_is_refused() {
    let call = |before: &str| {
        file(
            &format!(
                r#"
<startEvent id="s"/>
{before}
<callActivity id="c"><extensionElements><z:calledElement processId="p"/></extensionElements></callActivity>
<sequenceFlow id="f1" sourceRef="s" targetRef="t"/>
<sequenceFlow id="f2" sourceRef="t" targetRef="c"/>"#
            ),
            "",
        )
    };
    let reason = "Processes are not allowed to contain a straight-through processing loop: t > c > s > t";
    refused(&call(r#"<task id="t"/>"#), &[("t", 3, reason)]);
    accepted(&call(r#"<userTask id="t"/>"#));
}

#[test]
fn a_loop_over_links_is_seen() {
    let xml = file(
        r#"
<startEvent id="s"/>
<intermediateCatchEvent id="c"><linkEventDefinition name="l"/></intermediateCatchEvent>
<intermediateThrowEvent id="t"><linkEventDefinition name="l"/></intermediateThrowEvent>
<sequenceFlow id="f0" sourceRef="s" targetRef="t"/>
<sequenceFlow id="f1" sourceRef="c" targetRef="t"/>"#,
        "",
    );
    refused(
        &xml,
        &[("t", 4, "Processes are not allowed to contain a straight-through processing loop: t > c > t")],
    );
}

#[test]
fn a_long_chain_is_no_loop_and_needs_no_stack() {
    let tasks: String = (1..20_000)
        .map(|n| {
            format!(
                "<task id=\"t{n}\"/><sequenceFlow id=\"f{n}\" sourceRef=\"t{}\" targetRef=\"t{n}\"/>",
                n - 1
            )
        })
        .collect();
    assert_eq!(findings(&file(&format!("<startEvent id=\"t0\"/>{tasks}"), "")), []);
}
