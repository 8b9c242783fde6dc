//! Labels: inside of boxes, upright in bands, beside notes, and below or beside whatever has no room inside.

use super::Context;
use super::flow;
use super::pen::Pen;
use crate::color::Color;
use crate::geometry::Rect;
use crate::model::Symbol;
use crate::scene::{Connection, Shape};
use crate::svg::{Number, Svg, Value};
use crate::text::{LINE_HEIGHT, width, wrap};

const INSIDE_SIZE: f64 = 12.0;
const OUTSIDE_SIZE: f64 = 11.0;
/// How wide a label outside may become, where the file does not say.
pub(crate) const OUTSIDE_WIDTH: f64 = 90.0;
/// Between a shape and the label below it.
const OUTSIDE_GAP: f64 = 5.0;
/// Letters stand this far above the lower edge of their line.
const BASELINE: f64 = 0.93;

#[derive(Clone, Copy)]
pub(super) enum Vertical {
    Top,
    Middle,
    /// In the middle, but when there are many lines, not higher than this.
    MiddleBelow(f64),
}

/// In a box, as many lines as `height_max` holds. They stand in its middle as long as they keep clear of what stands
/// above them, such as an icon.
pub(super) fn inside(pen: &mut Pen<'_>, text: &str, room: Rect, height_max: f64, vertical: Vertical) {
    let line_height = INSIDE_SIZE * LINE_HEIGHT;
    let lines_max = (height_max / line_height).floor().max(1.0) as usize;
    let lines = wrap(text, room.width, INSIDE_SIZE, lines_max);
    let height = lines.len() as f64 * line_height;
    let top = match vertical {
        Vertical::Top => room.y,
        Vertical::Middle => room.y + ((room.height - height) / 2.0).max(0.0),
        Vertical::MiddleBelow(above) => {
            let middle = ((room.height - height) / 2.0).max(0.0);
            room.y + if middle < above && lines.len() > 3 { above } else { middle }
        }
    };
    let color = pen.ink.text;
    write_lines(pen.svg, &lines, (room.center().x, top), Text { size: INSIDE_SIZE, anchor: "middle", color });
}

/// Turned to the left, in the middle of a band.
pub(super) fn upright(pen: &mut Pen<'_>, text: &str, band: Rect) {
    let lines = wrap(text, band.height - 8.0, INSIDE_SIZE, 2);
    if lines.is_empty() {
        return;
    }
    let (middle, height) = (band.center(), lines.len() as f64 * INSIDE_SIZE * LINE_HEIGHT);
    let turn = format!("translate({} {}) rotate(-90)", Number(middle.x), Number(middle.y));
    pen.svg.tag("g").attribute("transform", Value::Raw(&turn)).open();
    let color = pen.ink.text;
    write_lines(pen.svg, &lines, (0.0, -height / 2.0), Text { size: INSIDE_SIZE, anchor: "middle", color });
    pen.close();
}

/// From the left, for notes.
pub(super) fn beside(pen: &mut Pen<'_>, text: &str, room: Rect) {
    let lines_max = (room.height / (INSIDE_SIZE * LINE_HEIGHT)).floor().max(1.0) as usize;
    let lines = wrap(text, room.width, INSIDE_SIZE, lines_max);
    let color = pen.ink.label;
    write_lines(pen.svg, &lines, (room.x, room.y), Text { size: INSIDE_SIZE, anchor: "start", color });
}

/// A label outside of its shape, or of a flow.
pub(super) struct Label<'a> {
    element_id: &'a str,
    lines: Vec<String>,
    /// The middle of the upper edge, or its beginning.
    at: (f64, f64),
    text: Text,
}

#[derive(Clone, Copy)]
struct Text {
    size: f64,
    anchor: &'static str,
    color: Color,
}

/// All labels that stand outside.
pub(super) fn all<'a>(context: &Context<'a>) -> Vec<Label<'a>> {
    let scene = &context.diagram.scene;
    let shapes = scene.shapes.iter().filter_map(|shape| of_shape(context, shape));
    shapes.chain(scene.connections.iter().filter_map(|flow| of_flow(context, flow))).collect()
}

