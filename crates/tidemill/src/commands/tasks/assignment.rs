//! `tidemill tasks assign|claim|unassign`: who works on a user task.

use crate::client::{Once, Session};
use crate::exit::Usage;
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde_json::{Value, json};

/// Give a user task to somebody, whoever has it now
#[derive(Args)]
#[command(after_help = "\
Example:
  tidemill tasks assign 2251799813685262 ada")]
pub(super) struct Assign {
    /// Key of the task, see `tidemill tasks`
    key: i64,

    /// Who gets it
    user: String,

    #[command(flatten)]
    once: Once,
}

/// Take a user task that nobody has
///
/// Refused with exit code 5 when somebody has it already.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill tasks claim 2251799813685262               for the user of this shell
  tidemill tasks claim 2251799813685262 --user ada")]
pub(super) struct Claim {
    /// Key of the task, see `tidemill tasks`
    key: i64,

    /// Who takes it
    #[arg(long, env = "USER", value_name = "USER")]
    user: Option<String>,

    #[command(flatten)]
    once: Once,
}

/// Take a user task from whoever has it
#[derive(Args)]
pub(super) struct Unassign {
    /// Key of the task, see `tidemill tasks`
    key: i64,
}

impl Assign {
    pub(super) fn run(self, session: &Session) -> Result<()> {
        let body = json!({"assignee": self.user, "allowOverride": true, "action": "assign"});
        assign(session, self.key, &self.user, &body, &self.once)
    }
}

impl Claim {
    pub(super) fn run(self, session: &Session) -> Result<()> {
        let user = self.user.filter(|user| !user.is_empty()).ok_or_else(|| {
            Usage("Expected to know who claims the task, but USER is not set; add --user NAME".into())
        })?;
        let body = json!({"assignee": user, "allowOverride": false, "action": "claim"});
        assign(session, self.key, &user, &body, &self.once)
    }
}

impl Unassign {
    pub(super) fn run(self, session: &Session) -> Result<()> {
        session.client.delete(&format!("/v2/user-tasks/{}/assignee", self.key))?;
        let done = json!({"userTaskKey": self.key.to_string(), "assignee": null});
        session.show_line(&done, |_| say!("nobody has task {} now", self.key));
        Ok(())
    }
}

fn assign(session: &Session, key: i64, user: &str, body: &Value, once: &Once) -> Result<()> {
    session.client.post_once(&format!("/v2/user-tasks/{key}/assignment"), once.key(), body)?;
    let done = json!({"userTaskKey": key.to_string(), "assignee": user});
    session.show_line(&done, |_| say!("task {key} is with {user}"));
    Ok(())
}
