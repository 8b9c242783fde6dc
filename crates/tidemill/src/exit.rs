//! Exit codes that scripts can rely on; `tidemill --help` lists them.

use crate::client::Failure;
use crate::commands::validate::Invalid;
use std::process::ExitCode;

pub(crate) fn code(error: &anyhow::Error) -> ExitCode {
    let code = match (error.downcast_ref::<Failure>(), error.downcast_ref::<Invalid>()) {
        (Some(failure), _) => failure.exit_code(),
        (_, Some(_)) => 7,
        _ => 1,
    };
    ExitCode::from(code)
}
