//! Elements that are not run yet, or never will be, are refused by name.

use crate::support::{accepted, file, refused};

fn beside_start(inside: &str) -> String {
    file(&format!("\n<startEvent id=\"s\"/>\n{inside}"), "")
}

#[test]
fn elements_are_refused_by_name() {
    refused(
        &beside_start("<complexGateway id=\"g\"/>"),
        &[("g", 3, "Elements of type 'complexGateway' are currently not supported.")],
    );
    refused(
        &beside_start("<transaction id=\"t\"><startEvent id=\"x\"/></transaction>"),
        &[("t", 3, "Elements of type 'transaction' are currently not supported.")],
    );
    refused(
        &beside_start("<adHocSubProcess id=\"a\"><task id=\"x\"/></adHocSubProcess>"),
        &[("a", 3, "Ad-hoc subprocesses are not supported yet")],
    );
    refused(
        &beside_start("<somethingNew id=\"n\"/>"),
        &[("p", 3, "Elements of type 'somethingNew' are currently not supported.")],
    );
    refused(
        &beside_start("<task id=\"t\"><standardLoopCharacteristics/></task>"),
        &[("t", 3, "Loop activities are not supported")],
    );
    refused(
        &beside_start("<task id=\"t\" isForCompensation=\"true\"/>"),
        &[("t", 3, "Compensation is not supported yet")],
    );
    refused(
        &file(
            "\n<startEvent id=\"s\"/>\n<receiveTask id=\"r\" instantiate=\"true\" messageRef=\"m\"/>",
            "<message id=\"m\" name=\"m\"><extensionElements><z:subscription correlationKey=\"=k\"/></extensionElements></message>",
        ),
        &[("r", 3, "Receive tasks that start a process are not supported")],
    );
}

#[test]
fn event_types_are_refused_by_name() {
    let conditional = "<conditionalEventDefinition><condition>=x</condition></conditionalEventDefinition>";
    let not_yet = "Conditional events are not supported yet";
    refused(
        &beside_start(&format!("<intermediateCatchEvent id=\"c\">\n{conditional}</intermediateCatchEvent>")),
        &[("c", 4, not_yet)],
    );
    refused(&file(&format!("\n<startEvent id=\"s\">{conditional}</startEvent>"), ""), &[("s", 2, not_yet)]);
    refused(
        &beside_start(&format!(
            "<task id=\"t\"/><boundaryEvent id=\"b\" attachedToRef=\"t\">{conditional}</boundaryEvent>"
        )),
        &[("b", 3, not_yet)],
    );
    let compensation = "Compensation events are not supported yet";
    refused(
        &beside_start(
            "<intermediateThrowEvent id=\"c\"><compensateEventDefinition/></intermediateThrowEvent>",
        ),
        &[("c", 3, compensation)],
    );
    refused(
        &beside_start("<endEvent id=\"c\"><compensateEventDefinition/></endEvent>"),
        &[("c", 3, compensation)],
    );
    refused(
        &beside_start(
            "<task id=\"t\"/><boundaryEvent id=\"b\" attachedToRef=\"t\"><compensateEventDefinition/></boundaryEvent>",
        ),
        &[("b", 3, compensation)],
    );
}

#[test]
fn extensions_are_refused_by_name() {
    let task = |tag: &str, extension: &str| {
        beside_start(&format!("<{tag} id=\"t\"><extensionElements>\n{extension}</extensionElements></{tag}>"))
    };
    refused(
        &task(
            "task",
            "<z:executionListeners><z:executionListener eventType=\"start\" type=\"x\"/></z:executionListeners>",
        ),
        &[("t", 4, "Execution listeners are not supported yet")],
    );
    refused(
        &task("userTask", "<z:userTask/><z:taskListeners/>"),
        &[("t", 4, "Task listeners are not supported yet")],
    );
    refused(
        &task("businessRuleTask", "<z:calledDecision decisionId=\"d\" resultVariable=\"r\"/>"),
        &[("t", 4, "'zeebe:calledDecision' is not supported yet")],
    );
    refused(
        &task("sendTask", "<z:publishMessage correlationKey=\"=k\"/>"),
        &[("t", 4, "'zeebe:publishMessage' is not supported yet")],
    );
    refused(
        &task("serviceTask", "<z:taskDefinition type=\"x\"/><z:linkedResources/>"),
        &[("t", 4, "Linked resources are not supported yet")],
    );
    accepted(&task("callActivity", "<z:calledElement processId=\"o\" businessId=\"=b\"/>"));
    let long = "b".repeat(257);
    refused(
        &task("callActivity", &format!("<z:calledElement processId=\"o\" businessId=\"{long}\"/>")),
        &[("t", 4, "Expected static value to be no longer than 256 characters, but found 'bbb")],
    );
}

