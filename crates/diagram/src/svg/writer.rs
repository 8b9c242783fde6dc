//! The text of a picture while it grows. Attributes are presentation attributes, which every style sheet of a page
//! overrides; the picture has no ids and no styles of its own that could meet those of the page.

use super::escape::push_escaped;
use super::number::Number;

#[derive(Default)]
pub(crate) struct Svg {
    out: String,
}

/// The value of an attribute.
pub(crate) enum Value<'a> {
    /// Written as it is: only for what this program has made.
    Raw(&'a str),
    Text(&'a str),
    Number(f64),
    Color(crate::color::Color),
    /// A move of the coordinate system.
    Move(f64, f64),
}

impl<'a> From<&'a str> for Value<'a> {
    fn from(text: &'a str) -> Value<'a> {
        Value::Text(text)
    }
}

impl<'a> From<&'a String> for Value<'a> {
    fn from(text: &'a String) -> Value<'a> {
        Value::Text(text)
    }
}

impl From<f64> for Value<'_> {
    fn from(number: f64) -> Self {
        Value::Number(number)
    }
}

impl From<crate::color::Color> for Value<'_> {
    fn from(color: crate::color::Color) -> Self {
        Value::Color(color)
    }
}

impl Svg {
    pub(crate) fn with_capacity(bytes: usize) -> Svg {
        Svg { out: String::with_capacity(bytes) }
    }

    pub(crate) fn finish(self) -> String {
        self.out
    }

    /// Begins a start tag; `attribute` follows, then `open` or `close_empty`.
    pub(crate) fn tag(&mut self, name: &'static str) -> &mut Svg {
        self.out.push('<');
        self.out.push_str(name);
        self
    }

    pub(crate) fn attribute<'a>(&mut self, name: &'static str, value: impl Into<Value<'a>>) -> &mut Svg {
        self.out.push(' ');
        self.out.push_str(name);
        self.out.push_str("=\"");
        match value.into() {
            Value::Raw(text) => self.out.push_str(text),
            Value::Text(text) => push_escaped(&mut self.out, text),
            Value::Number(number) => Number(number).push(&mut self.out),
            Value::Color(color) => color.push(&mut self.out),
            Value::Move(x, y) => {
                self.out.push_str("translate(");
                Number(x).push(&mut self.out);
                self.out.push(' ');
                Number(y).push(&mut self.out);
                self.out.push(')');
            }
        }
        self.out.push('"');
        self
    }

    pub(crate) fn open(&mut self) -> &mut Svg {
        self.out.push('>');
        self
    }

    pub(crate) fn close_empty(&mut self) {
        self.out.push_str("/>");
    }

    pub(crate) fn end(&mut self, name: &'static str) {
        self.out.push_str("</");
        self.out.push_str(name);
        self.out.push('>');
    }

    pub(crate) fn text(&mut self, text: &str) -> &mut Svg {
        push_escaped(&mut self.out, text);
        self
    }

    pub(crate) fn line_break(&mut self) {
        self.out.push('\n');
    }
}
