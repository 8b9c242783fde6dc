//! A column of a block: one number for each entry, or a single one where all are the same.

use super::Error;
use super::reader::Reader;
use crate::varint;

const SAME: u8 = 0;
const EACH: u8 = 1;

pub(super) fn put(out: &mut Vec<u8>, values: impl Iterator<Item = u64> + Clone) {
    let mut rest = values.clone();
    let first = rest.next().unwrap_or(0);
    if rest.all(|value| value == first) {
        out.push(SAME);
        varint::put(out, first);
        return;
    }
    out.push(EACH);
    values.for_each(|value| varint::put(out, value));
}

/// Reads a column and hands each number to `take`, with the number of its entry.
pub(super) fn read(
    reader: &mut Reader<'_>,
    count: usize,
    mut take: impl FnMut(usize, u64) -> Result<(), Error>,
) -> Result<(), Error> {
    match reader.byte()? {
        SAME => {
            let value = reader.varint()?;
            (0..count).try_for_each(|at| take(at, value))
        }
        EACH => (0..count).try_for_each(|at| take(at, reader.varint()?)),
        _ => Err(Error::Malformed("a column is of an unknown kind")),
    }
}
