//! How a command ends: what it says about a failure, and exit codes that scripts can rely on; `tidemill --help`
//! lists them.

use crate::client::Failure;
use crate::commands::validate::Invalid;
use crate::commands::worker::{JobsFailed, Lost};
use crate::output;
use serde_json::{Value, json};
use std::process::ExitCode;

/// An argument that cannot be meant, found after the command line was read.
#[derive(Debug)]
pub(crate) struct Usage(pub(crate) String);

impl std::fmt::Display for Usage {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Usage {}

/// Something that was looked for by its name and is not there.
#[derive(Debug)]
pub(crate) struct Missing(pub(crate) String);

impl std::fmt::Display for Missing {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Expected to find {}, but there is none", self.0)
    }
}

impl std::error::Error for Missing {}

pub(crate) fn code(error: &anyhow::Error) -> ExitCode {
    ExitCode::from(number(error))
}

fn number(error: &anyhow::Error) -> u8 {
    match error.downcast_ref::<Failure>() {
        Some(failure) => failure.exit_code(),
        None if error.is::<Usage>() => 2,
        None if error.is::<Invalid>() => 7,
        None if error.is::<Lost>() => 3,
        None if error.is::<Missing>() => 4,
        None if error.is::<JobsFailed>() => 8,
        None => 1,
    }
}

/// Says on standard error what failed, as JSON where the output is JSON.
pub(crate) fn tell(error: &anyhow::Error) {
    if output::are_failures_json() {
        output::complain!("{}", as_json(error));
    } else {
        output::complain!("{} {error:#}", console::style("tidemill:").for_stderr().red());
    }
}

fn as_json(error: &anyhow::Error) -> Value {
    let mut told = json!({"error": format!("{error:#}"), "exitCode": number(error)});
    if let Some(Failure::Refused { problem, .. }) = error.downcast_ref() {
        told["problem"] = problem.clone();
    }
    told
}
