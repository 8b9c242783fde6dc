//! `tidemill complete-task`: a person's work is done.

use crate::client::{RemoteCommand, Session, VariablesArgument};
use anyhow::Result;
use clap::Args;
use serde_json::json;

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
}

impl RemoteCommand for CompleteTask {
    fn run(self, session: &Session) -> Result<()> {
        let body = json!({"variables": self.variables.read()?});
        let answer = session.client.post(&format!("/v2/user-tasks/{}/completion", self.key), &body)?;
        session.show(&answer, |_| println!("completed task {}", self.key));
        Ok(())
    }
}
