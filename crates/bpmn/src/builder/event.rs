//! Events: starts, catches, throws, ends and boundary events.

use super::write::{empty_tag, tag};
use super::{Message, ModelBuilder, Timer};

impl ModelBuilder {
    pub fn start(self, id: &str) -> ModelBuilder {
        self.new_path("startEvent", id)
    }

    /// Event subprocesses need the correlation key, processes do not.
    pub fn start_message(self, id: &str, message: impl Into<Message>) -> ModelBuilder {
        self.new_path("startEvent", id).catches_message(message.into())
    }

    pub fn start_timer(self, id: &str, timer: Timer) -> ModelBuilder {
        self.new_path("startEvent", id).catches_timer(timer)
    }

    pub fn start_signal(self, id: &str, name: &str) -> ModelBuilder {
        self.new_path("startEvent", id).signals(name)
    }

    /// Without a code it catches every error.
    pub fn start_error(self, id: &str, code: Option<&str>) -> ModelBuilder {
        self.new_path("startEvent", id).errors(code)
    }

    /// Without a code it catches every escalation.
    pub fn start_escalation(self, id: &str, code: Option<&str>) -> ModelBuilder {
        self.new_path("startEvent", id).escalates(code)
    }

    pub fn catch_message(self, id: &str, message: impl Into<Message>) -> ModelBuilder {
        self.next("intermediateCatchEvent", id).catches_message(message.into())
    }

    pub fn catch_timer(self, id: &str, timer: Timer) -> ModelBuilder {
        self.next("intermediateCatchEvent", id).catches_timer(timer)
    }

    pub fn catch_signal(self, id: &str, name: &str) -> ModelBuilder {
        self.next("intermediateCatchEvent", id).signals(name)
    }

    /// Begins a new path: a link is not connected by flows.
    pub fn catch_link(self, id: &str, name: &str) -> ModelBuilder {
        self.new_path("intermediateCatchEvent", id).links(name)
    }

    pub fn throw(self, id: &str) -> ModelBuilder {
        self.next("intermediateThrowEvent", id)
    }

    pub fn throw_signal(self, id: &str, name: &str) -> ModelBuilder {
        self.next("intermediateThrowEvent", id).signals(name)
    }

    pub fn throw_escalation(self, id: &str, code: &str) -> ModelBuilder {
        self.next("intermediateThrowEvent", id).escalates(Some(code))
    }

    /// A job that is to send the message.
    pub fn throw_message(self, id: &str, job_type: &str) -> ModelBuilder {
        self.next("intermediateThrowEvent", id).messages_as_job(job_type)
    }

    pub fn throw_link(self, id: &str, name: &str) -> ModelBuilder {
        let mut builder = self.next("intermediateThrowEvent", id).links(name);
        builder.last = None;
        builder
    }

    pub fn end(self, id: &str) -> ModelBuilder {
        self.last_of_path(id)
    }

    pub fn end_error(self, id: &str, code: &str) -> ModelBuilder {
        self.last_of_path(id).errors(Some(code))
    }

    pub fn end_escalation(self, id: &str, code: &str) -> ModelBuilder {
        self.last_of_path(id).escalates(Some(code))
    }

    pub fn end_signal(self, id: &str, name: &str) -> ModelBuilder {
        self.last_of_path(id).signals(name)
    }

    pub fn end_terminate(self, id: &str) -> ModelBuilder {
        self.last_of_path(id).content(empty_tag("bpmn:terminateEventDefinition", &[]))
    }

    /// A job that is to send the message.
    pub fn end_message(self, id: &str, job_type: &str) -> ModelBuilder {
        self.last_of_path(id).messages_as_job(job_type)
    }

    pub fn boundary_message(self, id: &str, on: &str, message: impl Into<Message>) -> ModelBuilder {
        self.boundary(id, on).catches_message(message.into())
    }

    pub fn boundary_timer(self, id: &str, on: &str, timer: Timer) -> ModelBuilder {
        self.boundary(id, on).catches_timer(timer)
    }

    pub fn boundary_signal(self, id: &str, on: &str, name: &str) -> ModelBuilder {
        self.boundary(id, on).signals(name)
    }

    /// Without a code it catches every error.
    pub fn boundary_error(self, id: &str, on: &str, code: Option<&str>) -> ModelBuilder {
        self.boundary(id, on).errors(code)
    }

    /// Without a code it catches every escalation.
    pub fn boundary_escalation(self, id: &str, on: &str, code: Option<&str>) -> ModelBuilder {
        self.boundary(id, on).escalates(code)
    }

    /// The boundary or start event that was just added lets its activity or scope go on.
    pub fn non_interrupting(self) -> ModelBuilder {
        let last = self.elements.last().expect("the process is always there");
        let is_start = last.tag == "startEvent";
        self.attribute(if is_start { "isInterrupting" } else { "cancelActivity" }, "false")
    }

    fn boundary(self, id: &str, on: &str) -> ModelBuilder {
        self.new_path("boundaryEvent", id).attribute("attachedToRef", on)
    }

    fn new_path(mut self, tag: &'static str, id: &str) -> ModelBuilder {
        self.last = None;
        self.next(tag, id)
    }

    fn last_of_path(self, id: &str) -> ModelBuilder {
        let mut builder = self.next("endEvent", id);
        builder.last = None;
        builder
    }

    fn catches_message(mut self, message: Message) -> ModelBuilder {
        let id = self.shared.message(message);
        self.content(empty_tag("bpmn:messageEventDefinition", &[("messageRef", &id)]))
    }

    fn catches_timer(self, timer: Timer) -> ModelBuilder {
        let text = super::write::text(&format!("bpmn:{}", timer.tag), &timer.text);
        self.content(tag("bpmn:timerEventDefinition", &[], &text))
    }

    fn signals(mut self, name: &str) -> ModelBuilder {
        let id = self.shared.signal(name);
        self.content(empty_tag("bpmn:signalEventDefinition", &[("signalRef", &id)]))
    }

    fn errors(mut self, code: Option<&str>) -> ModelBuilder {
        let id = code.map(|code| self.shared.error(code));
        let reference: Vec<(&str, &str)> = id.iter().map(|id| ("errorRef", id.as_str())).collect();
        self.content(empty_tag("bpmn:errorEventDefinition", &reference))
    }

    fn escalates(mut self, code: Option<&str>) -> ModelBuilder {
        let id = code.map(|code| self.shared.escalation(code));
        let reference: Vec<(&str, &str)> = id.iter().map(|id| ("escalationRef", id.as_str())).collect();
        self.content(empty_tag("bpmn:escalationEventDefinition", &reference))
    }

    fn links(self, name: &str) -> ModelBuilder {
        self.content(empty_tag("bpmn:linkEventDefinition", &[("name", name)]))
    }

    fn messages_as_job(self, job_type: &str) -> ModelBuilder {
        let builder = self.content(empty_tag("bpmn:messageEventDefinition", &[]));
        builder.with(|options| options.job_type(job_type))
    }
}
