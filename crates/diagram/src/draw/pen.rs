//! Strokes of one element. Its group carries fill, stroke and line width; each stroke says only what differs.

use super::style::Ink;
use crate::svg::{Number, Svg, Value};

pub(super) struct Pen<'a> {
    pub(super) svg: &'a mut Svg,
    pub(super) ink: Ink,
}

impl Pen<'_> {
    /// Filled and stroked as the group says.
    pub(super) fn shape(&mut self, data: &str, width: f64) {
        self.svg.tag("path").attribute("d", Value::Raw(data)).attribute("stroke-width", width).close_empty();
    }

    /// A line without a fill.
    pub(super) fn line(&mut self, data: &str, width: f64) {
        self.svg.tag("path").attribute("d", Value::Raw(data)).attribute("fill", "none");
        self.svg.attribute("stroke-width", width).close_empty();
    }

    /// A line in the colour of the fill, for details on what is filled with the stroke's colour.
    pub(super) fn inverse_line(&mut self, data: &str, width: f64) {
        let fill = self.ink.fill;
        self.svg.tag("path").attribute("d", Value::Raw(data)).attribute("fill", "none");
        self.svg.attribute("stroke", fill).attribute("stroke-width", width).close_empty();
    }

    /// Filled with the stroke's colour.
    pub(super) fn solid(&mut self, data: &str) {
        let stroke = self.ink.stroke;
        self.svg.tag("path").attribute("d", Value::Raw(data)).attribute("fill", stroke);
        self.svg.attribute("stroke", "none").close_empty();
    }

    pub(super) fn circle(&mut self, x: f64, y: f64, radius: f64, width: f64, dashes: Option<&str>) {
        self.svg.tag("circle").attribute("cx", x).attribute("cy", y).attribute("r", radius);
        self.svg.attribute("stroke-width", width);
        if let Some(dashes) = dashes {
            self.svg.attribute("stroke-dasharray", Value::Raw(dashes));
        }
        self.svg.close_empty();
    }

    /// A rectangle from the origin of the group, inset on all sides.
    pub(super) fn rectangle(&mut self, size: (f64, f64), inset: f64, look: Border<'_>) {
        self.svg.tag("rect").attribute("x", inset).attribute("y", inset);
        self.svg.attribute("width", (size.0 - 2.0 * inset).max(0.0));
        self.svg.attribute("height", (size.1 - 2.0 * inset).max(0.0));
        if look.radius > 0.0 {
            self.svg.attribute("rx", look.radius);
        }
        if !look.is_filled {
            self.svg.attribute("fill", "none");
        }
        self.svg.attribute("stroke-width", look.width);
        if let Some(dashes) = look.dashes {
            self.svg.attribute("stroke-dasharray", Value::Raw(dashes)).attribute("stroke-linecap", "round");
        }
        self.svg.close_empty();
    }

    /// Opens a group with a coordinate system of its own.
    pub(super) fn open_at(&mut self, x: f64, y: f64, scale: f64) {
        self.svg.tag("g");
        if scale == 1.0 {
            self.svg.attribute("transform", Value::Move(x, y));
        } else {
            let transform = format!("translate({} {}) scale({scale:.3})", Number(x), Number(y));
            self.svg.attribute("transform", Value::Raw(&transform));
        }
        self.svg.open();
    }

    pub(super) fn close(&mut self) {
        self.svg.end("g");
    }
}

/// How the border of a rectangle looks.
#[derive(Clone, Copy)]
pub(super) struct Border<'a> {
    pub(super) width: f64,
    pub(super) radius: f64,
    pub(super) dashes: Option<&'a str>,
    pub(super) is_filled: bool,
}

impl Border<'_> {
    pub(super) fn plain(width: f64, radius: f64) -> Border<'static> {
        Border { width, radius, dashes: None, is_filled: true }
    }
}
