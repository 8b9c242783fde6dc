//! Activities and gateways by their tags.

use super::tag::{child, has_child, is_true, name};
use crate::model::{Activity, ActivityKind, Gateway, Repetition, SubProcess, TaskKind};
use roxmltree::Node as Xml;

pub(super) fn activity(xml: &Xml<'_, '_>) -> Option<Activity> {
    let kind = match name(xml) {
        "task" => ActivityKind::Task(TaskKind::Plain),
        "serviceTask" => ActivityKind::Task(TaskKind::Service),
        "sendTask" => ActivityKind::Task(TaskKind::Send),
        "receiveTask" => ActivityKind::Task(TaskKind::Receive { instantiates: is_true(xml, "instantiate") }),
        "userTask" => ActivityKind::Task(TaskKind::User),
        "manualTask" => ActivityKind::Task(TaskKind::Manual),
        "businessRuleTask" => ActivityKind::Task(TaskKind::BusinessRule),
        "scriptTask" => ActivityKind::Task(TaskKind::Script),
        "callActivity" => ActivityKind::Call,
        "subProcess" if is_true(xml, "triggeredByEvent") => ActivityKind::SubProcess(SubProcess::Event),
        "subProcess" => ActivityKind::SubProcess(SubProcess::Embedded),
        "transaction" => ActivityKind::SubProcess(SubProcess::Transaction),
        "adHocSubProcess" => ActivityKind::SubProcess(SubProcess::AdHoc),
        _ => return None,
    };
    let is_for_compensation = is_true(xml, "isForCompensation");
    Some(Activity { kind, repetition: repetition(xml), is_for_compensation })
}

fn repetition(xml: &Xml<'_, '_>) -> Option<Repetition> {
    if has_child(xml, "standardLoopCharacteristics") {
        return Some(Repetition::Loop);
    }
    let many = child(xml, "multiInstanceLoopCharacteristics")?;
    Some(if is_true(&many, "isSequential") { Repetition::Sequential } else { Repetition::Parallel })
}

pub(super) fn gateway(xml: &Xml<'_, '_>) -> Option<Gateway> {
    Some(match name(xml) {
        "exclusiveGateway" => Gateway::Exclusive,
        "parallelGateway" => Gateway::Parallel,
        "inclusiveGateway" => Gateway::Inclusive,
        "complexGateway" => Gateway::Complex,
        "eventBasedGateway" if !is_true(xml, "instantiate") => Gateway::EventBased,
        "eventBasedGateway" if xml.attribute("eventGatewayType") == Some("Parallel") => {
            Gateway::ParallelEventBasedStart
        }
        "eventBasedGateway" => Gateway::EventBasedStart,
        _ => return None,
    })
}
