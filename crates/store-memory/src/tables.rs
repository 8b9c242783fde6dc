//! One ordered map per kind of entity, under what identifies a row.

use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::entity::*;
use tidemill_model::{Entity, TenantId, Text};

macro_rules! tables {
    ($($kind:ident in $table:ident by $id:ty = |$row:ident| $value:expr;)+) => {
        #[derive(Default)]
        pub(crate) struct Tables {
            $(pub(crate) $table: BTreeMap<$id, Arc<$kind>>,)+
        }

        impl Tables {
            pub(crate) fn put(&mut self, entity: &Entity) {
                match entity {
                    $(Entity::$kind($row) => drop(self.$table.insert($value, $row.clone())),)+
                }
            }

            pub(crate) fn remove(&mut self, entity: &Entity) {
                match entity {
                    $(Entity::$kind($row) => drop(self.$table.remove(&$value)),)+
                }
            }

            pub(crate) fn contains(&self, entity: &Entity) -> bool {
                match entity {
                    $(Entity::$kind($row) => self.$table.contains_key(&$value),)+
                }
            }
        }
    };
}

tables! {
    ProcessInstance in instances by i64 = |row| row.key.0;
    ElementInstance in elements by i64 = |row| row.key.0;
    Variable in variables by i64 = |row| row.key.0;
    Job in jobs by i64 = |row| row.key.0;
    JobLease in job_leases by i64 = |row| row.lease.key.0;
    UserTask in user_tasks by i64 = |row| row.key.0;
    Incident in incidents by i64 = |row| row.key.0;
    Timer in timers by TimerId = |row| timer_id(row);
    Message in messages by i64 = |row| row.key.0;
    MessageSubscription in message_subscriptions by i64 = |row| row.key.0;
    BoxSubscription in box_subscriptions by i64 = |row| row.key.0;
    MessageStartLock in start_locks by (Text, Text, TenantId)
        = |row| (row.correlation_key.clone(), row.process_id.clone(), row.tenant.clone());
    MessageCorrelation in correlations by (i64, i64) = |row| (row.subscription.0, row.message.0);
    SignalSubscription in signal_subscriptions by i64 = |row| row.key.0;
    StartSubscription in start_subscriptions by i64 = |row| row.key.0;
    LoopInput in loop_inputs by i64 = |row| row.body.0;
    LoopOutput in loop_outputs by (i64, u32) = |row| (row.body.0, row.loop_counter);
    ProcessDefinition in definitions by i64 = |row| row.key.0;
    ProcessXml in files by i64 = |row| row.definition.0;
    Form in forms by i64 = |row| row.key.0;
    Resource in resources by i64 = |row| row.key.0;
}

/// Partition, due time and key: the order of the schedule.
pub(crate) type TimerId = (u16, i64, i64);

pub(crate) fn timer_id(timer: &Timer) -> TimerId {
    let partition = timer.key.partition().map_or(0, |partition| partition.0);
    (partition, timer.due_at.0, timer.key.0)
}

/// The key by which messages about a row name it.
pub(crate) fn key_of(entity: &Entity) -> i64 {
    match entity {
        Entity::ProcessInstance(row) => row.key.0,
        Entity::ElementInstance(row) => row.key.0,
        Entity::Variable(row) => row.key.0,
        Entity::Job(row) => row.key.0,
        Entity::JobLease(row) => row.lease.key.0,
        Entity::UserTask(row) => row.key.0,
        Entity::Incident(row) => row.key.0,
        Entity::Timer(row) => row.key.0,
        Entity::Message(row) => row.key.0,
        Entity::MessageSubscription(row) => row.key.0,
        Entity::BoxSubscription(row) => row.key.0,
        Entity::MessageStartLock(row) => row.instance.0,
        Entity::MessageCorrelation(row) => row.subscription.0,
        Entity::SignalSubscription(row) => row.key.0,
        Entity::StartSubscription(row) => row.key.0,
        Entity::LoopInput(row) => row.body.0,
        Entity::LoopOutput(row) => row.body.0,
        Entity::ProcessDefinition(row) => row.key.0,
        Entity::ProcessXml(row) => row.definition.0,
        Entity::Form(row) => row.key.0,
        Entity::Resource(row) => row.key.0,
    }
}
