//! Extension elements that have no effect because nobody knows them, with the name that was probably meant. A typing error in
//! `retries` must not pass in silence, but models with extensions of others must still run.

use crate::report::Report;
use crate::vocabulary;
use crate::xml::{AttributeName, Tag};
use tidemill_feel::nearest;

/// An extension element: its name, the element that it stands in, its attributes.
struct Known {
    name: &'static str,
    inside: &'static str,
    attributes: &'static [&'static str],
}

const fn known(name: &'static str, inside: &'static str, attributes: &'static [&'static str]) -> Known {
    Known { name, inside, attributes }
}

const HOLDER: &str = "extensionElements";

/// Every extension element of Camunda 8.9 and 8.10, whether this version acts on it or not.
const KNOWN: [Known; 31] = [
    known("adHoc", HOLDER, &["activeElementsCollection", "outputCollection", "outputElement"]),
    known("agentDefinition", HOLDER, &["agentType"]),
    known("assignmentDefinition", HOLDER, &["assignee", "candidateGroups", "candidateUsers"]),
    known("calledDecision", HOLDER, &["decisionId", "resultVariable", "bindingType", "versionTag"]),
    known(
        "calledElement",
        HOLDER,
        &[
            "processId",
            "processIdExpression",
            "propagateAllChildVariables",
            "propagateAllParentVariables",
            "bindingType",
            "versionTag",
            "businessId",
        ],
    ),
    known("conditionalFilter", HOLDER, &["variableNames", "variableEvents"]),
    known("executionListeners", HOLDER, &[]),
    known("executionListener", "executionListeners", &["eventType", "retries", "type"]),
    known("formDefinition", HOLDER, &["formKey", "formId", "externalReference", "bindingType", "versionTag"]),
    known("header", "taskHeaders", &["key", "value"]),
    known("input", "ioMapping", MAPPING),
    known("ioMapping", HOLDER, &[]),
    known("jobPriorityDefinition", HOLDER, &["priority"]),
    known(
        "linkedResource",
        "linkedResources",
        &["resourceId", "resourceType", "linkName", "bindingType", "versionTag"],
    ),
    known("linkedResources", HOLDER, &[]),
    known(
        "loopCharacteristics",
        HOLDER,
        &["inputCollection", "inputElement", "outputCollection", "outputElement"],
    ),
    known("output", "ioMapping", MAPPING),
    known("priorityDefinition", HOLDER, &["priority"]),
    known("properties", HOLDER, &[]),
    known(
        "property",
        "properties",
        &["name", "value", "modelerConfigurationTemplate", "modelerConfigurationName"],
    ),
    known("publishMessage", HOLDER, &["correlationKey", "messageId", "timeToLive"]),
    known("script", HOLDER, &["expression", "resultVariable"]),
    known("subscription", HOLDER, &["correlationKey"]),
    known("taskDefinition", HOLDER, &["type", "retries"]),
    known("taskHeaders", "", &[]),
    known("taskListener", "taskListeners", &["eventType", "retries", "type"]),
    known("taskListeners", HOLDER, &[]),
    known("taskSchedule", HOLDER, &["dueDate", "followUpDate"]),
    known("userTask", HOLDER, &[]),
    known("userTaskForm", HOLDER, &[]),
    known("versionTag", HOLDER, &["value"]),
];
const MAPPING: &[&str] = &["source", "target", "modelerConfigurationTemplate", "modelerConfigurationName"];

/// Attributes of Zeebe on elements of BPMN.
const ON_BPMN: [&str; 4] =
    ["modelerTemplate", "modelerTemplateVersion", "modelerTemplateIcon", "retryCounter"];

pub(crate) fn check(root: Tag<'_>, report: &mut Report<'_>) {
    if let Some(uri) = root.other_namespace_of("zeebe") {
        let reason = format!(
            "Expected the prefix 'zeebe' to stand for 'http://camunda.org/schema/zeebe/1.0', but it stands for \
             '{uri}': extensions with it have no effect"
        );
        report.refuse(root, reason);
    }
    let mut open = vec![root];
    while let Some(tag) = open.pop() {
        check_element(tag, report);
        open.extend(tag.elements());
    }
}

fn check_element(tag: Tag<'_>, report: &mut Report<'_>) {
    if tag.is_camunda_7() {
        let reason = format!("'camunda:{}' belongs to Camunda 7 and has no effect", tag.name());
        report.refuse(tag, reason);
    } else if tag.is_zeebe() {
        match KNOWN.iter().find(|known| known.name == tag.name()) {
            Some(known) => check_known(tag, known, report),
            None => {
                let reason = format!("Unknown extension element 'zeebe:{}': it has no effect", tag.name());
                let names = KNOWN.iter().map(|known| known.name);
                warn(tag, reason, nearest(tag.name(), names).map(|name| format!("'zeebe:{name}'")), report);
            }
        }
    } else if tag.is_bpmn() {
        check_bpmn(tag, report);
    }
}

fn check_known(tag: Tag<'_>, known: &Known, report: &mut Report<'_>) {
    let holder = tag.parent().map_or("", Tag::name);
    if !known.inside.is_empty() && holder != known.inside {
        let reason = format!(
            "Expected 'zeebe:{}' inside '{}', but it stands in '{holder}': it has no effect",
            known.name, known.inside
        );
        report.refuse(tag, reason);
    }
    if known.name == "header" && (tag.attribute("key").is_none() || tag.attribute("value").is_none()) {
        report.refuse(tag, "A header without key or value has no effect");
    }
    for name in tag.attribute_names() {
        let (AttributeName::Plain(name) | AttributeName::Zeebe(name)) = name else { continue };
        if name != "id" && !known.attributes.contains(&name) {
            let reason = format!("Unknown attribute '{name}' of 'zeebe:{}': it has no effect", known.name);
            let meant = nearest(name, known.attributes.iter().copied());
            warn(tag, reason, meant.map(|meant| format!("'{meant}'")), report);
        }
    }
}

fn check_bpmn(tag: Tag<'_>, report: &mut Report<'_>) {
    vocabulary::check_child(tag, report);
    for name in tag.attribute_names() {
        match name {
            AttributeName::Plain(name) => vocabulary::check_attribute(tag, name, report),
            AttributeName::Zeebe(name) if ON_BPMN.contains(&name) => {}
            AttributeName::Zeebe(name) => {
                let reason =
                    format!("Unknown attribute 'zeebe:{name}' of '{}': it has no effect", tag.name());
                let meant = nearest(name, ON_BPMN.into_iter()).map(|meant| format!("'zeebe:{meant}'"));
                warn(tag, reason, meant, report);
            }
            AttributeName::Camunda7(name) => {
                let reason = format!("'camunda:{name}' belongs to Camunda 7 and has no effect");
                report.refuse(tag, reason);
            }
        }
    }
}

fn warn(at: Tag<'_>, reason: String, meant: Option<String>, report: &mut Report<'_>) {
    match meant {
        Some(meant) => report.refuse_with(at, reason, format!("did you mean {meant}?")),
        None => report.refuse(at, reason),
    }
}
