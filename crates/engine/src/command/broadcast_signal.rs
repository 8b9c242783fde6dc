//! Broadcasts a signal: starts what it starts, and sends it to every partition.

use super::create_instance::{self, NewInstance};
use super::start_subscriptions;
use crate::data::variables;
use crate::run::Run;
use crate::stop::Stepped;
use std::sync::Arc;
use tidemill_model::command::{BroadcastSignal, Command, DeliverSignal};
use tidemill_model::entity::{StartEventKind, StartSubscription};
use tidemill_model::{Answer, Event, SignalKey, TenantId, Text, Variables};

pub(super) fn run(run: &mut Run<'_>, command: &BroadcastSignal) -> Stepped<Answer> {
    variables::check_command(&command.variables)?;
    let (tenant, name) = (command.tenant.clone(), command.name.clone());
    let signal = broadcast(run, tenant, name, command.variables.clone())?;
    Ok(Answer::Broadcast { signal, tenant: command.tenant.clone() })
}

/// The start events of the signal, with all definitions in memory.
pub(crate) fn require_starts(
    run: &Run<'_>,
    tenant: &TenantId,
    name: &Text,
) -> Stepped<Vec<Arc<StartSubscription>>> {
    let starts = start_subscriptions::by_name(run, tenant, StartEventKind::Signal, name)?;
    start_subscriptions::require_definitions(run, &starts)?;
    Ok(starts)
}

pub(crate) fn broadcast(
    run: &mut Run<'_>,
    tenant: TenantId,
    name: Text,
    variables: Variables,
) -> Stepped<SignalKey> {
    let signal: SignalKey = run.new_key();
    run.record(signal, None, || Event::SignalBroadcast { name: name.clone() });
    for start in require_starts(run, &tenant, &name)? {
        let definition = run.definition(start.definition)?;
        let new = NewInstance { tenant: tenant.clone(), ..NewInstance::default() };
        let instance = create_instance::begin(run, &definition, new)?;
        create_instance::start_at(run, instance, start.element, Some(variables.clone()))?;
    }
    let partitions: Vec<_> = run.partitions.ids().collect();
    let here = run.partition;
    // Subscriptions that this very command opens from here on do not get it.
    let horizon = Some(run.key_horizon().into());
    for partition in partitions {
        let until = if partition == here { horizon } else { None };
        let deliver = DeliverSignal {
            partition,
            signal,
            tenant: tenant.clone(),
            name: name.clone(),
            variables: variables.clone(),
            after: None,
            until,
        };
        run.send_to(partition, Command::DeliverSignal(deliver));
    }
    Ok(signal)
}
