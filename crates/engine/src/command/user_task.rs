//! Commands on user tasks: assign, claim, update, complete.

use crate::data::{result, variables};
use crate::element::user_task::{end, set_state};
use crate::limits::CANDIDATES_MAX;
use crate::run::Run;
use crate::stop::Stepped;
use std::sync::Arc;
use tidemill_model::command::{AssignUserTask, CompleteUserTask, Step, UpdateUserTask};
use tidemill_model::entity::{UserTask, UserTaskState};
use tidemill_model::{Answer, Need, Rejection, UserTaskKey};

/// A task that nothing else is happening to.
fn expect_created(run: &Run<'_>, key: UserTaskKey, verb: &str) -> Stepped<Arc<UserTask>> {
    let Some(task) = run.find::<UserTask>(key, || Need::instance_of::<UserTask>(key))?.cloned() else {
        return Err(Rejection::not_found(format!(
            "Expected to {verb} user task with key '{key}', but no such user task was found"
        ))
        .into());
    };
    match task.state {
        UserTaskState::Created => Ok(task),
        state => Err(Rejection::invalid_state(format!(
            "Expected to {verb} user task with key '{key}', but it is in state '{}'",
            state.name()
        ))
        .into()),
    }
}

pub(super) fn assign(run: &mut Run<'_>, command: &AssignUserTask) -> Stepped<Answer> {
    let key = command.task;
    let verb = if command.allow_override { "assign" } else { "claim" };
    let task = expect_created(run, key, verb)?;
    let is_others = task.assignee.is_some() && task.assignee != command.assignee;
    if !command.allow_override && is_others {
        return Err(Rejection::invalid_state(format!(
            "Expected to claim user task with key '{key}', but it has already been assigned"
        ))
        .into());
    }
    set_state(run, key, UserTaskState::Assigning)?;
    let task = run.change::<UserTask>(key)?;
    task.assignee = command.assignee.clone();
    task.action = command.action.clone();
    set_state(run, key, UserTaskState::Created)?;
    Ok(Answer::Done)
}

pub(super) fn update(run: &mut Run<'_>, command: &UpdateUserTask) -> Stepped<Answer> {
    let key = command.task;
    expect_created(run, key, "update")?;
    if let Some(priority) = command.changes.priority.filter(|priority| !(0..=100).contains(priority)) {
        return Err(Rejection::invalid_argument(format!(
            "Expected to update user task with key '{key}', but its priority '{priority}' is not within the \
             [0,100] range"
        ))
        .into());
    }
    for (name, list) in
        [("users", &command.changes.candidate_users), ("groups", &command.changes.candidate_groups)]
    {
        let count = list.as_ref().map_or(0, Vec::len);
        if count > CANDIDATES_MAX {
            return Err(Rejection::invalid_argument(format!(
                "Expected to update user task with key '{key}', but it has {count} candidate {name}; at most \
                 {CANDIDATES_MAX} are possible"
            ))
            .into());
        }
    }
    set_state(run, key, UserTaskState::Updating)?;
    let changes = command.changes.clone();
    let task = run.change::<UserTask>(key)?;
    task.due_at = changes.due_at.unwrap_or(task.due_at);
    task.follow_up_at = changes.follow_up_at.unwrap_or(task.follow_up_at);
    if let Some(users) = changes.candidate_users {
        task.candidate_users = users;
    }
    if let Some(groups) = changes.candidate_groups {
        task.candidate_groups = groups;
    }
    task.priority = changes.priority.unwrap_or(task.priority);
    task.action = command.action.clone();
    set_state(run, key, UserTaskState::Created)?;
    Ok(Answer::Done)
}

pub(super) fn complete(run: &mut Run<'_>, command: &CompleteUserTask) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let key = command.task;
    let task = expect_created(run, key, "complete")?;
    run.element(task.element_instance)?;
    set_state(run, key, UserTaskState::Completing)?;
    run.change::<UserTask>(key)?.action = command.action.clone();
    end(run, key, UserTaskState::Completed)?;
    result::set_payload(run, task.element_instance, Some(command.variables.clone()))?;
    run.push(Step::Complete { element: task.element_instance });
    Ok(Answer::Done)
}
