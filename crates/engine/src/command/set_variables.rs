//! Sets variables from outside.

use crate::data::variables;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::SetVariables;
use tidemill_model::{Answer, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &SetVariables) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let scope = command.scope;
    if run.find_scope(scope)?.is_none() {
        return Err(Rejection::not_found(format!(
            "Expected to update variables for element with key '{scope}', but no such element was found"
        ))
        .into());
    }
    if command.is_local {
        variables::set_all_local(run, scope, &command.variables)?;
    } else {
        variables::merge(run, scope, &command.variables)?;
    }
    Ok(Answer::Done)
}
