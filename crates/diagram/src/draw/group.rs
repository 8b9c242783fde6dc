//! Groups: a frame of dashes and dots around whatever stands in it.

use super::pen::{Border, Pen};
use crate::scene::Shape;

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape) {
    let size = (shape.bounds.width, shape.bounds.height);
    let border = Border { dashes: Some("10 6 0.1 6"), is_filled: false, ..Border::plain(1.5, 10.0) };
    pen.rectangle(size, 0.0, border);
}
