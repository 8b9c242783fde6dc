//! `tidemill resolve`: an instance that was stuck goes on.

use crate::client::{Once, RemoteCommand, Session};
use crate::output::say;
use anyhow::Result;
use clap::Args;
use serde_json::json;

/// Resolve an incident after its cause was removed
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill resolve 2251799813685270                 try again; a job gets one more try
  tidemill resolve 2251799813685270 --retries 3     a job gets three")]
pub(crate) struct Resolve {
    /// Key of the incident, see `tidemill incidents`
    key: i64,

    /// Tries that the job gets, where the incident belongs to one
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(i32).range(1..))]
    retries: i32,

    #[command(flatten)]
    once: Once,
}

impl RemoteCommand for Resolve {
    fn run(self, session: &Session) -> Result<()> {
        let incident = session.client.get(&format!("/v2/incidents/{}", self.key))?;
        // The job of a resolved incident has gone its way; the server says so below.
        if let (Some(job), "ACTIVE") =
            (incident["jobKey"].as_str(), incident["state"].as_str().unwrap_or_default())
        {
            let more_tries = json!({"changeset": {"retries": self.retries}});
            session.client.patch(&format!("/v2/jobs/{job}"), &more_tries)?;
        }

        let path = format!("/v2/incidents/{}/resolution", self.key);
        session.client.post_once(&path, self.once.key(), &json!({}))?;
        let done = json!({"incidentKey": self.key.to_string(), "resolved": true});
        session.show_line(&done, |_| say!("resolved incident {}", self.key));
        Ok(())
    }
}
