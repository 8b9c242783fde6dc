//! From entries to bytes.

use super::{
    BODY_BYTES_MAX, Block, ENTRIES_MAX, Entry, Error, LZ4, MAGIC, NAME_BYTES_MAX, PAYLOAD_BYTES_MAX, PLAIN,
    Scope, Tombstone, VERSION, checksum, column,
};
use crate::varint::{put, zigzag};
use rustc_hash::FxHashMap;
use std::sync::Arc;

/// Packs a block; its entries are put in the order of their keys.
pub fn encode(block: &mut Block) -> Result<Vec<u8>, Error> {
    let (kind, count) = (block.kind(), block.len());
    if count > ENTRIES_MAX {
        return Err(Error::Limit("it has too many entries"));
    }
    let mut body = Vec::with_capacity(64 + 6 * count);
    match block {
        Block::Tombstones(tombstones) => {
            tombstones.sort_unstable();
            let of = |tombstone: &Tombstone| (tombstone.key, tombstone.due_ms, tombstone.generation);
            put_identities(&mut body, tombstones.iter().map(of));
        }
        Block::Entries(entries) | Block::Paused(entries) => {
            entries.sort_unstable_by_key(|entry| (entry.key, entry.generation));
            put_identities(&mut body, entries.iter().map(|e| (e.key, e.due_ms, e.generation)));
            put_entries(&mut body, entries)?;
        }
    }
    if body.len() > BODY_BYTES_MAX {
        return Err(Error::Limit("its payloads are too long together"));
    }
    Ok(pack(kind as u8, count, &body))
}

fn pack(kind: u8, count: usize, body: &[u8]) -> Vec<u8> {
    let packed = lz4_flex::block::compress(body);
    let (packing, bytes) = if packed.len() < body.len() { (LZ4, &packed[..]) } else { (PLAIN, body) };
    let mut out = Vec::with_capacity(bytes.len() + 20);
    out.extend_from_slice(&MAGIC);
    out.extend_from_slice(&[VERSION, kind, packing]);
    put(&mut out, count as u64);
    put(&mut out, body.len() as u64);
    out.extend_from_slice(bytes);
    let checksum = checksum(&out);
    out.extend_from_slice(&checksum.to_le_bytes());
    out
}

fn put_identities(body: &mut Vec<u8>, identities: impl Iterator<Item = (i64, i64, u32)> + Clone) {
    let first_key = identities.clone().next().map_or(0, |(key, ..)| key);
    let base_ms = identities.clone().map(|(_, due_ms, _)| due_ms).min().unwrap_or(0);
    put(body, zigzag(base_ms));
    put(body, zigzag(first_key));
    let before = std::iter::once(first_key).chain(identities.clone().map(|(key, ..)| key));
    column::put(
        body,
        identities.clone().zip(before).map(|((key, ..), before)| key.wrapping_sub(before) as u64),
    );
    column::put(body, identities.clone().map(|(_, due_ms, _)| due_ms.wrapping_sub(base_ms) as u64));
    column::put(body, identities.map(|(.., generation)| u64::from(generation)));
}

fn put_entries(body: &mut Vec<u8>, entries: &[Entry]) -> Result<(), Error> {
    let scopes = put_scopes(body, entries)?;
    column::put(body, scopes.iter().copied());
    column::put(body, entries.iter().map(|entry| u64::from(entry.target)));
    column::put(body, entries.iter().map(|entry| u64::from(entry.attempt)));
    column::put(body, entries.iter().map(|entry| zigzag(entry.due_ms.wrapping_sub(entry.scheduled_ms))));
    column::put(
        body,
        entries.iter().map(|entry| u64::from(entry.flags.0) << 1 | u64::from(entry.place.is_some())),
    );
    column::put(body, entries.iter().map(|entry| entry.payload.len() as u64));
    for place in entries.iter().filter_map(|entry| entry.place) {
        body.extend_from_slice(&place.0.to_le_bytes());
    }
    for entry in entries {
        if entry.payload.len() > PAYLOAD_BYTES_MAX {
            return Err(Error::Limit("a payload is too long"));
        }
        body.extend_from_slice(&entry.payload);
    }
    Ok(())
}

/// Writes each scope once and gives the number of each entry's. Entries made together share their scope, so that most
/// are found by comparing addresses.
fn put_scopes(body: &mut Vec<u8>, entries: &[Entry]) -> Result<Vec<u64>, Error> {
    let mut numbers: FxHashMap<&Scope, u64> = FxHashMap::default();
    let (mut table, mut of_entries) = (Vec::new(), Vec::with_capacity(entries.len()));
    let mut last: Option<(&Arc<Scope>, u64)> = None;
    for entry in entries {
        let number = match last {
            Some((scope, number)) if Arc::ptr_eq(scope, &entry.scope) => number,
            _ => {
                let next = numbers.len() as u64;
                let number = *numbers.entry(&entry.scope).or_insert(next);
                if number == next {
                    put_name(&mut table, &entry.scope.tenant)?;
                    put_name(&mut table, &entry.scope.namespace)?;
                }
                number
            }
        };
        last = Some((&entry.scope, number));
        of_entries.push(number);
    }
    put(body, numbers.len() as u64);
    body.extend_from_slice(&table);
    Ok(of_entries)
}

fn put_name(out: &mut Vec<u8>, name: &str) -> Result<(), Error> {
    if name.len() > NAME_BYTES_MAX {
        return Err(Error::Limit("the name of a tenant or namespace is too long"));
    }
    put(out, name.len() as u64);
    out.extend_from_slice(name.as_bytes());
    Ok(())
}