fn of_shape<'a>(context: &Context<'a>, shape: &Shape) -> Option<Label<'a>> {
    let node = &context.diagram.model.nodes[shape.node];
    let bounds = &shape.bounds;
    let is_outside =
        matches!(node.symbol, Symbol::Event(_) | Symbol::Gateway(_) | Symbol::Data(_) | Symbol::Group);
    if !is_outside || node.name.trim().is_empty() {
        return None;
    }
    let room = shape.label.unwrap_or_else(|| {
        let width = OUTSIDE_WIDTH.max(bounds.width);
        let y = if node.symbol == Symbol::Group { bounds.y } else { bounds.bottom() };
        Rect::new(bounds.center().x - width / 2.0, y + OUTSIDE_GAP, width, 0.0)
    });
    let text = Text { size: OUTSIDE_SIZE, anchor: "middle", color: context.ink(&shape.colors).label };
    Some(Label::in_room(&node.id, &node.name, room, text))
}

fn of_flow<'a>(context: &Context<'a>, connection: &Connection) -> Option<Label<'a>> {
    let edge = &context.diagram.model.edges[connection.edge];
    if edge.name.trim().is_empty() {
        return None;
    }
    let color = context.ink(&connection.colors).label;
    if let Some(room) = connection.label {
        let text = Text { size: OUTSIDE_SIZE, anchor: "middle", color };
        return Some(Label::in_room(&edge.id, &edge.name, room, text));
    }
    let (from, to) = flow::longest_segment(&connection.points);
    let (x, y) = ((from.x + to.x) / 2.0, (from.y + to.y) / 2.0);
    let lines = wrap(&edge.name, OUTSIDE_WIDTH, OUTSIDE_SIZE, 4);
    let height = lines.len() as f64 * OUTSIDE_SIZE * LINE_HEIGHT;
    let is_level = (from.x - to.x).abs() >= (from.y - to.y).abs();
    // Above a line that is level, to the right of one that is upright.
    let (at, anchor) =
        if is_level { ((x, y - height - 4.0), "middle") } else { ((x + 6.0, y - height / 2.0), "start") };
    Some(Label { element_id: &edge.id, lines, at, text: Text { size: OUTSIDE_SIZE, anchor, color } })
}

impl<'a> Label<'a> {
    /// Centred in the width of a room, from its top on. The file's font may have been narrower than ours, so what just
    /// missed the width stays on one line.
    fn in_room(element_id: &'a str, name: &str, room: Rect, text: Text) -> Label<'a> {
        const TOLERANCE: f64 = 1.15;
        let lines = wrap(name, room.width * TOLERANCE, text.size, usize::MAX);
        Label { element_id, lines, at: (room.center().x, room.y), text }
    }

    pub(super) fn extent(&self) -> Rect {
        let widest = self.lines.iter().map(|line| width(line, self.text.size)).fold(0.0, f64::max);
        let height = self.lines.len() as f64 * self.text.size * LINE_HEIGHT;
        let left = if self.text.anchor == "middle" { self.at.0 - widest / 2.0 } else { self.at.0 };
        Rect::new(left, self.at.1, widest, height)
    }

    pub(super) fn draw(&self, svg: &mut Svg) {
        svg.tag("g").attribute("class", "label").attribute("data-label-of", self.element_id).open();
        write_lines(svg, &self.lines, self.at, self.text);
        svg.end("g");
        svg.line_break();
    }
}

fn write_lines(svg: &mut Svg, lines: &[String], at: (f64, f64), text: Text) {
    if lines.is_empty() {
        return;
    }
    svg.tag("text").attribute("fill", text.color).attribute("stroke", "none");
    svg.attribute("font-size", text.size);
    if text.anchor != "start" {
        svg.attribute("text-anchor", text.anchor);
    }
    svg.open();
    for (n, line) in lines.iter().enumerate() {
        let y = at.1 + n as f64 * text.size * LINE_HEIGHT + text.size * BASELINE;
        svg.tag("tspan").attribute("x", at.0).attribute("y", y).open().text(line);
        svg.end("tspan");
    }
    svg.end("text");
}

/// The room that a label needs outside, at most as wide as labels outside become.
pub(crate) fn outside_size(name: &str) -> (f64, f64) {
    let lines = wrap(name, OUTSIDE_WIDTH, OUTSIDE_SIZE, usize::MAX);
    let widest = lines.iter().map(|line| width(line, OUTSIDE_SIZE)).fold(0.0, f64::max);
    (widest, lines.len() as f64 * OUTSIDE_SIZE * LINE_HEIGHT)
}
