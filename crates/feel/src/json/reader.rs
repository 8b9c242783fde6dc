//! The JSON reader. Objects in a list mostly have the same keys: each object first tries the shape of the one
//! before it at its depth, and then needs no key of its own.

use super::scan::{Scan, Scanner};
use crate::error::JsonError;
use crate::number::Number;
use crate::value::{Context, ContextBuilder, List, Shape, ShapeRef, Text, VALUE_DEPTH_MAX, Value};

pub(crate) fn read(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader::new(Scanner::new(text));
    let value = reader.single().map_err(|error| *error)?;
    match reader.scanner.next_significant() {
        None => Ok(value),
        Some(_) => reader.scanner.fail("the end").map_err(|error| *error),
    }
}

pub(super) struct Reader<'a> {
    scanner: Scanner<'a>,
    /// Items and entries of the collections being read, the innermost last. Values are read straight into it.
    pending: Vec<Value>,
    /// The shape last seen at each depth.
    shapes: Vec<Option<ShapeRef>>,
}

impl<'a> Reader<'a> {
    pub(super) fn new(scanner: Scanner<'a>) -> Reader<'a> {
        Reader { scanner, pending: Vec::new(), shapes: Vec::new() }
    }

    /// One value of any kind. A simple one needs no memory.
    pub(super) fn single(&mut self) -> Scan<Value> {
        match self.scanner.next_significant() {
            Some(b'"') => self.scanner.string().map(Value::String),
            Some(b'-' | b'0'..=b'9') => self.scanner.number().map(Value::Number),
            _ => {
                self.push()?;
                Ok(self.pending.pop().expect("a value was read"))
            }
        }
    }

    fn push(&mut self) -> Scan<()> {
        self.pending();
        self.value(0)
    }

    /// Where values are left, with the room that is enough for most texts.
    #[inline]
    pub(super) fn pending(&mut self) -> &mut Vec<Value> {
        if self.pending.capacity() == 0 {
            self.pending.reserve(32);
        }
        &mut self.pending
    }

    /// Reads a value and leaves it here, behind those before it.
    pub(super) fn push_at(&mut self, position: usize) -> Scan<()> {
        self.scanner.position = position;
        self.push()
    }

    pub(super) fn pushed(&self) -> &[Value] {
        &self.pending
    }

    pub(super) fn pop(&mut self) {
        self.pending.pop();
    }

    pub(super) fn into_list(mut self) -> List {
        List::new(self.pending.drain(..))
    }

    pub(super) fn single_at(&mut self, position: usize) -> Scan<Value> {
        self.scanner.position = position;
        self.single()
    }

    /// Each kind pushes its own value: built in place, not copied there half-written.
    fn value(&mut self, depth: u32) -> Scan<()> {
        match self.scanner.next_significant() {
            Some(b'"') => match self.scanner.plain_string() {
                Some(text) => self.pending.push(Value::String(Text::new(text))),
                None => self.escaped_string()?,
            },
            Some(b'-' | b'0'..=b'9') => match self.scanner.small_integer() {
                Some(value) => self.pending.push(Value::Number(Number::integer(value))),
                None => self.long_number()?,
            },
            Some(b'{') => return self.object(depth),
            Some(b'[') => return self.array(depth),
            _ => self.word()?,
        }
        Ok(())
    }

    #[inline(never)]
    fn escaped_string(&mut self) -> Scan<()> {
        let text = self.scanner.string()?;
        self.pending.push(Value::String(text));
        Ok(())
    }

    #[inline(never)]
    fn long_number(&mut self) -> Scan<()> {
        let number = self.scanner.number()?;
        self.pending.push(Value::Number(number));
        Ok(())
    }

    #[inline(never)]
    fn word(&mut self) -> Scan<()> {
        let (word, value) = match self.scanner.peek() {
            Some(b't') => ("true", Value::Boolean(true)),
            Some(b'f') => ("false", Value::Boolean(false)),
            _ => ("null", Value::Null),
        };
        self.scanner.word(word)?;
        self.pending.push(value);
        Ok(())
    }

    fn enter(&mut self, depth: u32) -> Scan<()> {
        if depth >= VALUE_DEPTH_MAX {
            return self.scanner.fail("a value that nests less deep");
        }
        self.scanner.position += 1;
        Ok(())
    }

    #[inline(never)]
    fn array(&mut self, depth: u32) -> Scan<()> {
        self.enter(depth)?;
        let first = self.pending.len();
        if self.scanner.next_significant() == Some(b']') {
            self.scanner.position += 1;
        } else {
            self.items(depth)?;
        }
        let list = List::new(self.pending.drain(first..));
        self.pending.push(list.into());
        Ok(())
    }

    fn items(&mut self, depth: u32) -> Scan<()> {
        loop {
            self.value(depth + 1)?;
            match self.scanner.next_significant() {
                Some(b',') => self.scanner.position += 1,
                Some(b']') => {
                    self.scanner.position += 1;
                    return Ok(());
                }
                _ => return self.scanner.fail("',' or ']'"),
            }
        }
    }

    #[inline(never)]
    fn object(&mut self, depth: u32) -> Scan<()> {
        self.enter(depth)?;
        let level = depth as usize;
        if self.shapes.len() <= level {
            self.shapes.resize(level + 1, None);
        }
        let first = self.pending.len();
        let mut keys = Keys { shape: self.shapes[level].take(), matched: 0, own: Vec::new() };
        if self.scanner.next_significant() == Some(b'}') {
            self.scanner.position += 1;
        } else {
            self.entries(depth, &mut keys)?;
        }
        let (shape, context) = keys.finish(self.pending.drain(first..));
        self.shapes[level] = Some(shape);
        self.pending.push(context.into());
        Ok(())
    }

    fn entries(&mut self, depth: u32, keys: &mut Keys) -> Scan<()> {
        loop {
            if self.scanner.next_significant() != Some(b'"') {
                return self.scanner.fail("a key");
            }
            keys.read(&mut self.scanner)?;
            self.scanner.expect(b':', "':'")?;
            self.value(depth + 1)?;
            match self.scanner.next_significant() {
                Some(b',') => self.scanner.position += 1,
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
    fn read(&mut self, scanner: &mut Scanner<'_>) -> Scan<()> {
        if let Some(shape) = &self.shape {
            let after = &scanner.text.as_bytes()[scanner.position + 1..];
            if let Some(key) = shape.keys().get(self.matched)
                && shape.is_plain()
                && after.get(key.len()) == Some(&b'"')
                && after.starts_with(key.as_bytes())
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
        let shape = Shape::read(self.own);
        (shape.clone(), Context::with_shape(shape, values))
    }
}

pub(super) fn has_duplicates(keys: &[Text]) -> bool {
    if keys.len() <= 8 {
        return keys.iter().enumerate().any(|(index, key)| keys[..index].contains(key));
    }
    let mut sorted: Vec<&Text> = keys.iter().collect();
    sorted.sort_unstable();
    sorted.windows(2).any(|pair| pair[0] == pair[1])
}
