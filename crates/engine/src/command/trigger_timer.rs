//! A timer is due.

use super::create_instance::{self, NewInstance};
use crate::element;
use crate::event::timer;
use crate::event::trigger::trigger;
use crate::run::Run;
use crate::stop::{Stepped, Stop};
use std::sync::Arc;
use tidemill_model::command::TriggerTimer;
use tidemill_model::entity::{Job, JobState, Message, Timer, TimerPurpose};
use tidemill_model::{
    Answer, BoxName, DefinitionKey, ElementIndex, ElementInstanceKey, Event, JobKey, MessageKey, Need,
    TenantId, Variables,
};

pub(super) fn run(run: &mut Run<'_>, command: &TriggerTimer) -> Stepped<Answer> {
    let timer = Arc::new(command.timer.clone());
    match &timer.purpose {
        TimerPurpose::Catch { element_instance, target, .. } => {
            catch(run, command, *element_instance, *target)?;
        }
        TimerPurpose::Start { definition, target, tenant, process_id } => {
            run.require(Need::Process { tenant: tenant.clone(), process_id: process_id.clone() })?;
            if command.was_put_aside {
                run.load_timer(&timer);
            }
            start(run, &timer, *definition, *target, tenant)?;
        }
        TimerPurpose::JobBackoff { job, .. } => back_off_is_over(run, &timer, *job)?,
        TimerPurpose::MessageExpiry { message, tenant, name, correlation_key } => {
            let name = BoxName {
                tenant: tenant.clone(),
                message_name: name.clone(),
                correlation_key: correlation_key.clone(),
            };
            expire(run, &timer, *message, name)?;
        }
    }
    Ok(Answer::Done)
}

fn catch(
    run: &mut Run<'_>,
    command: &TriggerTimer,
    waiting: ElementInstanceKey,
    target: ElementIndex,
) -> Stepped {
    let timer = &command.timer;
    if run.find_scope(waiting)?.is_none() {
        return Ok(());
    }
    if run.remove::<Timer>(timer.key).is_none() && !command.was_put_aside {
        return Ok(());
    }
    timer::record_trigger(run, timer)?;
    timer::go_on(run, waiting, timer)?;
    trigger(run, waiting, target, Variables::default())?;
    Ok(())
}

fn start(
    run: &mut Run<'_>,
    timer: &Timer,
    definition: DefinitionKey,
    target: ElementIndex,
    tenant: &TenantId,
) -> Stepped {
    if run.remove::<Timer>(timer.key).is_none() {
        return Ok(());
    }
    timer::record_trigger(run, timer)?;
    let found = run.definition(definition)?;
    match timer::repeat(run, &found, target, timer) {
        // There is no element yet that could carry an incident: the cycle ends, this firing counts.
        Ok(()) | Err(Stop::Fail(_)) => {}
        Err(other) => return Err(other),
    }
    let new = NewInstance { tenant: tenant.clone(), ..NewInstance::default() };
    let instance = create_instance::begin(run, &found, new)?;
    create_instance::start_at(run, instance, target, Some(Variables::default()))
}

fn back_off_is_over(run: &mut Run<'_>, timer: &Timer, key: JobKey) -> Stepped {
    let job = super::job::find(run, key)?;
    // It comes with its job, and goes with it.
    run.remove::<Timer>(timer.key);
    if let Some(job) = job.filter(|job| job.state == JobState::BackingOff) {
        run.change::<Job>(key)?.state = JobState::Waiting;
        element::job_task::record(run, &job, job.last_event);
    }
    Ok(())
}

fn expire(run: &mut Run<'_>, timer: &Timer, message: MessageKey, name: BoxName) -> Stepped {
    super::message_box::require(run, &name)?;
    run.load_timer(timer);
    run.remove::<Timer>(timer.key);
    if run.remove::<Message>(message).is_some() {
        run.record(message, None, || Event::MessageExpired {
            name: name.message_name,
            correlation_key: name.correlation_key,
        });
    }
    Ok(())
}
