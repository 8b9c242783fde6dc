//! One value out of a JSON text by its path, without reading what lies beside it. What is passed over is not
//! checked beyond its brackets and strings.

use super::reader::Reader;
use super::scan::{Scan, Scanner};
use crate::error::JsonError;
use crate::value::{List, Text, Value};

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

/// The elements of a JSON array, one after the other, with the place of one entry in each. None of them is read
/// before it is asked for.
pub(crate) struct Elements<'a> {
    scanner: Scanner<'a>,
    reader: Reader<'a>,
    is_first: bool,
}

/// Where an element begins, and where the value of the entry that was looked for.
pub(crate) struct Element {
    start: usize,
    entry: Option<usize>,
}

impl<'a> Elements<'a> {
    /// None if the text is not an array.
    pub(crate) fn of(text: &'a str) -> Option<Elements<'a>> {
        let mut scanner = Scanner::new(text);
        if scanner.next_significant() != Some(b'[') {
            return None;
        }
        scanner.position += 1;
        Some(Elements { scanner, reader: Reader::new(Scanner::new(text)), is_first: true })
    }

    #[inline]
    pub(crate) fn next(&mut self, name: &str) -> Result<Option<Element>, JsonError> {
        self.advance(name).map_err(|error| *error)
    }

    #[inline]
    fn advance(&mut self, name: &str) -> Scan<Option<Element>> {
        match self.scanner.next_significant() {
            Some(b']') => return self.end(),
            Some(b',') if !self.is_first => self.scanner.position += 1,
            _ if self.is_first => {}
            _ => return self.scanner.fail("',' or ']'"),
        }
        self.is_first = false;
        self.scanner.next_significant();
        let start = self.scanner.position;
        let entry = find_entry(&mut self.scanner, name)?;
        if self.scanner.position == start {
            self.scanner.skip()?;
        }
        Ok(Some(Element { start, entry }))
    }

    fn end(&mut self) -> Scan<Option<Element>> {
        self.scanner.position += 1;
        match self.scanner.next_significant() {
            None => Ok(None),
            Some(_) => self.scanner.fail("the end"),
        }
    }

    /// The value of the entry that was looked for, if it is a whole number of few digits.
    #[inline]
    pub(crate) fn small_entry(&mut self, element: &Element) -> Option<i64> {
        self.reader.small_integer_at(element.entry?)
    }

    /// The value of the entry that was looked for.
    pub(crate) fn entry(&mut self, element: &Element) -> Result<Option<Value>, JsonError> {
        element.entry.map(|position| self.reader.single_at(position)).transpose().map_err(|error| *error)
    }

    /// Reads the element and keeps it. Kept ones stay where they were read to: moving them costs.
    #[inline]
    pub(crate) fn keep(&mut self, element: &Element) -> Result<(), JsonError> {
        self.reader.push_at(element.start).map_err(|error| *error)
    }

    /// The element that was kept last.
    pub(crate) fn last_kept(&self) -> Option<&Value> {
        self.reader.pushed().last()
    }

    pub(crate) fn drop_last(&mut self) {
        self.reader.pop();
    }

    pub(crate) fn into_kept(self) -> List {
        self.reader.into_list()
    }
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
