//! Extensions that nobody knows are told, with their place and the name that was probably meant; known ones are not.

use tidemill_bpmn::{read, warnings};

fn model(extensions: &str, attributes: &str) -> String {
    format!(
        "<definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
         xmlns:z=\"http://camunda.org/schema/zeebe/1.0\" xmlns:camunda=\"http://camunda.org/schema/1.0/bpmn\">\
         <process id=\"p\" isExecutable=\"true\">\n<startEvent id=\"s\"/>\n\
         <serviceTask id=\"t\" {attributes}>\n<extensionElements>\n<z:taskDefinition type=\"pay\"/>\n\
         {extensions}\n</extensionElements></serviceTask></process></definitions>"
    )
}

#[track_caller]
fn warned(xml: &str, expected: &[(u32, u32, &str, Option<&str>)]) {
    assert!(read(xml).is_ok(), "a warning keeps nothing from running: {:?}", read(xml).err());
    let found = warnings(xml.as_bytes());
    let found: Vec<_> = found
        .iter()
        .map(|found| {
            assert_eq!(found.element_id.as_str(), "t");
            (found.line, found.column, found.reason.as_str(), found.remedy.as_deref())
        })
        .collect();
    assert_eq!(found, expected);
}

#[test]
fn unknown_elements_are_told_with_the_nearest_name() {
    warned(
        &model("<z:foo/>\n <z:taskHeader/>", ""),
        &[
            (6, 1, "Unknown extension element 'zeebe:foo': it has no effect", None),
            (
                7,
                2,
                "Unknown extension element 'zeebe:taskHeader': it has no effect",
                Some("did you mean 'zeebe:taskHeaders'?"),
            ),
        ],
    );
}

#[test]
fn unknown_attributes_are_told_with_the_nearest_name() {
    let retires = model("", "").replace("type=\"pay\"", "type=\"pay\" retires=\"5\"");
    warned(
        &retires,
        &[(
            5,
            1,
            "Unknown attribute 'retires' of 'zeebe:taskDefinition': it has no effect",
            Some("did you mean 'retries'?"),
        )],
    );
    warned(
        &model("<z:assignmentDefinition candidateGroup=\"a\" zzz=\"1\"/>", "z:modelerTemplat=\"x\""),
        &[
            (
                3,
                1,
                "Unknown attribute 'zeebe:modelerTemplat' of 'serviceTask': it has no effect",
                Some("did you mean 'zeebe:modelerTemplate'?"),
            ),
            (
                6,
                1,
                "Unknown attribute 'candidateGroup' of 'zeebe:assignmentDefinition': it has no effect",
                Some("did you mean 'candidateGroups'?"),
            ),
            (6, 1, "Unknown attribute 'zzz' of 'zeebe:assignmentDefinition': it has no effect", None),
        ],
    );
}

#[test]
fn extensions_in_the_wrong_place_are_told() {
    warned(
        &model(
            "<z:input source=\"=1\" target=\"a\"/><z:taskHeaders><z:header key=\"a\"/></z:taskHeaders>",
            "",
        ),
        &[
            (
                6,
                1,
                "Expected 'zeebe:input' inside 'ioMapping', but it stands in 'extensionElements': it has no effect",
                None,
            ),
            (6, 49, "A header without key or value has no effect", None),
        ],
    );
}

#[test]
fn extensions_of_camunda_7_are_told() {
    warned(
        &model("<camunda:inputOutput/>", "camunda:topic=\"pay\""),
        &[
            (3, 1, "'camunda:topic' belongs to Camunda 7 and has no effect", None),
            (6, 1, "'camunda:inputOutput' belongs to Camunda 7 and has no effect", None),
        ],
    );
}

#[test]
fn a_prefix_that_stands_for_something_else_is_told() {
    let xml = model("", "")
        .replace("<definitions ", "<definitions xmlns:zeebe=\"http://camunda.org/schema/zeebe\" ");
    let found = warnings(xml.as_bytes());
    assert_eq!(found.len(), 1);
    assert!(found[0].reason.contains("'zeebe' to stand for"), "{}", found[0]);
}

#[test]
fn what_modelers_write_is_known() {
    warned(
        &model(
            "<z:properties><z:property name=\"a\" value=\"1\"/></z:properties>\
             <z:agentDefinition agentType=\"x\"/><z:jobPriorityDefinition priority=\"3\"/>\
             <z:taskHeaders><z:header id=\"h\" key=\"a\" value=\"b\"/></z:taskHeaders>\
             <z:ioMapping><z:input source=\"=1\" target=\"a\" modelerConfigurationName=\"n\"/></z:ioMapping>",
            "z:modelerTemplate=\"t\" z:modelerTemplateVersion=\"1\" z:modelerTemplateIcon=\"i\"",
        ),
        &[],
    );
}

#[test]
fn unknown_elements_and_attributes_of_bpmn_are_told_with_the_nearest_name() {
    let xml = model("", "isForCompensaton=\"false\"").replace(
        "</extensionElements></serviceTask>",
        "</extensionElements>\n<multiInstanceLoopCharacteristic/>\n<foo/></serviceTask>",
    );
    warned(
        &xml,
        &[
            (
                3,
                1,
                "Unknown attribute 'isForCompensaton' of 'serviceTask': it has no effect",
                Some("did you mean 'isForCompensation'?"),
            ),
            (
                8,
                1,
                "Unknown element 'multiInstanceLoopCharacteristic' in 'serviceTask': it has no effect",
                Some("did you mean 'multiInstanceLoopCharacteristics'?"),
            ),
            (9, 1, "Unknown element 'foo' in 'serviceTask': it has no effect", None),
        ],
    );
}

#[test]
fn what_stands_in_events_loops_and_timers_is_known_or_told() {
    let told = |inside: &str| {
        let xml = model("", "")
            .replace("<startEvent id=\"s\"/>", &format!("<startEvent id=\"s\">{inside}</startEvent>"));
        warnings(xml.as_bytes()).into_iter().map(|found| found.reason).collect::<Vec<_>>()
    };
    assert!(told("<documentation/><outgoing>f</outgoing><timerEventDefinition id=\"x\"><timeCycle>R/PT1H</timeCycle></timerEventDefinition>").is_empty());
    assert_eq!(
        told("<timerEventDefinition><timeCicle>R/PT1H</timeCicle></timerEventDefinition>"),
        ["Unknown element 'timeCicle' in 'timerEventDefinition': it has no effect"]
    );
    assert_eq!(
        told("<timerEventDefinitions/>"),
        ["Unknown element 'timerEventDefinitions' in 'startEvent': it has no effect"]
    );
}
