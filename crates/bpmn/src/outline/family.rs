//! The families of flow nodes, by the names of their tags.

use crate::xml::Tag;
use tidemill_model::ElementKind;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Family {
    Process,
    SubProcess,
    EventSubProcess,
    AdHocSubProcess,
    Start,
    IntermediateCatch,
    IntermediateThrow,
    Boundary,
    End,
    Service,
    Send,
    Script,
    BusinessRule,
    User,
    Receive,
    Manual,
    Undefined,
    Call,
    Exclusive,
    Inclusive,
    Parallel,
    EventBased,
    /// BPMN has it, this engine does not run it.
    Unsupported,
}

impl Family {
    /// None for what is not a flow node.
    pub(crate) fn of(tag: Tag<'_>) -> Option<Family> {
        if !tag.is_bpmn() {
            return None;
        }
        Some(match tag.name() {
            "process" => Family::Process,
            "subProcess" if tag.boolean("triggeredByEvent", false) => Family::EventSubProcess,
            "subProcess" => Family::SubProcess,
            "adHocSubProcess" => Family::AdHocSubProcess,
            "startEvent" => Family::Start,
            "intermediateCatchEvent" => Family::IntermediateCatch,
            "intermediateThrowEvent" => Family::IntermediateThrow,
            "boundaryEvent" => Family::Boundary,
            "endEvent" => Family::End,
            "serviceTask" => Family::Service,
            "sendTask" => Family::Send,
            "scriptTask" => Family::Script,
            "businessRuleTask" => Family::BusinessRule,
            "userTask" => Family::User,
            "receiveTask" => Family::Receive,
            "manualTask" => Family::Manual,
            "task" => Family::Undefined,
            "callActivity" => Family::Call,
            "exclusiveGateway" => Family::Exclusive,
            "inclusiveGateway" => Family::Inclusive,
            "parallelGateway" => Family::Parallel,
            "eventBasedGateway" => Family::EventBased,
            "transaction" | "complexGateway" | "implicitThrowEvent" | "event" | "choreographyTask"
            | "callChoreography" | "subChoreography" => Family::Unsupported,
            _ => return None,
        })
    }

    pub(crate) fn kind(self) -> Option<ElementKind> {
        Some(match self {
            Family::Process => ElementKind::Process,
            Family::SubProcess => ElementKind::SubProcess,
            Family::EventSubProcess => ElementKind::EventSubProcess,
            Family::Start => ElementKind::StartEvent,
            Family::IntermediateCatch => ElementKind::IntermediateCatchEvent,
            Family::IntermediateThrow => ElementKind::IntermediateThrowEvent,
            Family::Boundary => ElementKind::BoundaryEvent,
            Family::End => ElementKind::EndEvent,
            Family::Service => ElementKind::ServiceTask,
            Family::Send => ElementKind::SendTask,
            Family::Script => ElementKind::ScriptTask,
            Family::BusinessRule => ElementKind::BusinessRuleTask,
            Family::User => ElementKind::UserTask,
            Family::Receive => ElementKind::ReceiveTask,
            Family::Manual => ElementKind::ManualTask,
            Family::Undefined => ElementKind::Task,
            Family::Call => ElementKind::CallActivity,
            Family::Exclusive => ElementKind::ExclusiveGateway,
            Family::Inclusive => ElementKind::InclusiveGateway,
            Family::Parallel => ElementKind::ParallelGateway,
            Family::EventBased => ElementKind::EventBasedGateway,
            Family::AdHocSubProcess => ElementKind::AdHocSubProcess,
            Family::Unsupported => return None,
        })
    }

    /// Flow nodes stand inside it.
    pub(crate) fn is_scope(self) -> bool {
        matches!(
            self,
            Family::Process | Family::SubProcess | Family::EventSubProcess | Family::AdHocSubProcess
        )
    }

    /// Boundary events may be attached to it.
    pub(crate) fn is_activity(self) -> bool {
        matches!(
            self,
            Family::SubProcess
                | Family::AdHocSubProcess
                | Family::Service
                | Family::Send
                | Family::Script
                | Family::BusinessRule
                | Family::User
                | Family::Receive
                | Family::Manual
                | Family::Undefined
                | Family::Call
        )
    }
}

/// Elements that may stand among flow nodes without taking part in the run.
pub(super) fn is_carried(name: &str) -> bool {
    const CARRIED: &[&str] = &[
        "documentation",
        "extensionElements",
        "auditing",
        "monitoring",
        "property",
        "laneSet",
        "dataObject",
        "dataObjectReference",
        "dataStoreReference",
        "artifact",
        "association",
        "group",
        "textAnnotation",
        "ioSpecification",
        "dataInputAssociation",
        "dataOutputAssociation",
        "correlationSubscription",
        "supports",
        "incoming",
        "outgoing",
        "resourceRole",
        "performer",
        "humanPerformer",
        "potentialOwner",
        "multiInstanceLoopCharacteristics",
        "standardLoopCharacteristics",
        "loopCharacteristics",
        "completionCondition",
    ];
    CARRIED.contains(&name)
}
