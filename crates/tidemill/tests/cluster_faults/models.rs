//! The processes of the load: a task, a message that comes from another partition, and a call of that.

use crate::world::{one_task, process};

/// What workers of the load take.
pub(crate) const JOB_TYPE: &str = "work";
/// The message that orders wait for; its correlation key is their variable `order`.
pub(crate) const MESSAGE: &str = "paid";

pub(crate) fn all() -> [(&'static str, String); 4] {
    let call = r#"<callActivity id="a"><extensionElements><zeebe:calledElement processId="order"/></extensionElements></callActivity>"#;
    [
        ("task.bpmn", one_task("task", JOB_TYPE)),
        ("order.bpmn", process("order", &message_and_task())),
        ("call.bpmn", process("call", call)),
        ("probe.bpmn", one_task("probe", "=job")),
    ]
}

fn message_and_task() -> String {
    format!(
        r#"<subProcess id="a"><startEvent id="b"/><sequenceFlow id="g1" sourceRef="b" targetRef="c"/>
<intermediateCatchEvent id="c"><messageEventDefinition messageRef="m"/></intermediateCatchEvent><sequenceFlow id="g2" sourceRef="c" targetRef="d"/>
<serviceTask id="d"><extensionElements><zeebe:taskDefinition type="{JOB_TYPE}"/></extensionElements></serviceTask><sequenceFlow id="g3" sourceRef="d" targetRef="f"/>
<endEvent id="f"/></subProcess>"#
    )
}
