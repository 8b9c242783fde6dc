//! `tidemill admin backup`: a copy of the embedded store while it works.

use super::units::size;
use crate::client::{RemoteCommand, Session};
use crate::output::say;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::json;
use std::path::PathBuf;

/// Copy the embedded store to a new file on the server's machine, while it works
///
/// The file holds everything that was answered before, as of one moment. To restore it, stop the server, put the file
/// in the place of tidemill.db (and remove tidemill.db-wal), and start the server. A store on Postgres is backed up
/// with pg_dump, one on Redis with the files of Redis.
#[derive(Args)]
pub(super) struct Backup {
    /// The file to write; it must not exist
    file: PathBuf,
}

impl RemoteCommand for Backup {
    fn run(self, session: &Session) -> Result<()> {
        let file = std::path::absolute(&self.file).context("the file has no whole path")?;
        let answer = session.client.post("/v1/admin/backup", &json!({"file": file}))?;
        session.show(&answer, |answer| {
            say!("{} ({})", file.display(), size(answer["bytes"].as_u64().unwrap_or_default()));
        });
        Ok(())
    }
}
