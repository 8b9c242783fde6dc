//! `tidemill complete-task`: a person's work is done.

use crate::client::{Once, RemoteCommand, Session, VariablesArgument};
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde::Serialize;
use serde_json::json;
use serde_json::value::RawValue;

/// Complete a user task
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill complete-task 2251799813685262
  tidemill complete-task 2251799813685262 --variables '{\"approved\": true}'")]
pub(crate) struct CompleteTask {
    /// Key of the task, see `tidemill tasks`
    key: i64,

    #[command(flatten)]
    variables: VariablesArgument,

    #[command(flatten)]
    once: Once,
}

#[derive(Serialize)]
struct Completion {
    variables: Box<RawValue>,
}

impl RemoteCommand for CompleteTask {
    fn run(self, session: &Session) -> Result<()> {
        let body = Completion { variables: self.variables.read()? };

        session.client.post_once(
            &format!("/v2/user-tasks/{}/completion", self.key),
            self.once.key(),
            &body,
        )?;
        let done = json!({"userTaskKey": self.key.to_string(), "completed": true});
        session.show_line(&done, |_| say!("completed task {}", self.key));
        Ok(())
    }
}
