//! The block codec: what is written is read, the bytes stay what they are, and bad bytes are errors.

use proptest::prelude::*;
use std::sync::Arc;
use tidemill_timers::block::{self, Block, Entry, Error, Flags, PlaceId, Scope, Tombstone};

fn entry(key: i64, due_ms: i64) -> Entry {
    Entry {
        key,
        due_ms,
        scheduled_ms: due_ms,
        generation: 0,
        attempt: 0,
        target: 0,
        flags: Flags::default(),
        scope: Arc::new(Scope { tenant: "acme".into(), namespace: "orders".into() }),
        place: None,
        payload: Box::default(),
    }
}

fn sample() -> Block {
    let named = Entry {
        scheduled_ms: 1_700_000_000_000,
        generation: 3,
        attempt: 2,
        target: 70_000,
        flags: Flags(5),
        scope: Arc::new(Scope { tenant: "acme".into(), namespace: "mail".into() }),
        place: Some(PlaceId::of_own_id(0x0123_4567_89ab_cdef)),
        payload: b"{\"a\":1}".as_slice().into(),
        ..entry(1 << 51 | 12, 1_700_000_000_700)
    };
    Block::Entries(vec![
        entry(1 << 51 | 10, 1_700_000_000_500),
        entry(1 << 51 | 11, 1_700_000_000_100),
        named,
    ])
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|at| u8::from_str_radix(&text[at..at + 2], 16).unwrap()).collect()
}

/// Blocks outlive the server that wrote them. The meaning of these bytes never changes; a new release of the
/// compressor may write others.
#[test]
fn version_1_is_written_in_these_bytes() {
    let tombstone = |key, generation| Tombstone { key, due_ms: 1_700_000_000_100, generation };
    let tombstones = Block::Tombstones(vec![tombstone(4, 1), tombstone(9, 1)]);
    let golden = [
        (sample(), GOLDEN_ENTRIES),
        (tombstones, GOLDEN_TOMBSTONES),
        (Block::Paused(vec![entry(1, 2)]), GOLDEN_PAUSED),
    ];
    for (mut block, golden) in golden {
        assert_eq!(hex(&block::encode(&mut block).unwrap()), golden, "{block:?}");
        assert_eq!(block::decode(&unhex(golden)), Ok(block));
    }
}

const GOLDEN_ENTRIES: &str = "544d010101036581c8a1abfef96294800100f10d080100010101900300d80401000003020461636d65066f72646572730c00e0046d61696c01000001010000f0a22500f20802010000f80a0100000b01000007efcdab896745230100010080807b2261223a317d6868e45f";
const GOLDEN_TOMBSTONES: &str = "544d010000020ec8a1abfef9620801000500000001d5525d4d";
const GOLDEN_PAUSED: &str =
    "544d0102010121310402000100d1010461636d65066f7264657273120070000000000000003abac3bf";

#[test]
fn what_was_packed_comes_back() {
    let mut block = sample();
    let bytes = block::encode(&mut block).unwrap();
    assert_eq!(block::decode(&bytes), Ok(block));
    let empty = block::encode(&mut Block::Entries(Vec::new())).unwrap();
    assert_eq!(block::decode(&empty), Ok(Block::Entries(Vec::new())));
}

#[test]
fn damage_is_told_from_a_newer_version() {
    let good = block::encode(&mut sample()).unwrap();
    let with = |at: usize, byte: u8| {
        let mut bytes = good.clone();
        bytes[at] = byte;
        block::decode(&bytes).unwrap_err()
    };
    assert_eq!(with(0, b'X'), Error::Foreign);
    assert_eq!(with(2, 2), Error::Version { found: 2, supported: 1 });
    assert_eq!(with(2, 0), Error::Version { found: 0, supported: 1 });
    for (at, byte) in good.iter().enumerate().skip(3) {
        assert!(matches!(with(at, byte ^ 0x10), Error::Checksum { .. }), "byte {at}");
    }
    for length in 0..good.len() {
        assert!(block::decode(&good[..length]).is_err(), "cut to {length} bytes");
    }
}

