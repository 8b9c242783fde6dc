//! Text without fonts: how wide it will be, and where its lines break. The widths are those of the common sans-serif
//! faces, so a browser's own font differs by a few pixels only.

mod measure;
mod wrap;

pub(crate) use measure::width;
pub(crate) use wrap::wrap;

/// Between the base lines, as a part of the size.
pub(crate) const LINE_HEIGHT: f64 = 1.2;
