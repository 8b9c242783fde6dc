//! Small models: elements in a row, connected by sequence flows.

pub(crate) const START: &str = r#"<startEvent id="start"/>"#;
pub(crate) const END: &str = r#"<endEvent id="end"/>"#;

/// A file with one process whose elements follow one another. `beside` stands in the process as it is, `shared`
/// outside of it.
pub(crate) fn model(id: &str, row: &[&str], beside: &str, shared: &str) -> String {
    let ids: Vec<&str> = row.iter().map(|element| id_of(element)).collect();
    let flows: String = ids.windows(2).map(|pair| flow(pair[0], pair[1])).collect();
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:zeebe="http://camunda.org/schema/zeebe/1.0"><process id="{id}" isExecutable="true">{}{flows}{beside}</process>{shared}</definitions>"#,
        row.concat()
    )
}

pub(crate) fn flow(from: &str, to: &str) -> String {
    format!(r#"<sequenceFlow id="{from}-{to}" sourceRef="{from}" targetRef="{to}"/>"#)
}

fn id_of(element: &str) -> &str {
    element.split("id=\"").nth(1).and_then(|rest| rest.split('"').next()).expect("elements have ids")
}

pub(crate) fn empty(id: &str) -> String {
    model(id, &[START, END], "", "")
}

pub(crate) fn service(id: &str, job_type: &str) -> String {
    format!(
        r#"<serviceTask id="{id}"><extensionElements><zeebe:taskDefinition type="{job_type}"/></extensionElements></serviceTask>"#
    )
}

/// A process with one service task `work`.
pub(crate) fn one_job(id: &str, job_type: &str) -> String {
    model(id, &[START, &service("work", job_type), END], "", "")
}

pub(crate) fn one_user_task(id: &str) -> String {
    let task = r#"<userTask id="check" name="Review"><extensionElements><zeebe:userTask/></extensionElements></userTask>"#;
    model(id, &[START, task, END], "", "")
}

/// Fails as soon as it starts: its expression has no result that would do.
pub(crate) fn broken(id: &str) -> String {
    let task = r#"<serviceTask id="work"><extensionElements><zeebe:taskDefinition type="=missing"/></extensionElements></serviceTask>"#;
    model(id, &[START, task, END], "", "")
}

pub(crate) fn calling(id: &str, called: &str) -> String {
    let call = format!(
        r#"<callActivity id="call"><extensionElements><zeebe:calledElement processId="{called}" propagateAllChildVariables="true"/></extensionElements></callActivity>"#
    );
    model(id, &[START, &call, END], "", "")
}

pub(crate) fn timer(id: &str, duration: &str) -> String {
    let wait = format!(
        r#"<intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>{duration}</timeDuration></timerEventDefinition></intermediateCatchEvent>"#
    );
    model(id, &[START, &wait, END], "", "")
}

/// Waits for the message `paid` with the variable `order` as correlation key.
pub(crate) fn waiting_for_message(id: &str) -> String {
    let wait = r#"<intermediateCatchEvent id="wait"><messageEventDefinition messageRef="m"/></intermediateCatchEvent>"#;
    let message = r#"<message id="m" name="paid"><extensionElements><zeebe:subscription correlationKey="=order"/></extensionElements></message>"#;
    model(id, &[START, wait, END], "", message)
}

pub(crate) fn waiting_for_signal(id: &str) -> String {
    let wait = r#"<intermediateCatchEvent id="wait"><signalEventDefinition signalRef="s"/></intermediateCatchEvent>"#;
    model(id, &[START, wait, END], "", r#"<signal id="s" name="go"/>"#)
}

/// A service task whose error `E` is caught at its edge.
pub(crate) fn catching_error(id: &str, job_type: &str) -> String {
    let beside = format!(
        r#"<boundaryEvent id="caught" attachedToRef="work"><errorEventDefinition errorRef="e"/></boundaryEvent><endEvent id="sorry"/>{}"#,
        flow("caught", "sorry")
    );
    let error = r#"<error id="e" errorCode="E"/>"#;
    model(id, &[START, &service("work", job_type), END], &beside, error)
}
