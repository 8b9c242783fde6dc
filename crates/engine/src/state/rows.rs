//! Which key each kind of row has.

use super::table::Row;
use tidemill_model::entity::*;
use tidemill_model::{
    DefinitionKey, ElementInstanceKey, FormKey, IncidentKey, JobKey, LeaseKey, MessageKey,
    ProcessInstanceKey, ResourceKey, SubscriptionKey, TimerKey, UserTaskKey, VariableKey,
};

macro_rules! rows {
    ($($row:ty, $key:ty, |$this:ident| $get:expr;)+) => {$(
        impl Row for $row {
            type Key = $key;

            fn key(&self) -> $key {
                let $this = self;
                $get
            }
        }
    )+};
}

rows! {
    ProcessInstance, ProcessInstanceKey, |row| row.key;
    ElementInstance, ElementInstanceKey, |row| row.key;
    Variable, VariableKey, |row| row.key;
    Job, JobKey, |row| row.key;
    JobLease, LeaseKey, |row| row.lease.key;
    UserTask, UserTaskKey, |row| row.key;
    Incident, IncidentKey, |row| row.key;
    Timer, TimerKey, |row| row.key;
    Message, MessageKey, |row| row.key;
    MessageSubscription, SubscriptionKey, |row| row.key;
    BoxSubscription, SubscriptionKey, |row| row.key;
    MessageStartLock, ProcessInstanceKey, |row| row.instance;
    MessageCorrelation, (SubscriptionKey, MessageKey), |row| (row.subscription, row.message);
    SignalSubscription, SubscriptionKey, |row| row.key;
    StartSubscription, SubscriptionKey, |row| row.key;
    LoopInput, ElementInstanceKey, |row| row.body;
    LoopOutput, (ElementInstanceKey, u32), |row| (row.body, row.loop_counter);
    ProcessDefinition, DefinitionKey, |row| row.key;
    ProcessXml, DefinitionKey, |row| row.definition;
    Form, FormKey, |row| row.key;
    Resource, ResourceKey, |row| row.key;
}
