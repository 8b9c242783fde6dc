//! Cancels a process instance with everything in it.

use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::{CancelInstance, Step};
use tidemill_model::entity::Lifecycle;
use tidemill_model::{Answer, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &CancelInstance) -> Stepped<Answer> {
    let key = command.instance;
    let instance = run.find_instance(key)?.filter(|instance| instance.state != Lifecycle::Terminating);
    let Some(instance) = instance else {
        return Err(Rejection::not_found(format!(
            "Expected to cancel a process instance with key '{key}', but no such process was found"
        ))
        .into());
    };
    if instance.parent.is_some() {
        return Err(Rejection::invalid_state(format!(
            "Expected to cancel a process instance with key '{key}', but it is created by a parent process \
             instance. Cancel the root process instance '{}' instead.",
            instance.root
        ))
        .into());
    }
    run.push(Step::Terminate { element: key.scope() });
    Ok(Answer::Done)
}
