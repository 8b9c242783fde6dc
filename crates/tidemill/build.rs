//! Tells a release build which commit it was made from, and when: `tidemill --version` shows both. A development build does
//! without, because the program would be compiled again after every commit.

use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=TIDEMILL_COMMIT");
    println!("cargo::rerun-if-env-changed=SOURCE_DATE_EPOCH");
    let version = std::env::var("CARGO_PKG_VERSION").unwrap_or_default();
    let origin = match std::env::var("PROFILE").as_deref() {
        Ok("release") => released(),
        _ => "development build".to_owned(),
    };
    println!("cargo::rustc-env=TIDEMILL_VERSION={version} ({origin})");
}

fn released() -> String {
    // The word of a packager goes before that of git: sources may come without their history.
    let told = std::env::var("TIDEMILL_COMMIT").ok().filter(|commit| !commit.is_empty());
    let commit = told.or_else(|| {
        if let Some(log) = output("git", &["rev-parse", "--git-path", "logs/HEAD"]) {
            println!("cargo::rerun-if-changed={log}");
        }
        output("git", &["rev-parse", "--short=12", "HEAD"])
    });
    // Builds that must come out the same twice say the time themselves.
    let date = match std::env::var("SOURCE_DATE_EPOCH") {
        Ok(seconds) => output("date", &["-u", "-d", &format!("@{seconds}"), "+%Y-%m-%d"]),
        Err(_) => output("date", &["-u", "+%Y-%m-%d"]),
    };
    let commit = commit.unwrap_or_else(|| "unknown".to_owned());
    let date = date.unwrap_or_else(|| "at an unknown date".to_owned());
    format!("commit {commit}, built {date}")
}

fn output(program: &str, arguments: &[&str]) -> Option<String> {
    let output =
        Command::new(program).args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    Some(text).filter(|text| !text.is_empty())
}
