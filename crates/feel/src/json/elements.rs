//! The elements of a JSON array, one after the other, with one entry of each. Values that are passed over are
//! not checked beyond their brackets and strings; entries that are not kept are not read.

use super::layout::{Entry, Layout};
use super::reader::Reader;
use super::scan::{Scan, Scanner};
use crate::error::JsonError;
use crate::value::{List, Value};

pub(crate) struct Elements<'a> {
    scanner: Scanner<'a>,
    reader: Reader<'a>,
    layout: Layout<'a>,
    /// Of the entry that is looked for, in the layout.
    place: Option<usize>,
    is_first: bool,
}

/// The element that was passed last: where it begins, and what it is.
pub(crate) struct Element {
    start: usize,
    is_object: bool,
}

impl<'a> Elements<'a> {
    /// None if the text is not an array.
    pub(crate) fn of(text: &'a str) -> Option<Elements<'a>> {
        let mut scanner = Scanner::new(text);
        if scanner.next_significant() != Some(b'[') {
            return None;
        }
        scanner.position += 1;
        let reader = Reader::new(Scanner::new(text));
        Some(Elements { scanner, reader, layout: Layout::default(), place: None, is_first: true })
    }

    /// The next element, and in it the last entry of that name, which has to be the same each time.
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
        let is_object = self.scanner.next_significant() == Some(b'{');
        let start = self.scanner.position;
        if !is_object {
            self.scanner.skip()?;
            return Ok(Some(Element { start, is_object }));
        }
        if !self.layout.pass_alike(&mut self.scanner)? {
            self.place = self.layout.pass(&mut self.scanner, name)?;
        }
        Ok(Some(Element { start, is_object }))
    }

    fn end(&mut self) -> Scan<Option<Element>> {
        self.scanner.position += 1;
        match self.scanner.next_significant() {
            None => Ok(None),
            Some(_) => self.scanner.fail("the end"),
        }
    }

    #[inline]
    fn found(&self, element: &Element) -> Option<&Entry<'a>> {
        let place = self.place.filter(|_| element.is_object)?;
        Some(self.layout.entry(place))
    }

    /// The value of the entry that was looked for, if it is a whole number of few digits.
    #[inline]
    pub(crate) fn small_entry(&self, element: &Element) -> Option<i64> {
        self.found(element)?.integer()
    }

    /// The value of the entry that was looked for.
    pub(crate) fn entry(&mut self, element: &Element) -> Result<Option<Value>, JsonError> {
        let Some(start) = self.found(element).map(|entry| entry.start) else { return Ok(None) };
        self.reader.single_at(start).map(Some).map_err(|error| *error)
    }

    /// Reads the element that was passed last and keeps it. Kept ones stay where they were read to: moving them
    /// costs.
    #[inline]
    pub(crate) fn keep(&mut self, element: &Element) -> Result<(), JsonError> {
        if element.is_object && self.layout.push_context(self.reader.pending()) {
            return Ok(());
        }
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