#[test]
fn listeners_of_sequence_flows_are_refused() {
    let xml = beside_start(
        "<task id=\"t\"/><sequenceFlow id=\"f\" sourceRef=\"s\" targetRef=\"t\"><extensionElements>\n\
         <z:executionListeners><z:executionListener eventType=\"start\" type=\"x\"/></z:executionListeners>\
         </extensionElements></sequenceFlow>",
    );
    refused(&xml, &[("f", 4, "Execution listeners are not supported on sequence flows")]);
    assert!(tidemill_bpmn::read_process(xml.as_bytes(), "p").is_ok(), "what was deployed before goes on");
}

#[test]
fn shared_event_definitions_are_refused_by_name() {
    let reason = "'eventDefinitionRef' is not supported, but refers to 'd'";
    let reference = "<eventDefinitionRef>d</eventDefinitionRef>";
    for event in ["intermediateCatchEvent", "intermediateThrowEvent", "endEvent", "startEvent"] {
        let xml = beside_start(&format!("<{event} id=\"e\">{reference}</{event}>"));
        refused(&xml, &[("e", 3, reason)]);
    }
    let boundary =
        format!("<task id=\"t\"/><boundaryEvent id=\"e\" attachedToRef=\"t\">{reference}</boundaryEvent>");
    refused(&beside_start(&boundary), &[("e", 3, reason)]);
}

#[test]
fn what_expressions_cannot_read_is_refused() {
    let input = |source: &str| {
        beside_start(&format!(
            "<serviceTask id=\"t\"><extensionElements><z:taskDefinition type=\"x\"/><z:ioMapping>\n\
             <z:input source=\"{source}\" target=\"a\"/></z:ioMapping></extensionElements></serviceTask>"
        ))
    };
    accepted(&input("=camunda.processInstance.key"));
    accepted(&input("=camunda.processInstance.businessId + camunda.mine"));
    for member in ["camunda.vars.cluster.x", "camunda.vars.env.x + 1", "[camunda.vars]"] {
        refused(
            &input(&format!("={member}")),
            &[("t", 4, "Cluster variables ('camunda.vars') are not supported yet")],
        );
    }
    refused(
        &input("=camunda.secrets.token"),
        &[("t", 4, "Secrets ('camunda.secrets') are not supported yet")],
    );
    let reason = "Expected one of 'key', 'businessId' of 'camunda.processInstance', but found 'businesId'";
    let xml = input("=camunda.processInstance.businesId");
    refused(&xml, &[("t", 4, reason)]);
    assert!(tidemill_bpmn::read_process(xml.as_bytes(), "p").is_ok(), "what was deployed before goes on");
}

#[test]
fn what_is_only_drawn_is_carried() {
    accepted(&beside_start(
        r#"<laneSet id="l"><lane id="l1"><flowNodeRef>s</flowNodeRef></lane></laneSet>
<dataObject id="d"/><dataObjectReference id="dr" dataObjectRef="d"/><dataStoreReference id="ds"/>
<textAnnotation id="a"><text>note</text></textAnnotation><association id="as" sourceRef="s" targetRef="a"/>
<group id="gr"/><documentation>words</documentation>"#,
    ));
    accepted(
        &beside_start("<modeler:thing xmlns:modeler=\"urn:modeler\"/>")
            .replace("<startEvent id=\"s\"/>", "<startEvent id=\"s\"><extensionElements><z:properties><z:property name=\"a\" value=\"b\"/></z:properties></extensionElements></startEvent>"),
    );
}
