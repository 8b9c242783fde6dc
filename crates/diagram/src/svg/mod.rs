//! Writing SVG: numbers short, texts escaped.

mod escape;
mod number;
mod writer;

pub(crate) use number::Number;
pub(crate) use writer::{Svg, Value};
