//! From text to tree and back: lexer, parser, canonical form.

pub(crate) mod ast;
mod format;
mod lexer;
mod parser;

pub(crate) use format::{format_expression, format_tests};
pub(crate) use parser::{parse_expression, parse_type, parse_unary_tests};
