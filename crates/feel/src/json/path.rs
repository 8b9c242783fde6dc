//! One value out of a JSON text by its path, without reading what lies beside it. What is passed over is not
//! checked beyond its brackets and strings.

use super::reader::Reader;
use super::scan::Scanner;
use crate::error::JsonError;
use crate::value::{Text, Value};

/// The value at the path; none if the way is not through objects, or the entry is missing.
pub(crate) fn read_path(text: &str, path: &[Text]) -> Result<Option<Value>, JsonError> {
    let mut start = 0;
    for name in path {
        match find_entry(text, start, name)? {
            Some(position) => start = position,
            None => return Ok(None),
        }
    }
    let mut scanner = Scanner::new(text);
    scanner.position = start;
    Reader::new(scanner).value(0).map(Some)
}

/// Where the value of the last such key begins, in the object at `start`.
fn find_entry(text: &str, start: usize, name: &str) -> Result<Option<usize>, JsonError> {
    let mut scanner = Scanner::new(text);
    scanner.position = start;
    if scanner.next_significant() != Some(b'{') {
        return Ok(None);
    }
    scanner.position += 1;
    let mut found = None;
    if scanner.next_significant() == Some(b'}') {
        return Ok(found);
    }
    loop {
        if scanner.next_significant() != Some(b'"') {
            return scanner.fail("a key");
        }
        let is_it = key_is(&mut scanner, name)?;
        scanner.expect(b':', "':'")?;
        scanner.next_significant();
        if is_it {
            found = Some(scanner.position);
        }
        scanner.skip()?;
        match scanner.next_significant() {
            Some(b',') => scanner.position += 1,
            Some(b'}') => return Ok(found),
            _ => return scanner.fail("',' or '}'"),
        }
    }
}

fn key_is(scanner: &mut Scanner<'_>, name: &str) -> Result<bool, JsonError> {
    let after = &scanner.text.as_bytes()[scanner.position + 1..];
    if after.starts_with(name.as_bytes()) && after.get(name.len()) == Some(&b'"') && !name.contains('\\') {
        scanner.position += name.len() + 2;
        return Ok(true);
    }
    Ok(scanner.string()? == name)
}
