//! The JSON reader. Objects in a list mostly have the same keys: each object first tries the shape of the one
//! before it at its depth, and then needs no key of its own.

use super::scan::Scanner;
use crate::error::JsonError;
use crate::value::{Context, ContextBuilder, List, Shape, ShapeRef, Text, VALUE_DEPTH_MAX, Value};

pub(crate) fn read(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader::new(Scanner::new(text));
    let value = reader.value(0)?;
    match reader.scanner.next_significant() {
        None => Ok(value),
        Some(_) => reader.scanner.fail("the end"),
    }
}

pub(super) struct Reader<'a> {
    scanner: Scanner<'a>,
    /// Items and entries of the collections being read, the innermost last.
    pending: Vec<Value>,
    /// The shape last seen at each depth.
    shapes: Vec<Option<ShapeRef>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scanner: Scanner<'a>) -> Reader<'a> {
        Reader { scanner, pending: Vec::new(), shapes: Vec::new() }
    }

    pub(super) fn value(&mut self, depth: u32) -> Result<Value, JsonError> {
        match self.scanner.next_significant() {
            Some(b'"') => self.scanner.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.scanner.number().map(Value::Number),
            Some(b'{') => self.object(depth),
            Some(b'[') => self.array(depth),
            Some(b't') => self.scanner.word("true").map(|()| Value::Boolean(true)),
            Some(b'f') => self.scanner.word("false").map(|()| Value::Boolean(false)),
            Some(b'n') => self.scanner.word("null").map(|()| Value::Null),
            _ => self.scanner.fail("a value"),
        }
    }

    fn enter(&mut self, depth: u32) -> Result<(), JsonError> {
        if depth >= VALUE_DEPTH_MAX {
            return self.scanner.fail("a value that nests less deep");
        }
        self.scanner.position += 1;
        Ok(())
    }

    fn array(&mut self, depth: u32) -> Result<Value, JsonError> {
        self.enter(depth)?;
        let first = self.pending.len();
        if self.scanner.next_significant() == Some(b']') {
            self.scanner.position += 1;
            return Ok(List::from(Vec::new()).into());
        }
        loop {
            let item = self.value(depth + 1)?;
            self.pending.push(item);
            match self.scanner.next_significant() {
                Some(b',') => self.scanner.position += 1,
                Some(b']') => {
                    self.scanner.position += 1;
                    return Ok(List::new(self.pending.drain(first..)).into());
                }
                _ => return self.scanner.fail("',' or ']'"),
            }
        }
    }

    fn object(&mut self, depth: u32) -> Result<Value, JsonError> {
        self.enter(depth)?;
        let level = depth as usize;
        if self.shapes.len() <= level {
            self.shapes.resize(level + 1, None);
        }
        let shape = self.shapes[level].take();
        let first = self.pending.len();
        let mut keys = Keys { shape, matched: 0, own: Vec::new() };
        if self.scanner.next_significant() == Some(b'}') {
            self.scanner.position += 1;
        } else {
            self.entries(depth, &mut keys)?;
        }
        let values = self.pending.drain(first..);
        let (shape, context) = keys.finish(values);
        self.shapes[level] = Some(shape);
        Ok(context.into())
    }

    fn entries(&mut self, depth: u32, keys: &mut Keys) -> Result<(), JsonError> {
        loop {
            if self.scanner.next_significant() != Some(b'"') {
                return self.scanner.fail("a key");
            }
            keys.read(&mut self.scanner)?;
            self.scanner.expect(b':', "':'")?;
            let value = self.value(depth + 1)?;
            self.pending.push(value);
            match self.scanner.next_significant() {
                Some(b',') => {
                    self.scanner.position += 1;
                    self.scanner.next_significant();
                }
                Some(b'}') => {
                    self.scanner.position += 1;
                    return Ok(());
                }
                _ => return self.scanner.fail("',' or '}'"),
            }
        }
    }
}

/// The keys of an object: those of a known shape as long as they agree, then its own.
struct Keys {
    shape: Option<ShapeRef>,
    matched: usize,
    own: Vec<Text>,
}

impl Keys {
    #[inline]
    fn read(&mut self, scanner: &mut Scanner<'_>) -> Result<(), JsonError> {
        if let Some(shape) = &self.shape {
            let after = &scanner.text.as_bytes()[scanner.position + 1..];
            if let Some(key) = shape.keys().get(self.matched)
                && after.starts_with(key.as_bytes())
                && after.get(key.len()) == Some(&b'"')
                && !key.contains('\\')
            {
                scanner.position += key.len() + 2;
                self.matched += 1;
                return Ok(());
            }
            self.own = shape.keys()[..self.matched].to_vec();
            self.shape = None;
        }
        self.own.push(scanner.string()?);
        Ok(())
    }

    fn finish(mut self, values: std::vec::Drain<'_, Value>) -> (ShapeRef, Context) {
        if let Some(shape) = self.shape.take() {
            if shape.keys().len() == self.matched {
                return (shape.clone(), Context::with_shape(shape, values));
            }
            self.own = shape.keys()[..self.matched].to_vec();
        }
        if has_duplicates(&self.own) {
            let mut builder = ContextBuilder::default();
            for (key, value) in self.own.into_iter().zip(values) {
                builder.put(key, value);
            }
            let context = builder.build();
            return (context.shape().clone(), context);
        }
        let shape = Shape::new(self.own);
        (shape.clone(), Context::with_shape(shape, values))
    }
}

fn has_duplicates(keys: &[Text]) -> bool {
    if keys.len() <= 8 {
        return keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key));
    }
    let mut sorted: Vec<&Text> = keys.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
