//! Draws an element that BPMN does not define as a plain box with its name, so that the reader sees that it is there.

use super::label::{self, Vertical};
use super::pen::{Border, Pen};
use crate::geometry::Rect;
use crate::model::DiagramNode;
use crate::scene::Shape;

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape, node: &DiagramNode) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    pen.rectangle((width, height), 0.0, Border { dashes: Some("3 4"), ..Border::plain(1.5, 4.0) });
    let name = if node.name.is_empty() { &node.tag } else { &node.name };
    label::inside(
        pen,
        name,
        Rect::new(5.0, 5.0, width - 10.0, height - 10.0),
        height - 10.0,
        Vertical::Middle,
    );
}
