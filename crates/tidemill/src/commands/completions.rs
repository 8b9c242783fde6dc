//! Completions for shells, from the definition of the command line.

use anyhow::{Context, Result};
use clap::{CommandFactory, ValueEnum};
use clap_complete::{Generator, shells};
use std::io::Write;

/// Print completions for a shell
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  tidemill completions bash > ~/.local/share/bash-completion/completions/tidemill
  tidemill completions zsh > ~/.zfunc/_tidemill
  tidemill completions fish > ~/.config/fish/completions/tidemill.fish")]
pub(crate) struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

#[derive(Clone, Copy, ValueEnum)]
enum Shell {
    Bash,
    Zsh,
    Fish,
}

impl Completions {
    pub(crate) fn run(self) -> Result<()> {
        let script = match self.shell {
            Shell::Bash => script(shells::Bash),
            Shell::Zsh => script(shells::Zsh),
            Shell::Fish => script(shells::Fish),
        };
        std::io::stdout().write_all(&script).context("cannot write the completions")
    }
}

fn script(shell: impl Generator) -> Vec<u8> {
    let mut text = Vec::new();
    clap_complete::generate(shell, &mut crate::Cli::command(), "tidemill", &mut text);
    text
}
