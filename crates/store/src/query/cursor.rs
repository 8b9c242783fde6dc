//! Cursors: the place of an item in the order of its search, as an opaque text. They hold the item's sort
//! values, not a count, so that rows which come and go do not shift the pages.

use super::{Field, Order, Sort};
use crate::{Error, Result, pack, packed, unpack};
use serde::{Deserialize, Serialize};

/// Nulls are the lowest. Values of one field are of one type.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub enum CursorValue {
    // The names are short, because a cursor travels with every page.
    #[serde(rename = "n")]
    Null,
    #[serde(rename = "i")]
    Int(i64),
    #[serde(rename = "t")]
    Text(String),
    /// From a store that tells truth values from numbers.
    #[serde(rename = "b")]
    Bool(bool),
}

/// The values of the sort fields of one item, in the order of the sort.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Cursor {
    pub values: Vec<CursorValue>,
}

#[derive(Serialize, Deserialize)]
struct Stored {
    /// Tells the sort, so that a cursor of another one is refused.
    s: u32,
    v: Vec<CursorValue>,
}

packed!(Stored);

impl Cursor {
    pub fn encode<F: Field>(&self, order: &[Sort<F>]) -> String {
        let bytes = pack(&Stored { s: signature(order), v: self.values.clone() });
        // Hexadecimal digits need no escaping in a URL or in JSON.
        let digit = |half: u8| char::from(b"0123456789abcdef"[usize::from(half)]);
        let mut text = String::with_capacity(2 * bytes.len());
        for byte in bytes {
            text.extend([digit(byte >> 4), digit(byte & 15)]);
        }
        text
    }

    pub fn decode<F: Field>(text: &str, order: &[Sort<F>], values_per_item: usize) -> Result<Cursor> {
        // Only the beginning is quoted: a client may send anything of any length.
        let bad = || Error::BadCursor(text.chars().take(100).collect());
        let stored: Stored = unpack(&from_hex(text).ok_or_else(bad)?).map_err(|_| bad())?;
        // A cursor of another sort would be compared column by column with values of other fields.
        if stored.s != signature(order) || stored.v.len() != values_per_item {
            return Err(bad());
        }
        Ok(Cursor { values: stored.v })
    }
}

fn from_hex(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u32>> = text.chars().map(|c| c.to_digit(16)).collect();
    let digits = digits.filter(|digits| digits.len() % 2 == 0)?;
    Some(digits.chunks(2).map(|pair| (pair[0] << 4 | pair[1]) as u8).collect())
}

/// This is FNV-1a, written out: a cursor may come back to another node or to a newer version, so the hash must never change.
fn signature<F: Field>(order: &[Sort<F>]) -> u32 {
    let mut hash: u32 = 0x811c_9dc5;
    for sort in order {
        let direction = if sort.order == Order::Ascending { b'+' } else { b'-' };
        for byte in sort.field.name().bytes().chain([direction]) {
            hash = (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193);
        }
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::query::JobField;

    #[test]
    fn a_cursor_comes_back_only_to_its_own_sort() {
        let by_type = [Sort { field: JobField::Type, order: Order::Ascending }];
        let by_worker = [Sort { field: JobField::Worker, order: Order::Ascending }];
        let cursor = Cursor { values: vec![CursorValue::Text("é\"".into()), CursorValue::Int(-7)] };
        let text = cursor.encode(&by_type);
        assert_eq!(Cursor::decode(&text, &by_type, 2).expect("its own"), cursor);
        assert!(matches!(Cursor::decode(&text, &by_worker, 2), Err(Error::BadCursor(_))));
        assert!(matches!(Cursor::decode("zz", &by_type, 2), Err(Error::BadCursor(_))));
        assert!(matches!(Cursor::decode("", &by_type, 2), Err(Error::BadCursor(_))));
    }
}
