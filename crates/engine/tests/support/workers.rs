//! Commands of workers, for scenarios that want to know the answer.

use super::Harness;
use tidemill_model::command::{ActivateJobs, Command, CompleteJob, FailJob, ThrowJobError, UpdateJob};
use tidemill_model::{ActivatedJob, Answer, JobKey, LeaseKey, Rejection, TenantId, Text, Variables};

pub fn activation(job_type: &str) -> ActivateJobs {
    ActivateJobs {
        job_type: Text::from(job_type),
        worker: Text::from("worker"),
        timeout_ms: 60_000,
        jobs_max: 10,
        fetch_variables: Vec::new(),
        tenants: vec![TenantId::default()],
        with_lease: false,
    }
}

pub fn failure(job: JobKey, retries: i32) -> FailJob {
    let variables = Variables::default();
    FailJob { job, retries, backoff_ms: 0, error_message: None, variables, lease: None }
}

pub fn update(job: JobKey) -> UpdateJob {
    UpdateJob { job, retries: None, timeout_ms: None, priority: None, lease: None }
}

impl Harness {
    pub fn activate_with(&mut self, command: ActivateJobs) -> Vec<ActivatedJob> {
        match self.run(Command::ActivateJobs(command)) {
            Ok(Answer::Activated(jobs)) => jobs,
            other => panic!("unexpected answer {other:?}"),
        }
    }

    pub fn try_complete(&mut self, job: JobKey, lease: Option<LeaseKey>) -> Result<Answer, Rejection> {
        self.run(Command::CompleteJob(CompleteJob {
            business_id: None,
            job,
            variables: Variables::default(),
            lease,
        }))
    }

    pub fn try_fail(&mut self, command: FailJob) -> Result<Answer, Rejection> {
        self.run(Command::FailJob(command))
    }

    pub fn try_throw(&mut self, job: JobKey, code: &str) -> Result<Answer, Rejection> {
        self.run(Command::ThrowJobError(ThrowJobError {
            job,
            error_code: Text::from(code),
            error_message: None,
            variables: Variables::default(),
            lease: None,
        }))
    }

    pub fn update_job(&mut self, command: UpdateJob) -> Result<Answer, Rejection> {
        self.run(Command::UpdateJob(command))
    }
}
