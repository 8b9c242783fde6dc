//! From bytes to entries. For any bytes this gives entries or an error; it never panics, and never asks for
//! memory that the bytes cannot account for.

use super::reader::Reader;
use super::{
    BODY_BYTES_MAX, Block, CHECKSUM_BYTES, ENTRIES_MAX, Entry, Error, Flags, Kind, LZ4, MAGIC,
    NAME_BYTES_MAX, PAYLOAD_BYTES_MAX, PLAIN, PlaceId, Scope, Tombstone, VERSION, checksum, column,
};
use crate::varint::unzigzag;
use std::borrow::Cow;
use std::sync::Arc;

/// No LZ4 sequence makes more of a byte than this.
const LZ4_RATIO_MAX: usize = 255;

pub fn decode(bytes: &[u8]) -> Result<Block, Error> {
    let (kind, count, body) = unpack(bytes)?;
    let mut reader = Reader::new(&body);
    let identities = read_identities(&mut reader, count)?;
    let block = match kind {
        Kind::Tombstones => {
            let of = |(key, due_ms, generation)| Tombstone { key, due_ms, generation };
            Block::Tombstones(identities.into_iter().map(of).collect())
        }
        Kind::Entries => Block::Entries(read_entries(&mut reader, identities)?),
        Kind::Paused => Block::Paused(read_entries(&mut reader, identities)?),
    };
    if !reader.is_at_end() {
        return Err(Error::Malformed("bytes are left over behind its last entry"));
    }
    Ok(block)
}

fn unpack(bytes: &[u8]) -> Result<(Kind, usize, Cow<'_, [u8]>), Error> {
    let end = bytes.len().checked_sub(CHECKSUM_BYTES).ok_or(Error::Truncated(bytes.len()))?;
    let (content, found) = bytes.split_at(end);
    let mut reader = Reader::new(content);
    if reader.bytes(MAGIC.len()).map_err(|_| Error::Truncated(bytes.len()))? != MAGIC {
        return Err(Error::Foreign);
    }
    let version = reader.byte().map_err(|_| Error::Truncated(bytes.len()))?;
    if version == 0 || version > VERSION {
        return Err(Error::Version { found: version, supported: VERSION });
    }
    let found = found.iter().rev().fold(0, |value, byte| value << 8 | u32::from(*byte));
    let expected = checksum(content);
    if found != expected {
        return Err(Error::Checksum { expected, found });
    }
    let kind = Kind::from_code(reader.byte()?).ok_or(Error::Malformed("it is of an unknown kind"))?;
    let packing = reader.byte()?;
    let count = limited(reader.varint()?, ENTRIES_MAX, "it has too many entries")?;
    let length = limited(reader.varint()?, BODY_BYTES_MAX, "its body is too long")?;
    Ok((kind, count, body(packing, length, reader.rest())?))
}

fn body(packing: u8, length: usize, bytes: &[u8]) -> Result<Cow<'_, [u8]>, Error> {
    match packing {
        PLAIN if bytes.len() == length => Ok(Cow::Borrowed(bytes)),
        LZ4 if length <= bytes.len().saturating_mul(LZ4_RATIO_MAX) => {
            let body = lz4_flex::block::decompress(bytes, length)
                .map_err(|_| Error::Malformed("its body cannot be unpacked"))?;
            if body.len() != length {
                return Err(Error::Malformed("its body has another length than it says"));
            }
            Ok(Cow::Owned(body))
        }
        PLAIN | LZ4 => Err(Error::Malformed("its body has another length than it says")),
        _ => Err(Error::Malformed("its body is packed in an unknown way")),
    }
}

fn limited(value: u64, max: usize, what: &'static str) -> Result<usize, Error> {
    usize::try_from(value).ok().filter(|value| *value <= max).ok_or(Error::Limit(what))
}

fn narrow(value: u64) -> Result<u32, Error> {
    u32::try_from(value).map_err(|_| Error::Malformed("a number does not fit its field"))
}

