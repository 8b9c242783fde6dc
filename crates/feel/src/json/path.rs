//! One value out of a JSON text by its path, without reading what lies beside it. Values that are passed over
//! are not checked beyond their brackets and strings.

use super::reader::Reader;
use super::scan::{Scan, Scanner};
use crate::error::JsonError;
use crate::value::{Text, Value};

/// The value at the path; none if the way is not through objects, or the entry is missing.
pub(crate) fn read_path(text: &str, path: &[Text]) -> Result<Option<Value>, JsonError> {
    let mut scanner = Scanner::new(text);
    for name in path {
        match find_entry(&mut scanner, name).map_err(|error| *error)? {
            Some(position) => scanner.position = position,
            None => return Ok(None),
        }
    }
    Reader::new(scanner).single().map(Some).map_err(|error| *error)
}

/// Where the value of the last such key begins, in the object that stands here. Passes over the object; where none
/// stands, nothing is passed.
#[inline]
fn find_entry(scanner: &mut Scanner<'_>, name: &str) -> Scan<Option<usize>> {
    if scanner.next_significant() != Some(b'{') {
        return Ok(None);
    }
    scanner.position += 1;
    let mut found = None;
    if scanner.next_significant() == Some(b'}') {
        scanner.position += 1;
        return Ok(found);
    }
    loop {
        if scanner.next_significant() != Some(b'"') {
            return scanner.fail("a key");
        }
        let is_it = scanner.key_is(name)?;
        scanner.expect(b':', "':'")?;
        scanner.next_significant();
        if is_it {
            found = Some(scanner.position);
        }
        scanner.skip()?;
        match scanner.next_significant() {
            Some(b',') => scanner.position += 1,
            Some(b'}') => {
                scanner.position += 1;
                return Ok(found);
            }
            _ => return scanner.fail("',' or '}'"),
        }
    }
}
