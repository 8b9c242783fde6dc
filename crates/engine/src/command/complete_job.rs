//! A worker has done its job.

use super::{assign_business_id, job};
use crate::data::{result, variables};
use crate::element::job_task;
use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::Answer;
use tidemill_model::command::{CompleteJob, Step};
use tidemill_model::entity::{JobEvent, JobState};

pub(super) fn run(run: &mut Run<'_>, command: &CompleteJob) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let job = job::expect_active(run, command.job, command.lease, "complete")?;
    let element = job.element_instance;
    run.element(element)?;
    if let Some(business_id) = command.business_id.as_ref().filter(|id| !id.is_empty()) {
        assign_business_id::assign(run, job.origin.instance, business_id)?;
    }
    job_task::end(run, command.job, JobState::Completed, JobEvent::Completed)?;
    result::set_payload(run, element, Some(command.variables.clone()))?;
    run.push(Step::Complete { element });
    Ok(Answer::Done)
}
