//! Pools and lanes. The name of a pool stands in a band at its side; a black box has its name in the middle.

use super::label::{self, Vertical};
use super::pen::{Border, Pen};
use crate::geometry::Rect;
use crate::model::DiagramNode;
use crate::scene::Shape;

/// The band with the name.
const BAND: f64 = 30.0;

pub(super) fn participant(pen: &mut Pen<'_>, shape: &Shape, node: &DiagramNode, is_multiple: bool) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    pen.rectangle((width, height), 0.0, Border::plain(2.0, 0.0));
    if node.process.is_none() || !shape.is_expanded {
        label::inside(pen, &node.name, Rect::new(0.0, 0.0, width, height), height, Vertical::Middle);
    } else {
        separator(pen, shape);
        band_label(pen, shape, node);
    }
    if is_multiple {
        pen.open_at(width / 2.0 - 7.0, height - 18.0, 1.0);
        pen.solid("M1.5 0.5H3.9V13.5H1.5ZM5.8 0.5H8.2V13.5H5.8ZM10.1 0.5H12.5V13.5H10.1Z");
        pen.close();
    }
}

pub(super) fn lane(pen: &mut Pen<'_>, shape: &Shape, node: &DiagramNode) {
    let size = (shape.bounds.width, shape.bounds.height);
    // The ground of a lane is that of its pool, unless the file gives it a colour.
    let is_filled = shape.colors.fill.is_some();
    pen.rectangle(size, 0.0, Border { is_filled, ..Border::plain(1.5, 0.0) });
    band_label(pen, shape, node);
}

fn separator(pen: &mut Pen<'_>, shape: &Shape) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    let line = if shape.is_horizontal {
        super::path::Path::default().move_to(BAND, 0.0).line_to(BAND, height)
    } else {
        super::path::Path::default().move_to(0.0, BAND).line_to(width, BAND)
    };
    pen.line(line.data(), 2.0);
}

fn band_label(pen: &mut Pen<'_>, shape: &Shape, node: &DiagramNode) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    if shape.is_horizontal {
        label::upright(pen, &node.name, Rect::new(0.0, 0.0, BAND, height));
    } else {
        label::inside(pen, &node.name, Rect::new(0.0, 0.0, width, BAND), BAND, Vertical::Middle);
    }
}
