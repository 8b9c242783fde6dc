//! The processes of the load: a task, a task behind a timer, a message that comes from another partition, and a call of
//! that.

use crate::world::{one_task, process};
use std::time::Duration;

/// The type of the jobs that workers of the load take.
pub(crate) const JOB_TYPE: &str = "work";
/// The message that orders wait for; its correlation key is their variable `order`.
pub(crate) const MESSAGE: &str = "paid";

/// How long the timer process waits before its job is made.
pub(crate) const TIMER: Duration = Duration::from_secs(1);

pub(crate) fn all() -> [(&'static str, String); 5] {
    let call = r#"<callActivity id="a"><extensionElements><zeebe:calledElement processId="order"/></extensionElements></callActivity>"#;
    [
        ("task.bpmn", one_task("task", JOB_TYPE)),
        ("timer.bpmn", process("timer", &event_and_task(&timer_event()))),
        ("order.bpmn", process("order", &event_and_task(MESSAGE_EVENT))),
        ("call.bpmn", process("call", call)),
        ("probe.bpmn", one_task("probe", "=job")),
    ]
}

const MESSAGE_EVENT: &str = r#"<messageEventDefinition messageRef="m"/>"#;

fn timer_event() -> String {
    let seconds = TIMER.as_secs();
    format!("<timerEventDefinition><timeDuration>PT{seconds}S</timeDuration></timerEventDefinition>")
}

fn event_and_task(event: &str) -> String {
    format!(
        r#"<subProcess id="a"><startEvent id="b"/><sequenceFlow id="g1" sourceRef="b" targetRef="c"/>
<intermediateCatchEvent id="c">{event}</intermediateCatchEvent><sequenceFlow id="g2" sourceRef="c" targetRef="d"/>
<serviceTask id="d"><extensionElements><zeebe:taskDefinition type="{JOB_TYPE}"/></extensionElements></serviceTask><sequenceFlow id="g3" sourceRef="d" targetRef="f"/>
<endEvent id="f"/></subProcess>"#
    )
}
