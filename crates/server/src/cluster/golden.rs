//! Messages between nodes as a version wrote them. Nodes of two versions work side by side, so a newer one must read these bytes, and this
//! one must go on to write them: a change here needs a new member with a default, and a new file of messages beside the old one.

use super::{PeerReply, PeerRequest};
use crate::broker::{CommandError, CommandOptions, EndedInstance, Idempotency};
use crate::definitions::{CacheReport, ReportedDefinition};
use crate::timers::wire::{WireAnswer, WireRequest};
use std::collections::BTreeSet;
use std::fmt::Debug;
use tidemill_model::command::{ActivateJobs, CancelInstance};
use tidemill_model::{
    Answer, Command, CreatedInstance, DefinitionKey, PartitionId, ProcessInstanceKey, Rejection, TenantId,
    Text, Timestamp,
};
use tidemill_store::{Packed, pack, unpack};

/// `name bytes`, a line for each message.
const MESSAGES: &str = include_str!("golden/messages-0.1.txt");
const WRITE: &str = "TIDEMILL_WRITE_GOLDEN";

fn created() -> CreatedInstance {
    CreatedInstance {
        instance: ProcessInstanceKey(2_251_799_813_685_251),
        definition: DefinitionKey(2_251_799_813_685_250),
        process_id: Text::from("order"),
        version: 3,
        tenant: TenantId::default(),
        tags: vec![Text::from("blue")],
        business_id: Some(Text::from("A-1")),
    }
}

fn activation() -> ActivateJobs {
    ActivateJobs {
        job_type: Text::from("payment"),
        worker: Text::from("w"),
        timeout_ms: 60_000,
        jobs_max: 32,
        fetch_variables: vec![Text::from("amount")],
        tenants: vec![TenantId::default()],
        with_lease: true,
    }
}

fn requests() -> Vec<(&'static str, PeerRequest)> {
    let partition = PartitionId(7);
    let idempotency = Some(Idempotency { key: Text::from("mail-1"), fingerprint: 17 });
    let options = CommandOptions { tenant: TenantId::default(), idempotency };
    let command = Command::CancelInstance(CancelInstance { instance: created().instance });
    let read = WireRequest::Read { lane: 3, batch: 9, n: 1, kept: Some(vec![1, 2]) };
    vec![
        ("request execute", PeerRequest::Execute { partition, command, options }),
        ("request inboxes", PeerRequest::InboxesHaveGrown { partitions: BTreeSet::from([partition]) }),
        ("request definitions", PeerRequest::DefinitionsAreAt { version: 5 }),
        ("request activate", PeerRequest::ActivateJobs { command: activation() }),
        ("request await jobs", PeerRequest::AwaitJobs { job_type: Text::from("payment"), wait_ms: 500 }),
        ("request await end", PeerRequest::AwaitEnd { created: created(), wait_ms: 500 }),
        ("request ownership", PeerRequest::OwnershipHasChanged),
        ("request clock", PeerRequest::SetClock { pinned_at: Some(Timestamp(1_700_000_000_000)) }),
        ("request timers", PeerRequest::Timers { partition, request: read }),
        ("request cache", PeerRequest::CacheReport),
    ]
}

fn replies() -> Vec<(&'static str, PeerReply)> {
    let refusal = Rejection::not_found("Expected an instance, but there is none");
    let definition = ReportedDefinition {
        process_definition_key: "1".to_owned(),
        tenant_id: "<default>".to_owned(),
        process_definition_id: "order".to_owned(),
        version: 3,
        bytes: 1_000,
        uses: 2,
    };
    let report = CacheReport {
        entries: 1,
        entries_max: 1_000,
        bytes: 1_000,
        bytes_max: 100_000_000,
        hits: 9,
        misses: 1,
        evictions: 0,
        latest_entries: 1,
        largest: vec![definition.clone()],
        coldest: vec![definition],
    };
    let ended = EndedInstance { created: created(), is_completed: true };
    vec![
        ("reply answer", PeerReply::Answer(Ok(Answer::Created(created())))),
        ("reply refusal", PeerReply::Answer(Err(CommandError::Rejected(refusal)))),
        ("reply moved", PeerReply::Answer(Err(CommandError::Moved))),
        ("reply jobs", PeerReply::Jobs(Ok(Vec::new()))),
        ("reply end", PeerReply::End(Some(ended))),
        ("reply goes on", PeerReply::End(None)),
        ("reply timers", PeerReply::Timers(Ok(WireAnswer::Created { key: 4, due_ms: 1_700_000_000_000 }))),
        ("reply noted", PeerReply::Noted),
        ("reply cache", PeerReply::Cache(Box::new(report))),
    ]
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    let digits = |at| u8::from_str_radix(&hex[at..at + 2], 16).expect("two digits");
    (0..hex.len()).step_by(2).map(digits).collect()
}

fn stored(name: &str) -> Option<Vec<u8>> {
    let line = MESSAGES.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.map(bytes)
}

fn check<T: Packed + Debug>(name: &str, message: &T) {
    let stored = stored(name).unwrap_or_else(|| panic!("no message '{name}': run once with {WRITE}=1"));
    let read: T = unpack(&stored).unwrap_or_else(|error| panic!("{name} can no longer be read: {error}"));
    assert_eq!(format!("{read:?}"), format!("{message:?}"), "{name} means something else now");
    assert_eq!(
        hex(&pack(message)),
        hex(&stored),
        "{name} is written in another way: older nodes read this one"
    );
}

#[test]
fn messages_of_the_first_version_are_read_and_written_as_they_were() {
    if std::env::var_os(WRITE).is_some() {
        let requests =
            requests().into_iter().map(|(name, message)| format!("{name}: {}\n", hex(&pack(&message))));
        let replies =
            replies().into_iter().map(|(name, message)| format!("{name}: {}\n", hex(&pack(&message))));
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/src/cluster/golden/messages-0.1.txt");
        std::fs::write(path, requests.chain(replies).collect::<String>()).expect("it can be written");
        return;
    }
    requests().iter().for_each(|(name, message)| check(name, message));
    replies().iter().for_each(|(name, message)| check(name, message));
    assert_eq!(MESSAGES.lines().count(), requests().len() + replies().len());
}

/// So a newer node can add a member, and an older one goes on.
#[test]
fn a_member_that_is_not_known_yet_is_skipped() {
    let mut bytes = vec![0x81, 0xa8];
    bytes.extend(b"SetClock");
    bytes.extend([0x82, 0xa9]);
    bytes.extend(b"pinned_at");
    bytes.extend([0xc0, 0xa3]);
    bytes.extend(b"new");
    bytes.push(1);
    let read: PeerRequest = unpack(&bytes).expect("it is read");
    assert!(matches!(read, PeerRequest::SetClock { pinned_at: None }), "{read:?}");
}
