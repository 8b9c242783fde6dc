//! JSON to values and back. Nothing is lost on the way: digits up to 34, escapes, the order of keys. Beyond that,
//! numbers are rounded to 34 digits, of equal keys the last value counts, and a lone surrogate becomes U+FFFD.

mod elements;
mod layout;
mod memory;
mod path;
mod reader;
mod scan;
mod writer;

pub(crate) use elements::{Element, Elements};
pub(crate) use memory::fits;
pub(crate) use path::read_path;
pub(crate) use reader::read;

use crate::error::JsonError;
use crate::value::Value;

impl Value {
    /// Reads one JSON value; nothing but white space may follow. Nests at most `VALUE_DEPTH_MAX` deep.
    pub fn from_json(text: &str) -> Result<Value, JsonError> {
        read(text)
    }

    /// Writes the value as JSON without white space. Dates, times and durations become ISO texts, a range its FEEL
    /// text, a function null.
    pub fn to_json(&self) -> String {
        let mut out = String::new();
        writer::write(&mut out, self, writer::exact);
        out
    }

    /// The same for what is kept as a variable: a whole number is written without a fraction, however it came about. Contexts
    /// that were read as JSON go on as they were written. Both as in Camunda.
    pub fn to_stored_json(&self) -> String {
        let mut out = String::new();
        writer::write(&mut out, self, writer::shortest);
        out
    }
}

#[cfg(test)]
mod tests;
