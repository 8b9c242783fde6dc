//! Rows as they are stored: where each has its place, and in which form.

use crate::compact::{compact, expand};
use crate::error::damaged;
use crate::keys::{Keys, box_name, ordered};
use serde::{Deserialize, Serialize};
use tidemill_model::entity::{ProcessInstance, Timer, TimerPurpose};
use tidemill_model::{BoxName, Entity, EntityKind, ProcessInstanceKey};
use tidemill_store::{Result, pack, pack_entities, unpack};

/// The hash and the field that a live row has. None for process instances, which have keys of their own, and for what is
/// written into history at once.
pub(crate) struct Home {
    /// Without the tag.
    pub(crate) hash: String,
    pub(crate) field: String,
    /// It belongs to the first partition, whoever writes it.
    pub(crate) is_deployed: bool,
}

impl Home {
    pub(crate) fn of(entity: &Entity) -> Option<Home> {
        let (key, second) = entity.numbers();
        let of_instance = |word: &str| {
            let hash = format!("live-{}", instance_of(entity)?);
            Some(Home { hash, field: format!("{word}:{key}"), is_deployed: false })
        };
        let deployed =
            |hash: &str| Some(Home { hash: hash.into(), field: key.to_string(), is_deployed: true });
        let plain = |hash: String, field: String| Some(Home { hash, field, is_deployed: false });
        match entity {
            Entity::ProcessInstance(_) | Entity::MessageCorrelation(_) => None,
            Entity::ElementInstance(_) => of_instance("element"),
            Entity::Variable(_) => of_instance("variable"),
            Entity::Job(_) => of_instance("job"),
            Entity::UserTask(_) => of_instance("task"),
            Entity::Incident(_) => of_instance("incident"),
            Entity::MessageSubscription(_) => of_instance("subscription"),
            Entity::SignalSubscription(_) => of_instance("signal"),
            Entity::LoopInput(_) => of_instance("input"),
            Entity::LoopOutput(_) => {
                let hash = format!("live-{}", instance_of(entity)?);
                plain(hash, format!("output:{key}:{second}"))
            }
            Entity::Timer(timer) => plain(timer_hash(timer), format!("timer:{key}")),
            Entity::Message(row) => plain(box_name(&BoxName::of_message(row)), format!("message:{key}")),
            Entity::BoxSubscription(row) => {
                plain(box_name(&BoxName::of_subscription(row)), format!("subscription:{key}"))
            }
            Entity::MessageStartLock(row) => {
                let locks = Keys::default().locks(&row.tenant, &row.correlation_key);
                plain(locks, row.process_id.to_string())
            }
            Entity::JobLease(_) => plain("leases".into(), key.to_string()),
            Entity::StartSubscription(_) => deployed("starts"),
            Entity::ProcessDefinition(_) => deployed("definitions"),
            Entity::ProcessXml(_) => deployed("files"),
            Entity::Form(_) => deployed("forms"),
            Entity::Resource(_) => deployed("resources"),
        }
    }
}

fn instance_of(entity: &Entity) -> Option<ProcessInstanceKey> {
    entity.belongs_to().map(|belonging| belonging.instance)
}

/// The hash that has the row of a timer.
fn timer_hash(timer: &Timer) -> String {
    match &timer.purpose {
        TimerPurpose::Catch { origin, .. } | TimerPurpose::JobBackoff { origin, .. } => {
            format!("live-{}", origin.instance)
        }
        TimerPurpose::Start { .. } => "start-timers".into(),
        TimerPurpose::MessageExpiry { tenant, name, correlation_key, .. } => box_name(&BoxName {
            tenant: tenant.clone(),
            message_name: name.clone(),
            correlation_key: correlation_key.clone(),
        }),
    }
}

/// A timer in the schedule: its key, and the hash that has its row.
pub(crate) fn timer_member(timer: &Timer) -> String {
    format!("{}:{}", ordered(timer.key.0), timer_hash(timer))
}

/// The key and the hash of a timer in the schedule.
pub(crate) fn read_timer_member(member: &str) -> Option<(i64, &str)> {
    let (key, hash) = member.split_once(':')?;
    Some((key.parse().ok()?, hash))
}

/// Scores are exact up to here, some 285,000 years from now.
pub(crate) fn score(time: i64) -> String {
    const EXACT: i64 = (1 << 53) - 1;
    time.clamp(-EXACT, EXACT).to_string()
}

/// Rows whose instance is found by their key.
pub(crate) fn is_found_by_key(kind: EntityKind) -> bool {
    matches!(
        kind,
        EntityKind::ElementInstance
            | EntityKind::Variable
            | EntityKind::Job
            | EntityKind::UserTask
            | EntityKind::Incident
            | EntityKind::MessageSubscription
            | EntityKind::SignalSubscription
    )
}

/// An entry of the index by key.
pub(crate) fn key_entry(kind: EntityKind, instance: ProcessInstanceKey) -> Vec<u8> {
    let mut entry = vec![kind as u8 + 1];
    entry.extend(instance.0.to_be_bytes());
    entry
}

/// None for an empty entry.
pub(crate) fn read_key_entry(entry: &[u8]) -> Option<ProcessInstanceKey> {
    let (kind, instance) = entry.split_first()?;
    (*kind > 0).then_some(ProcessInstanceKey(i64::from_be_bytes(instance.try_into().ok()?)))
}

pub(crate) fn packed(entity: &Entity) -> Vec<u8> {
    compact(&pack(entity))
}

pub(crate) fn packed_all(entities: &[Entity]) -> Vec<u8> {
    compact(&pack_entities(entities))
}

pub(crate) fn unpacked(key: &str, bytes: &[u8]) -> Result<Entity> {
    unpack(&expanded(key, bytes)?).map_err(|error| damaged(key, error))
}

pub(crate) fn unpacked_all(key: &str, bytes: &[u8]) -> Result<Vec<Entity>> {
    unpack(&expanded(key, bytes)?).map_err(|error| damaged(key, error))
}

fn expanded(key: &str, bytes: &[u8]) -> Result<Vec<u8>> {
    expand(bytes).ok_or_else(|| damaged(key, "its bytes are not those of a row"))
}

/// A process instance as an operator reads it.
#[derive(Serialize, Deserialize)]
pub(crate) struct InstanceJson {
    pub(crate) is_ended: bool,
    /// The last batch that changed it. Events up to it have been executed.
    pub(crate) cursor: String,
    pub(crate) instance: ProcessInstance,
}

pub(crate) fn instance_json(instance: &ProcessInstance, is_ended: bool, batch: i64) -> Vec<u8> {
    let cursor = format!("{batch}-0");
    let json = InstanceJson { is_ended, cursor, instance: instance.clone() };
    serde_json::to_vec(&json).expect("plain data always has a JSON form")
}

pub(crate) fn read_instance(key: &str, json: &[u8]) -> Result<InstanceJson> {
    serde_json::from_slice(json).map_err(|error| damaged(key, error))
}
