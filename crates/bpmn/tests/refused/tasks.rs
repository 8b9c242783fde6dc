//! How tasks, call activities and multi-instance activities are implemented.

use crate::support::{accepted, file, refused};

fn task(tag: &str, extensions: &str) -> String {
    file(
        &format!(
            "\n<startEvent id=\"s\"/>\n<{tag} id=\"t\">\n<extensionElements>\n{extensions}\n</extensionElements></{tag}>"
        ),
        "",
    )
}

const JOB: &str = r#"<z:taskDefinition type="pay"/>"#;

#[test]
fn a_service_task_has_a_job_type() {
    let reason = "Must have exactly one 'zeebe:taskDefinition' extension element";
    refused(&task("serviceTask", ""), &[("t", 3, reason)]);
    refused(&task("serviceTask", &format!("{JOB}{JOB}")), &[("t", 3, reason)]);
    refused(
        &task("serviceTask", r#"<z:taskDefinition type="" retries=""/>"#),
        &[("t", 5, "Attribute 'type' must be present and not empty")],
    );
    accepted(&task("serviceTask", r#"<z:taskDefinition type="=kind" retries="=n"/>"#));
}

#[test]
fn other_tasks_have_exactly_one_implementation() {
    let one_of = |other: &str| {
        format!("Must have either one 'zeebe:{other}' or one 'zeebe:taskDefinition' extension element")
    };
    for (tag, other) in
        [("sendTask", "publishMessage"), ("scriptTask", "script"), ("businessRuleTask", "calledDecision")]
    {
        accepted(&task(tag, JOB));
        refused(&task(tag, ""), &[("t", 3, &one_of(other))]);
        refused(&task(tag, &format!("{JOB}{JOB}")), &[("t", 3, &one_of(other))]);
        refused(&task(tag, &format!("{JOB}<z:{other}/>")), &[("t", 3, &one_of(other))]);
    }
}

#[test]
fn messages_are_thrown_by_a_job() {
    for tag in ["intermediateThrowEvent", "endEvent"] {
        let event = |extensions: &str, inside: &str| {
            file(
                &format!(
                    "\n<startEvent id=\"s\"/>\n<{tag} id=\"t\"><extensionElements>{extensions}</extensionElements>\n<messageEventDefinition>{inside}</messageEventDefinition></{tag}>"
                ),
                "",
            )
        };
        accepted(&event(JOB, ""));
        let reason =
            "Must have either one 'zeebe:publishMessage' or one 'zeebe:taskDefinition' extension element";
        refused(&event("", ""), &[("t", 3, reason)]);
        let publish = "<extensionElements><z:publishMessage correlationKey=\"=k\"/></extensionElements>";
        refused(&event("", publish), &[("t", 4, "'zeebe:publishMessage' is not supported yet")]);
    }
}

#[test]
fn a_script_has_an_expression_and_a_result() {
    accepted(&task("scriptTask", r#"<z:script expression="=1 + 1" resultVariable="two"/>"#));
    refused(
        &task("scriptTask", r#"<z:script expression="1 + 1"/>"#),
        &[
            (
                "t",
                5,
                "Expected expression but found static value '1 + 1'. An expression must start with '=' (e.g. '=1 + 1').",
            ),
            ("t", 5, "Attribute 'resultVariable' must be present and not empty"),
        ],
    );
    let priority = r#"<z:script expression="=1" resultVariable="r"/><z:jobPriorityDefinition priority="1"/>"#;
    refused(
        &task("scriptTask", priority),
        &[("t", 5, "'zeebe:jobPriorityDefinition' is only allowed in job-worker mode")],
    );
}

#[test]
fn job_priorities_are_integers() {
    accepted(&task("serviceTask", &format!("{JOB}<z:jobPriorityDefinition priority=\"-5\"/>")));
    accepted(&task("serviceTask", &format!("{JOB}<z:jobPriorityDefinition/>")));
    accepted(&task("serviceTask", &format!("{JOB}<z:jobPriorityDefinition priority=\"=p\"/>")));
    refused(
        &task("serviceTask", &format!("{JOB}<z:jobPriorityDefinition priority=\"high\"/>")),
        &[(
            "t",
            5,
            "Expected 'priority' to be a literal integer or a FEEL expression (starting with '='), but got 'high'.",
        )],
    );
}

#[test]
fn a_call_activity_names_a_process() {
    accepted(&task("callActivity", r#"<z:calledElement processId="=which"/>"#));
    refused(
        &task("callActivity", ""),
        &[("t", 3, "Must have exactly one 'zeebe:calledElement' extension element")],
    );
    refused(
        &task("callActivity", "<z:calledElement/>"),
        &[("t", 5, "Attribute 'processId' must be present and not empty")],
    );
}

#[test]
fn bindings_and_version_tags_fit_together() {
    let call =
        |attributes: &str| task("callActivity", &format!("<z:calledElement processId=\"o\" {attributes}/>"));
    accepted(&call("bindingType=\"deployment\""));
    accepted(&call("bindingType=\"versionTag\" versionTag=\"v1\""));
    refused(
        &call("bindingType=\"versionTag\""),
        &[("t", 5, "Attribute 'versionTag' must be present and not empty if 'bindingType' is 'versionTag'")],
    );
    refused(
        &call("versionTag=\"v1\""),
        &[("t", 5, "Attribute 'versionTag' may only be used if 'bindingType' is 'versionTag'")],
    );
    refused(
        &call("bindingType=\"newest\""),
        &[("t", 5, "Attribute 'bindingType' must be one of: deployment, latest, versionTag")],
    );
}

#[test]
fn a_form_is_named_in_one_way() {
    let native = |form: &str| task("userTask", &format!("<z:userTask/>\n<z:formDefinition {form}/>"));
    let by_job = |form: &str| task("userTask", &format!("<z:formDefinition {form}/>"));
    accepted(&native("formId=\"f\""));
    accepted(&native("externalReference=\"=url\""));
    accepted(&by_job("formKey=\"k\""));
    accepted(&by_job("formId=\"f\""));
    let reason = "Exactly one of the attributes 'formId, externalReference' must be present and not blank for native user tasks";
    refused(&native(""), &[("t", 6, reason)]);
    refused(&native("formId=\"f\" externalReference=\"r\""), &[("t", 6, reason)]);
    refused(&native("formKey=\"k\""), &[("t", 6, reason)]);
    let reason = "Exactly one of the attributes 'formId, formKey' must be present and not blank";
    refused(&by_job("formId=\"f\" formKey=\"k\""), &[("t", 5, reason)]);
    refused(&by_job("externalReference=\"r\""), &[("t", 5, reason)]);
}

#[test]
fn a_user_task_without_any_extension_is_a_job_and_a_task_definition_on_it_is_ignored() {
    accepted(&file("\n<startEvent id=\"s\"/>\n<userTask id=\"t\"/>", ""));
    accepted(&task("userTask", JOB));
}

#[test]
fn user_task_data_makes_sense() {
    let user = |extensions: &str| task("userTask", &format!("<z:userTask/>{extensions}"));
    accepted(&user(r#"<z:taskSchedule dueDate="2030-01-01T10:00:00+02:00" followUpDate="=soon"/>"#));
    refused(
        &user(r#"<z:taskSchedule dueDate="soon" followUpDate="2030"/>"#),
        &[
            (
                "t",
                5,
                "Expected static value to be a valid DateTime String, e.g. '2023-03-02T15:35+02:00', but found 'soon'.",
            ),
            (
                "t",
                5,
                "Expected static value to be a valid DateTime String, e.g. '2023-03-02T15:35+02:00', but found '2030'.",
            ),
        ],
    );
    accepted(&user(r#"<z:priorityDefinition priority="100"/>"#));
    accepted(&user("<z:priorityDefinition/>"));
    accepted(&user("<z:priorityDefinition priority=\"\"/>"));
    for wrong in ["101", "-1", "high"] {
        let reason = format!("Priority must be a number between 0 and 100, but was '{wrong}'.");
        refused(&user(&format!("<z:priorityDefinition priority=\"{wrong}\"/>")), &[("t", 5, &reason)]);
    }
    accepted(&user(r#"<z:assignmentDefinition candidateGroups="a, b" candidateUsers="=users"/>"#));
    refused(
        &user(r#"<z:assignmentDefinition candidateGroups="a,,b"/>"#),
        &[(
            "t",
            5,
            "Expected static value to be a list of comma-separated values, e.g. 'a,b,c', but found 'a,,b'.",
        )],
    );
}

#[test]
fn headers_have_keys_of_their_own() {
    let headers =
        |inside: &str| task("serviceTask", &format!("{JOB}<z:taskHeaders>\n{inside}</z:taskHeaders>"));
    accepted(&headers(
        "<z:header key=\"a\" value=\"1\"/><z:header key=\"b\"/><z:header key=\"b\" value=\"\"/>",
    ));
    refused(
        &headers("<z:header key=\"a\" value=\"1\"/>\n<z:header key=\"a\" value=\"2\"/>"),
        &[("t", 7, "Headers contain duplicate entries for key 'a'")],
    );
    refused(
        &headers("<z:header key=\"io.camunda.zeebe:x\" value=\"1\"/>"),
        &[(
            "t",
            6,
            "Attribute 'key' contains 'io.camunda.zeebe:x', but header keys starting with 'io.camunda.zeebe:' are reserved for internal use.",
        )],
    );
}

#[test]
fn extensions_are_written_once() {
    let twice = format!("{JOB}<z:ioMapping/>\n<z:ioMapping/>");
    refused(
        &task("serviceTask", &twice),
        &[("t", 6, "Must have exactly one 'zeebe:ioMapping' extension element when exists.")],
    );
}

fn multi_instance(inside: &str) -> String {
    file(
        &format!(
            "\n<startEvent id=\"s\"/>\n<task id=\"t\">\n<multiInstanceLoopCharacteristics>\n{inside}</multiInstanceLoopCharacteristics></task>"
        ),
        "",
    )
}

#[test]
fn multi_instance_activities_have_an_input_collection_and_complete_outputs() {
    let with = |attributes: &str| {
        multi_instance(&format!(
            "<extensionElements><z:loopCharacteristics {attributes}/></extensionElements>"
        ))
    };
    accepted(&with("inputCollection=\"=items\""));
    accepted(&with("inputCollection=\"=items\" outputCollection=\"r\" outputElement=\"=x\""));
    refused(
        &multi_instance(""),
        &[("t", 4, "Must have exactly one 'zeebe:loopCharacteristics' extension element")],
    );
    refused(&with(""), &[("t", 5, "Attribute 'inputCollection' must be present and not empty")]);
    refused(
        &with("inputCollection=\"items\""),
        &[("t", 5, "Expected expression but found static value 'items'.")],
    );
    refused(
        &with("inputCollection=\"=i\" outputCollection=\"r\""),
        &[("t", 5, "Attribute 'outputElement' must be present if the attribute 'outputCollection' is set")],
    );
    refused(
        &with("inputCollection=\"=i\" outputElement=\"=x\""),
        &[("t", 5, "Attribute 'outputCollection' must be present if the attribute 'outputElement' is set")],
    );
}

#[test]
fn only_activities_run_many_times() {
    let xml = file(
        "\n<startEvent id=\"s\"/>\n<parallelGateway id=\"g\">\n<multiInstanceLoopCharacteristics><extensionElements><z:loopCharacteristics inputCollection=\"=i\"/></extensionElements></multiInstanceLoopCharacteristics></parallelGateway>",
        "",
    );
    refused(&xml, &[("g", 4, "Multi-instance is only supported on activities")]);
}
