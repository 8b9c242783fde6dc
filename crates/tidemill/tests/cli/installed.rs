//! Packages ship more than the program: its version, completions and manual pages.

use crate::harness::{Cli, Place};
use std::io::Write;
use std::process::{Command, Stdio};

#[test]
fn the_version_tells_where_the_program_comes_from() {
    let version = Cli::offline().run(&["--version"]).ok();
    let expected = concat!("tidemill ", env!("CARGO_PKG_VERSION"), " (");
    assert!(version.starts_with(expected), "{version}");
    let is_told = version.contains("development build") || version.contains("commit ");
    assert!(is_told, "{version}");
}

#[test]
fn completions_know_the_commands_and_are_scripts() {
    let cli = Cli::offline();
    for shell in ["bash", "zsh", "fish"] {
        let script = cli.run(&["completions", shell]).ok();
        for word in ["serve", "dead-letters", "history-retention"] {
            assert!(script.contains(word), "{word} in the completions for {shell}");
        }
    }
    let script = cli.run(&["completions", "bash"]).ok();
    let mut bash = Command::new("bash").arg("-n").stdin(Stdio::piped()).spawn().expect("bash runs");
    bash.stdin.take().expect("an input").write_all(script.as_bytes()).expect("it reads");
    assert!(bash.wait().expect("it ends").success());
    assert_eq!(cli.run(&["completions", "cmd.exe"]).code, 2);
}

#[test]
fn every_command_has_a_manual_page() {
    let (cli, place) = (Cli::offline(), Place::new());
    let folder = place.path("man/man1");
    assert_eq!(cli.run(&["man", &folder]).ok(), "");
    for page in ["tidemill", "tidemill-serve", "tidemill-admin-dead-letters", "tidemill-timers-create"] {
        let text = std::fs::read_to_string(format!("{folder}/{page}.1")).expect("the page was written");
        assert!(text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"), "{text}");
    }
    let refused = cli.run(&["man", &place.file("taken", "")]);
    assert!(
        refused.code == 1 && refused.stderr.contains("cannot write manual pages to"),
        "{}",
        refused.stderr
    );
}
