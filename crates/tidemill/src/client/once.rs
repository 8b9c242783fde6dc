//! A name for a command, by which the server knows that it was sent before.

use clap::Args;

#[derive(Args)]
pub(crate) struct Once {
    /// A name of your choice: the same command sent again with it has no further effect and gets the first answer, for
    /// 24 hours; another command with it is refused. At most 256 characters
    #[arg(long, value_name = "TEXT")]
    idempotency_key: Option<String>,
}

impl Once {
    pub(crate) fn key(&self) -> Option<&str> {
        self.idempotency_key.as_deref()
    }
}
