//! The secret that the servers of a store share, which administration from another machine needs.

use crate::client::{Remote, RemoteCommand};
use anyhow::Result;
use clap::Args;

// No doc comment: it would be shown as the help of each command.
#[derive(Args)]
pub(crate) struct WithSecret<C: Args> {
    #[command(flatten)]
    remote: Remote<C>,

    /// The cluster secret of the server; needed from another machine than its own
    #[arg(
        long,
        env = "TIDEMILL_CLUSTER_SECRET",
        value_name = "TEXT",
        hide_env_values = true,
        help_heading = "Server and output"
    )]
    cluster_secret: Option<String>,
}

impl<C: RemoteCommand> WithSecret<C> {
    pub(crate) fn run(self) -> Result<()> {
        self.remote.run_with(self.cluster_secret.as_deref())
    }
}
