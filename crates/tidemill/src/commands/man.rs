//! Manual pages, from the definition of the command line.

use anyhow::{Context, Result};
use clap::CommandFactory;
use std::path::PathBuf;

/// Write the manual pages, one per command
#[derive(clap::Args)]
#[command(after_help = "\
Example:
  tidemill man ~/.local/share/man/man1 && man tidemill-serve")]
pub(crate) struct Man {
    /// Folder for the pages; made if it is missing
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

impl Man {
    pub(crate) fn run(self) -> Result<()> {
        let place = || format!("cannot write manual pages to {}", self.folder.display());
        std::fs::create_dir_all(&self.folder).with_context(place)?;
        clap_mangen::generate_to(crate::Cli::command(), &self.folder).with_context(place)
    }
}
