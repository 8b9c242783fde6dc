//! Deletes an ended process instance. The engine knows no history: it decides, and the store deletes within
//! the commit that carries the decision. A follow-up deletes the rows that one commit does not get to.

use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::command::{Command, DeleteInstance, DeleteRemains};
use tidemill_model::{Answer, ProcessInstanceKey, Rejection};

pub(super) fn run(run: &mut Run<'_>, command: &DeleteInstance) -> Stepped<Answer> {
    let key = command.instance;
    if run.find_instance(key)?.is_some() {
        return Err(Rejection::invalid_state(format!(
            "Expected to delete history for process instance with key '{key}', but it is still active."
        ))
        .into());
    }
    if !run.remains(key)?.is_ended_instance {
        return Err(Rejection::not_found(format!(
            "Expected to delete process instance with key '{key}', but no such process instance was found"
        ))
        .into());
    }
    delete(run, key)
}

pub(super) fn go_on(run: &mut Run<'_>, command: &DeleteRemains) -> Stepped<Answer> {
    match run.remains(command.instance)?.rows {
        0 => Ok(Answer::Done),
        _ => delete(run, command.instance),
    }
}

fn delete(run: &mut Run<'_>, instance: ProcessInstanceKey) -> Stepped<Answer> {
    let remains = run.remains(instance)?;
    run.delete(instance, remains.rows);
    if remains.has_more {
        run.send_here(Command::DeleteRemains(DeleteRemains { instance }));
    }
    Ok(Answer::Done)
}
