//! The kinds of BPMN element, by the names that modelers, records and the API use.

use crate::named::names;
use serde::{Deserialize, Serialize};

macro_rules! element_kinds {
    ($($kind:ident = $name:literal),+ $(,)?) => {
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
        pub enum ElementKind {
            $(#[serde(rename = $name)] $kind,)+
        }

        names! { ElementKind { $($kind = $name),+ } }
    };
}

element_kinds! {
    Process = "PROCESS",
    SubProcess = "SUB_PROCESS",
    EventSubProcess = "EVENT_SUB_PROCESS",
    AdHocSubProcess = "AD_HOC_SUB_PROCESS",
    AdHocSubProcessInnerInstance = "AD_HOC_SUB_PROCESS_INNER_INSTANCE",
    StartEvent = "START_EVENT",
    IntermediateCatchEvent = "INTERMEDIATE_CATCH_EVENT",
    IntermediateThrowEvent = "INTERMEDIATE_THROW_EVENT",
    BoundaryEvent = "BOUNDARY_EVENT",
    EndEvent = "END_EVENT",
    ServiceTask = "SERVICE_TASK",
    ReceiveTask = "RECEIVE_TASK",
    UserTask = "USER_TASK",
    ManualTask = "MANUAL_TASK",
    Task = "TASK",
    ExclusiveGateway = "EXCLUSIVE_GATEWAY",
    InclusiveGateway = "INCLUSIVE_GATEWAY",
    ParallelGateway = "PARALLEL_GATEWAY",
    EventBasedGateway = "EVENT_BASED_GATEWAY",
    MultiInstanceBody = "MULTI_INSTANCE_BODY",
    CallActivity = "CALL_ACTIVITY",
    BusinessRuleTask = "BUSINESS_RULE_TASK",
    ScriptTask = "SCRIPT_TASK",
    SendTask = "SEND_TASK",
}
