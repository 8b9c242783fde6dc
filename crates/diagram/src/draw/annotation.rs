//! Notes: an open bracket and the text beside it.

use super::label;
use super::path::Path;
use super::pen::Pen;
use crate::geometry::Rect;
use crate::model::DiagramNode;
use crate::scene::Shape;

const BRACKET: f64 = 10.0;
const PADDING: f64 = 6.0;

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape, node: &DiagramNode) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    // The ground takes clicks, and colour where the file gives some.
    let fill = if shape.colors.fill.is_some() { pen.ink.fill.to_string() } else { "none".to_string() };
    pen.svg.tag("rect").attribute("width", width).attribute("height", height);
    pen.svg.attribute("fill", &fill).attribute("stroke", "none");
    pen.svg.attribute("pointer-events", "all").close_empty();
    let reach = BRACKET.min(width);
    let bracket = Path::default().move_to(reach, 0.0).line_to(0.0, 0.0).line_to(0.0, height);
    pen.line(bracket.line_to(reach, height).data(), 2.0);
    let room = Rect::new(PADDING, PADDING, width - 2.0 * PADDING, height - PADDING);
    label::beside(pen, &node.name, room);
}