fn read_identities(reader: &mut Reader<'_>, count: usize) -> Result<Vec<(i64, i64, u32)>, Error> {
    let base_ms = unzigzag(reader.varint()?);
    let mut key = unzigzag(reader.varint()?);
    let mut identities = Vec::with_capacity(count);
    column::read(reader, count, |_, delta| {
        key = key.checked_add_unsigned(delta).ok_or(Error::Malformed("a key does not fit its field"))?;
        identities.push((key, 0, 0));
        Ok(())
    })?;
    column::read(reader, count, |at, offset| {
        let due_ms = base_ms.checked_add_unsigned(offset);
        identities[at].1 = due_ms.ok_or(Error::Malformed("a due time does not fit its field"))?;
        Ok(())
    })?;
    column::read(reader, count, |at, generation| {
        identities[at].2 = narrow(generation)?;
        Ok(())
    })?;
    Ok(identities)
}

fn read_entries(reader: &mut Reader<'_>, identities: Vec<(i64, i64, u32)>) -> Result<Vec<Entry>, Error> {
    let count = identities.len();
    let scopes = read_scopes(reader, count)?;
    let mut of_entries = vec![0; count];
    column::read(reader, count, |at, number| {
        of_entries[at] =
            limited(number, scopes.len().saturating_sub(1), "an entry names a scope that is not there")?;
        Ok(())
    })?;
    let entry = |(at, (key, due_ms, generation)): (usize, (i64, i64, u32))| Entry {
        key,
        due_ms,
        scheduled_ms: due_ms,
        generation,
        attempt: 0,
        target: 0,
        flags: Flags::default(),
        scope: scopes[of_entries[at]].clone(),
        place: None,
        payload: Box::default(),
    };
    let mut entries: Vec<Entry> = identities.into_iter().enumerate().map(entry).collect();
    read_fields(reader, &mut entries)?;
    Ok(entries)
}

fn read_scopes(reader: &mut Reader<'_>, count: usize) -> Result<Vec<Arc<Scope>>, Error> {
    let scopes = limited(reader.varint()?, count, "it has more scopes than entries")?;
    if scopes == 0 && count > 0 {
        return Err(Error::Malformed("its entries have no scope"));
    }
    let mut name = || {
        let length =
            limited(reader.varint()?, NAME_BYTES_MAX, "the name of a tenant or namespace is too long")?;
        let name = std::str::from_utf8(reader.bytes(length)?);
        name.map(String::from).map_err(|_| Error::Malformed("a name is not UTF-8"))
    };
    (0..scopes).map(|_| Ok(Arc::new(Scope { tenant: name()?, namespace: name()? }))).collect()
}

fn read_fields(reader: &mut Reader<'_>, entries: &mut [Entry]) -> Result<(), Error> {
    let count = entries.len();
    column::read(reader, count, |at, target| {
        entries[at].target = narrow(target)?;
        Ok(())
    })?;
    column::read(reader, count, |at, attempt| {
        entries[at].attempt = narrow(attempt)?;
        Ok(())
    })?;
    column::read(reader, count, |at, late| {
        entries[at].scheduled_ms = entries[at].due_ms.wrapping_sub(unzigzag(late));
        Ok(())
    })?;
    column::read(reader, count, |at, flags| {
        entries[at].flags = Flags(narrow(flags >> 1)?);
        entries[at].place = (flags & 1 == 1).then_some(PlaceId(0));
        Ok(())
    })?;
    let mut lengths = vec![0; count];
    column::read(reader, count, |at, length| {
        lengths[at] = limited(length, PAYLOAD_BYTES_MAX, "a payload is too long")?;
        Ok(())
    })?;
    for place in entries.iter_mut().filter_map(|entry| entry.place.as_mut()) {
        let bytes = reader.bytes(16)?;
        *place = PlaceId(bytes.iter().rev().fold(0, |value, byte| value << 8 | u128::from(*byte)));
    }
    for (entry, length) in entries.iter_mut().zip(lengths) {
        entry.payload = reader.bytes(length)?.into();
    }
    Ok(())
}