#[test]
fn what_is_too_large_is_refused_when_it_is_written() {
    let long = Entry { payload: vec![0; block::PAYLOAD_BYTES_MAX + 1].into(), ..entry(1, 1) };
    assert!(matches!(block::encode(&mut Block::Entries(vec![long])), Err(Error::Limit(_))));
    let name = Scope { tenant: "t".repeat(block::NAME_BYTES_MAX + 1), namespace: String::new() };
    let named = Entry { scope: Arc::new(name), ..entry(1, 1) };
    assert!(matches!(block::encode(&mut Block::Entries(vec![named])), Err(Error::Limit(_))));
    let many = vec![Tombstone { key: 1, due_ms: 1, generation: 1 }; block::ENTRIES_MAX + 1];
    assert!(matches!(block::encode(&mut Block::Tombstones(many)), Err(Error::Limit(_))));
}

fn entries() -> impl Strategy<Value = Vec<Entry>> {
    let scopes: Vec<Arc<Scope>> = ["", "a", "b"]
        .map(|name| Arc::new(Scope { tenant: name.into(), namespace: "n".repeat(name.len()) }))
        .into();
    let number = || prop_oneof![Just(0u32), 0..5u32, any::<u32>()];
    let place = prop_oneof![Just(None), any::<u128>().prop_map(|id| Some(PlaceId(id)))];
    let time = || prop_oneof![0..1_000_000i64, any::<i64>()];
    let entry = (
        (any::<i64>(), time(), time(), number(), number(), number()),
        (0..=u32::MAX >> 1, 0..3usize, place, prop::collection::vec(any::<u8>(), 0..40)),
    );
    let entry = entry.prop_map(move |((key, due_ms, scheduled_ms, generation, attempt, target), rest)| {
        let (flags, scope, place, payload) = rest;
        let (scope, payload) = (scopes[scope].clone(), payload.into());
        let flags = Flags(flags);
        Entry { key, due_ms, scheduled_ms, generation, attempt, target, flags, scope, place, payload }
    });
    prop::collection::vec(entry, 0..80)
}

/// Makes the checksum right, so that what lies behind it is tried.
fn seal(mut bytes: Vec<u8>) -> Vec<u8> {
    let checksum = twox_hash::XxHash64::oneshot(0, &bytes) as u32;
    bytes.extend_from_slice(&checksum.to_le_bytes());
    bytes
}

fn varint(mut value: u64) -> Vec<u8> {
    let mut out = Vec::new();
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
    out
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_entries_come_back(mut entries in entries(), is_paused: bool) {
        entries.sort_by_key(|entry| (entry.key, entry.generation));
        entries.dedup_by_key(|entry| (entry.key, entry.generation));
        let mut block = if is_paused { Block::Paused(entries) } else { Block::Entries(entries) };
        let bytes = block::encode(&mut block).unwrap();
        prop_assert_eq!(block::decode(&bytes), Ok(block));
    }

    #[test]
    fn arbitrary_bytes_are_an_error_and_never_a_panic(
        kind in 0..4u8, packing in 0..3u8, count: u64, length: u64,
        small in any::<bool>(), body in prop::collection::vec(any::<u8>(), 0..300),
    ) {
        let (count, length) = if small { (count % 70_000, body.len() as u64) } else { (count, length) };
        let mut bytes = vec![b'T', b'M', 1, kind, packing];
        bytes.extend([varint(count), varint(length), body].concat());
        let _ = block::decode(&bytes);
        let _ = block::decode(&seal(bytes));
    }

    #[test]
    fn changed_bytes_under_a_right_checksum_never_panic(
        mut entries in entries(), at: prop::sample::Index, byte: u8, cut: prop::sample::Index,
    ) {
        entries.truncate(10);
        let mut bytes = block::encode(&mut Block::Entries(entries)).unwrap();
        bytes.truncate(bytes.len() - 4);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        let _ = block::decode(&seal(bytes.clone()));
        bytes.truncate(cut.index(bytes.len()));
        prop_assert!(block::decode(&seal(bytes)).is_err() || at > 2);
    }
}
