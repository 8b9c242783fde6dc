//! The object that a scan passes over, entry by entry. Objects of an array are mostly written alike: what stands
//! between the values of one is looked for as a whole in the next, and simple values are read on the way.

use super::reader::has_duplicates;
use super::scan::{Scan, Scanner};
use crate::number::Number;
use crate::value::{Context, Extent, Shape, ShapeRef, Text, Value};

/// The entries of the object that was passed last.
#[derive(Default)]
pub(super) struct Layout<'a> {
    entries: Vec<Entry<'a>>,
    /// Of the last context that was made, and whether the object is known to have these keys.
    shape: Option<ShapeRef>,
    has_shape: bool,
}

/// An entry and what was seen of its value. The parts of the value lie side by side, each written and read in one
/// piece: a copy of an enum that was just written would wait for it.
pub(super) struct Entry<'a> {
    /// The bytes before the value, from the end of the value before it: bracket or comma, key, colon, white space.
    lead: &'a str,
    /// As it is written, with its escapes.
    key: &'a str,
    kind: Kind,
    /// Where the value begins.
    pub(super) start: usize,
    integer: i64,
    text: &'a str,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Null,
    True,
    False,
    Integer,
    /// A string without escapes.
    Text,
    /// A value that has to be read from where it begins.
    Other,
}

impl<'a> Layout<'a> {
    #[inline]
    pub(super) fn entry(&self, place: usize) -> &Entry<'a> {
        &self.entries[place]
    }

    /// Passes over an object that is written like the one before. If it is not, it is not passed.
    #[inline]
    pub(super) fn pass_alike(&mut self, scanner: &mut Scanner<'a>) -> Scan<bool> {
        let start = scanner.position;
        for entry in &mut self.entries {
            if !scanner.rest().starts_with(entry.lead.as_bytes()) {
                scanner.position = start;
                return Ok(false);
            }
            scanner.position += entry.lead.len();
            entry.pass(scanner)?;
        }
        let is_alike = !self.entries.is_empty() && scanner.next_significant() == Some(b'}');
        scanner.position = if is_alike { scanner.position + 1 } else { start };
        Ok(is_alike)
    }

    /// Passes over any object and takes its layout. Tells the place of the last entry with this name.
    pub(super) fn pass(&mut self, scanner: &mut Scanner<'a>, name: &str) -> Scan<Option<usize>> {
        self.entries.clear();
        self.has_shape = false;
        let mut found = None;
        let mut lead_start = scanner.position;
        scanner.expect(b'{', "'{'")?;
        if scanner.next_significant() == Some(b'}') {
            scanner.position += 1;
            return Ok(found);
        }
        loop {
            if scanner.next_significant() != Some(b'"') {
                return scanner.fail("a key");
            }
            let key_start = scanner.position + 1;
            if scanner.key_is(name)? {
                found = Some(self.entries.len());
            }
            let key = &scanner.text[key_start..scanner.position - 1];
            scanner.expect(b':', "':'")?;
            scanner.next_significant();
            let lead = &scanner.text[lead_start..scanner.position];
            let mut entry = Entry { lead, key, kind: Kind::Other, start: 0, integer: 0, text: "" };
            entry.pass(scanner)?;
            self.entries.push(entry);
            lead_start = scanner.position;
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

    /// The context of an object that was passed, left behind the values here; false if one of its keys or values is
    /// not simple.
    pub(super) fn push_context(&mut self, pending: &mut Vec<Value>) -> bool {
        if self.entries.iter().any(|entry| entry.kind == Kind::Other) {
            return false;
        }
        let Some(shape) = self.shape() else { return false };
        let first = pending.len();
        let mut weight = self.entries.len() as u64 * Value::OWN_WEIGHT;
        for entry in &self.entries {
            entry.push_simple(pending);
            weight += if entry.kind == Kind::Text { entry.text.len() as u64 } else { 0 };
        }
        let context = Context::with_extent(shape, Extent::flat(weight), pending.drain(first..));
        pending.push(context.into());
        true
    }

    fn shape(&mut self) -> Option<ShapeRef> {
        let keys = self.entries.iter().map(|entry| entry.key);
        let is_shape = |shape: &ShapeRef| shape.keys().iter().map(Text::as_str).eq(keys.clone());
        if !self.has_shape && !self.shape.as_ref().is_some_and(is_shape) {
            let keys: Vec<Text> = keys.map(Text::new).collect();
            if keys.iter().any(|key| key.contains('\\')) || has_duplicates(&keys) {
                return None;
            }
            self.shape = Some(Shape::read(keys));
        }
        self.has_shape = true;
        self.shape.clone()
    }
}

impl<'a> Entry<'a> {
    /// The value, if it is a whole number of few digits.
    #[inline]
    pub(super) fn integer(&self) -> Option<i64> {
        (self.kind == Kind::Integer).then_some(self.integer)
    }

    /// Passes over a value of any kind.
    #[inline]
    fn pass(&mut self, scanner: &mut Scanner<'a>) -> Scan<()> {
        let first = scanner.next_significant();
        self.start = scanner.position;
        match first {
            Some(b'"') => {
                if let Some(text) = scanner.plain_string() {
                    self.kind = Kind::Text;
                    self.text = text;
                    return Ok(());
                }
            }
            Some(b'-' | b'0'..=b'9') => {
                if let Some(integer) = scanner.whole_small_integer() {
                    self.kind = Kind::Integer;
                    self.integer = integer;
                    return Ok(());
                }
            }
            _ => {}
        }
        self.pass_other(scanner)
    }

    #[inline(never)]
    fn pass_other(&mut self, scanner: &mut Scanner<'a>) -> Scan<()> {
        scanner.skip()?;
        self.kind = match &scanner.text[self.start..scanner.position] {
            "null" => Kind::Null,
            "true" => Kind::True,
            "false" => Kind::False,
            _ => Kind::Other,
        };
        Ok(())
    }

    /// Each kind pushes its own value: built in place, not copied there half-written.
    #[inline]
    fn push_simple(&self, pending: &mut Vec<Value>) {
        match self.kind {
            Kind::Text => pending.push(Value::String(Text::new(self.text))),
            Kind::Integer => pending.push(Value::Number(Number::integer(self.integer))),
            Kind::True => pending.push(Value::Boolean(true)),
            Kind::False => pending.push(Value::Boolean(false)),
            Kind::Null | Kind::Other => pending.push(Value::Null),
        }
    }
}
