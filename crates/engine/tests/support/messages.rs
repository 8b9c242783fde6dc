//! Messages with everything that can be said about them.

use super::Harness;
use tidemill_model::command::{Command, CorrelateMessage, PublishMessage};
use tidemill_model::{Answer, ProcessInstanceKey, Rejection, TenantId, Text, Variables};

/// A message that is not kept, without variables.
pub fn message(name: &str, correlation_key: &str) -> PublishMessage {
    PublishMessage {
        tenant: TenantId::default(),
        name: Text::from(name),
        correlation_key: Text::from(correlation_key),
        message_id: None,
        business_id: None,
        time_to_live_ms: 0,
        variables: Variables::default(),
    }
}

impl Harness {
    pub fn try_publish(&mut self, command: PublishMessage) -> Result<Answer, Rejection> {
        self.run(Command::PublishMessage(command))
    }

    /// Correlates and tells which instance got it.
    pub fn correlated(&mut self, name: &str, key: &str) -> Result<ProcessInstanceKey, Rejection> {
        self.correlated_with(CorrelateMessage {
            tenant: TenantId::default(),
            name: Text::from(name),
            correlation_key: Text::from(key),
            business_id: None,
            variables: Variables::default(),
        })
    }

    pub fn correlated_with(&mut self, command: CorrelateMessage) -> Result<ProcessInstanceKey, Rejection> {
        match self.run(Command::CorrelateMessage(command))? {
            Answer::Correlated { instance, .. } => Ok(instance),
            other => panic!("unexpected answer {other:?}"),
        }
    }
}
