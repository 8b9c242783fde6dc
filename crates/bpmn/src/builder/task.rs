//! Tasks and call activities.

use super::write::empty_tag;
use super::{Message, ModelBuilder, Options};

impl ModelBuilder {
    pub fn service_task(self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        self.next("serviceTask", id).with(options)
    }

    pub fn send_task(self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        self.next("sendTask", id).with(options)
    }

    /// As a job.
    pub fn business_rule_task(self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        self.next("businessRuleTask", id).with(options)
    }

    /// As a job; see `script` for FEEL.
    pub fn script_task(self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        self.next("scriptTask", id).with(options)
    }

    /// A script task that evaluates FEEL.
    pub fn script(self, id: &str, expression: &str, result_variable: &str) -> ModelBuilder {
        let attributes = [("expression", expression), ("resultVariable", result_variable)];
        let mut builder = self.next("scriptTask", id);
        builder.last_mut().extensions.push_str(&empty_tag("zeebe:script", &attributes));
        builder
    }

    /// Managed by the engine.
    pub fn user_task(self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        let mut builder = self.next("userTask", id);
        builder.last_mut().extensions.push_str(&empty_tag("zeebe:userTask", &[]));
        builder.with(options)
    }

    /// Handed to a worker.
    pub fn user_task_job(self, id: &str, options: impl FnOnce(Options) -> Options) -> ModelBuilder {
        self.next("userTask", id).with(options)
    }

    pub fn receive_task(self, id: &str, message: impl Into<Message>) -> ModelBuilder {
        let mut builder = self.next("receiveTask", id);
        let message = builder.shared.message(message.into());
        builder.attribute("messageRef", &message)
    }

    pub fn manual_task(self, id: &str) -> ModelBuilder {
        self.next("manualTask", id)
    }

    /// A task without a type.
    pub fn task(self, id: &str) -> ModelBuilder {
        self.next("task", id)
    }

    pub fn call_activity(
        self,
        id: &str,
        process_id: &str,
        options: impl FnOnce(Options) -> Options,
    ) -> ModelBuilder {
        self.next("callActivity", id).with(|defaults| options(defaults.called_process(process_id)))
    }
}
