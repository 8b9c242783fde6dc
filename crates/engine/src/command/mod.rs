//! The commands: what each checks and does first. The steps that follow from it are taken afterwards. One file per command.

mod activate_jobs;
mod answer_correlation;
pub(crate) mod assign_business_id;
pub(crate) mod broadcast_signal;
mod cancel_instance;
mod complete_job;
mod continue_steps;
mod correlate_message;
mod correlate_subscription;
pub(crate) mod create_instance;
mod delete_instance;
mod delete_resource;
mod deliver_signal;
mod deploy;
mod deployable;
mod expire_leases;
mod fail_job;
mod job;
mod message_box;
mod publish_message;
mod release_start_lock;
mod resolve_incident;
pub(crate) mod resource;
mod set_variables;
mod start_instructions;
mod start_subscriptions;
mod throw_job_error;
mod trigger_timer;
mod update_job;
mod user_task;

pub use deployable::check_deployment;

use crate::run::Run;
use crate::stop::Stepped;
use tidemill_model::{Answer, Command};

pub(crate) fn dispatch(run: &mut Run<'_>, command: &Command) -> Stepped<Answer> {
    match command {
        Command::Deploy(command) => deploy::run(run, command),
        Command::DeleteResource(command) => delete_resource::run(run, command),
        Command::CreateInstance(command) => create_instance::run(run, command),
        Command::AssignBusinessId(command) => assign_business_id::run(run, command),
        Command::CancelInstance(command) => cancel_instance::run(run, command),
        Command::DeleteInstance(command) => delete_instance::run(run, command),
        Command::SetVariables(command) => set_variables::run(run, command),
        Command::ResolveIncident(command) => resolve_incident::run(run, command),
        Command::ActivateJobs(command) => activate_jobs::run(run, command),
        Command::CompleteJob(command) => complete_job::run(run, command),
        Command::FailJob(command) => fail_job::run(run, command),
        Command::ThrowJobError(command) => throw_job_error::run(run, command),
        Command::UpdateJob(command) => update_job::run(run, command),
        Command::AssignUserTask(command) => user_task::assign(run, command),
        Command::UpdateUserTask(command) => user_task::update(run, command),
        Command::CompleteUserTask(command) => user_task::complete(run, command),
        Command::PublishMessage(command) => publish_message::run(run, command),
        Command::CorrelateMessage(command) => correlate_message::run(run, command),
        Command::BroadcastSignal(command) => broadcast_signal::run(run, command),
        Command::Continue(command) => continue_steps::run(run, command),
        Command::DeleteRemains(command) => delete_instance::go_on(run, command),
        Command::TriggerTimer(command) => trigger_timer::run(run, command),
        Command::ExpireLeases(command) => expire_leases::run(run, command),
        Command::OpenBoxSubscription(command) => message_box::open(run, command),
        Command::CloseBoxSubscription(command) => message_box::close(run, command),
        Command::CorrelateSubscription(command) => correlate_subscription::run(run, command),
        Command::AnswerCorrelation(command) => answer_correlation::run(run, command),
        Command::ReleaseStartLock(command) => release_start_lock::run(run, command),
        Command::DeliverSignal(command) => deliver_signal::run(run, command),
    }
}
