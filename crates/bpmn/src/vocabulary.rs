//! Elements and attributes of BPMN itself that nobody knows, with the name that was probably meant. Camunda refuses such files by
//! the schema of BPMN; here they run, as they always did, but not in silence.

use crate::outline::Family;
use crate::report::Report;
use crate::xml::Tag;
use tidemill_feel::nearest;

/// Children that every element of BPMN may have.
const COMMON: &[&str] = &["documentation", "extensionElements"];
/// Children that every flow node and sequence flow may have besides.
const IN_FLOW_ELEMENTS: &[&str] = &["auditing", "monitoring", "categoryValueRef"];
const IN_FLOW_NODES: &[&str] = &["incoming", "outgoing"];
const IN_ACTIVITIES: &[&str] = &[
    "ioSpecification",
    "property",
    "dataInputAssociation",
    "dataOutputAssociation",
    "resourceRole",
    "performer",
    "humanPerformer",
    "potentialOwner",
    "loopCharacteristics",
    "standardLoopCharacteristics",
    "multiInstanceLoopCharacteristics",
];
const IN_EVENTS: &[&str] = &[
    "property",
    "dataInput",
    "dataOutput",
    "dataInputAssociation",
    "dataOutputAssociation",
    "inputSet",
    "outputSet",
    "eventDefinition",
    "eventDefinitionRef",
    "cancelEventDefinition",
    "compensateEventDefinition",
    "conditionalEventDefinition",
    "errorEventDefinition",
    "escalationEventDefinition",
    "linkEventDefinition",
    "messageEventDefinition",
    "signalEventDefinition",
    "terminateEventDefinition",
    "timerEventDefinition",
];
const IN_LOOPS: &[&str] = &[
    "loopCardinality",
    "loopDataInputRef",
    "loopDataOutputRef",
    "inputDataItem",
    "outputDataItem",
    "complexBehaviorDefinition",
    "completionCondition",
];
const IN_TIMERS: &[&str] = &["timeDate", "timeDuration", "timeCycle"];

/// Attributes of flow nodes, sequence flows, loops and event definitions, whichever has them.
const ATTRIBUTES: &[&str] = &[
    "id",
    "name",
    "default",
    "isForCompensation",
    "startQuantity",
    "completionQuantity",
    "implementation",
    "operationRef",
    "messageRef",
    "instantiate",
    "scriptFormat",
    "calledElement",
    "gatewayDirection",
    "eventGatewayType",
    "activationCondition",
    "attachedToRef",
    "cancelActivity",
    "isInterrupting",
    "parallelMultiple",
    "triggeredByEvent",
    "ordering",
    "cancelRemainingInstances",
    "method",
    "sourceRef",
    "targetRef",
    "isImmediate",
    "isSequential",
    "behavior",
    "oneBehaviorEventRef",
    "noneBehaviorEventRef",
    "testBefore",
    "loopMaximum",
    "activityRef",
    "waitForCompletion",
    "signalRef",
    "errorRef",
    "escalationRef",
];

/// Attributes that are `true` or `false`, those of Zeebe's extensions among them.
const BOOLEANS: &[&str] = &[
    "isExecutable",
    "isClosed",
    "isForCompensation",
    "instantiate",
    "cancelActivity",
    "isInterrupting",
    "parallelMultiple",
    "triggeredByEvent",
    "cancelRemainingInstances",
    "isImmediate",
    "isSequential",
    "testBefore",
    "waitForCompletion",
    "propagateAllChildVariables",
    "propagateAllParentVariables",
];

/// Warns of a child that this element cannot have.
pub(crate) fn check_child(tag: Tag<'_>, report: &mut Report<'_>) {
    let Some(parent) = tag.parent().filter(|parent| parent.is_bpmn()) else { return };
    let Some(lists) = children_of(parent) else { return };
    if lists.iter().all(|list| !list.contains(&tag.name())) {
        let reason = format!("Unknown element '{}' in '{}': it has no effect", tag.name(), parent.name());
        let meant = nearest(tag.name(), lists.iter().copied().flatten().copied());
        warn(tag, reason, meant, report);
    }
}

/// Warns of an attribute that no such element has.
pub(crate) fn check_attribute(tag: Tag<'_>, name: &str, report: &mut Report<'_>) {
    let is_process = Family::of(tag) == Some(Family::Process);
    if !is_process && children_of(tag).is_some() && !ATTRIBUTES.contains(&name) {
        let reason = format!("Unknown attribute '{name}' of '{}': it has no effect", tag.name());
        warn(tag, reason, nearest(name, ATTRIBUTES.iter().copied()), report);
    }
}

/// Refuses what is neither true nor false: to take the default instead would interrupt what was meant to go on, or run at once
/// what was meant to run in turn.
pub(crate) fn check_booleans(root: Tag<'_>, report: &mut Report<'_>) {
    let mut open = vec![root];
    while let Some(tag) = open.pop() {
        open.extend(tag.elements());
        if !tag.is_bpmn() && !tag.is_zeebe() {
            continue;
        }
        for name in BOOLEANS {
            let Some(value) = tag.attribute(name) else { continue };
            if !matches!(value.trim(), "true" | "false" | "1" | "0") {
                let reason = format!("Expected '{name}' to be 'true' or 'false', but it is '{value}'");
                report.refuse_new(tag, reason, None);
            }
        }
    }
}

/// The lists of what may stand in an element; none where everything may, or where others look.
fn children_of(parent: Tag<'_>) -> Option<Vec<&'static [&'static str]>> {
    let own: &[&[&str]] = match (parent.name(), Family::of(parent)) {
        ("multiInstanceLoopCharacteristics", _) => &[IN_LOOPS],
        ("timerEventDefinition", _) => &[IN_TIMERS],
        ("sequenceFlow", _) => &[IN_FLOW_ELEMENTS, &["conditionExpression"]],
        (_, None) => return None,
        // Scopes refuse what they do not know.
        (_, Some(family)) if family.is_scope() => return None,
        (_, Some(Family::Unsupported)) => return None,
        (_, Some(Family::Script)) => &[IN_FLOW_ELEMENTS, IN_FLOW_NODES, IN_ACTIVITIES, &["script"]],
        (_, Some(Family::User)) => &[IN_FLOW_ELEMENTS, IN_FLOW_NODES, IN_ACTIVITIES, &["rendering"]],
        (_, Some(family)) if family.is_activity() => &[IN_FLOW_ELEMENTS, IN_FLOW_NODES, IN_ACTIVITIES],
        (_, Some(Family::Exclusive | Family::Inclusive | Family::Parallel | Family::EventBased)) => {
            &[IN_FLOW_ELEMENTS, IN_FLOW_NODES]
        }
        (_, Some(_)) => &[IN_FLOW_ELEMENTS, IN_FLOW_NODES, IN_EVENTS],
    };
    Some([&[COMMON], own].concat())
}

fn warn(at: Tag<'_>, reason: String, meant: Option<&str>, report: &mut Report<'_>) {
    match meant {
        Some(meant) => report.refuse_with(at, reason, format!("did you mean '{meant}'?")),
        None => report.refuse(at, reason),
    }
}
