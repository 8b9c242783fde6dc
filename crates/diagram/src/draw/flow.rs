//! Flows and associations: a line with rounded corners, and what stands at its ends.

use super::Context;
use super::path::Path;
use super::pen::Pen;
use crate::geometry::Point;
use crate::model::EdgeKind;
use crate::scene::Connection;
use crate::svg::{Svg, Value};

const CORNER: f64 = 5.0;
const ARROW_LENGTH: f64 = 10.0;
const ARROW_WIDTH: f64 = 4.0;

pub(super) fn draw(svg: &mut Svg, context: &Context<'_>, connection: &Connection) {
    let edge = &context.diagram.model.edges[connection.edge];
    let mut ink = context.ink(&connection.colors);
    let is_taken = context.overlays.is_taken(&edge.id);
    if is_taken {
        ink.stroke = context.palette.taken;
    }
    // A flow has no ground of its own: its open ends show that of the picture.
    ink.fill = context.palette.background;
    svg.tag("g").attribute("class", if is_taken { "flow taken" } else { "flow" });
    svg.attribute("data-element-id", &edge.id).attribute("data-element-type", &edge.tag);
    svg.attribute("fill", ink.fill).attribute("stroke", ink.stroke).open();
    let pen = &mut Pen { svg, ink };
    line(pen, &connection.points, edge.kind, is_taken);
    ends(pen, &connection.points, edge.kind);
    pen.close();
    svg.line_break();
}

fn line(pen: &mut Pen<'_>, points: &[Point], kind: EdgeKind, is_taken: bool) {
    let dashes = match kind {
        EdgeKind::Message => Some("10 8"),
        EdgeKind::Association { .. } | EdgeKind::Data => Some("0.1 5"),
        EdgeKind::Sequence { .. } | EdgeKind::Plain => None,
    };
    // The tip of a filled arrow is sharper than the end of a line.
    let shorter = if matches!(kind, EdgeKind::Sequence { .. }) { ARROW_LENGTH / 2.0 } else { 0.0 };
    let data = rounded(points, shorter);
    let width = if is_taken { 3.0 } else { 2.0 };
    pen.svg.tag("path").attribute("d", Value::Raw(data.data())).attribute("fill", "none");
    pen.svg.attribute("stroke-width", width);
    if let Some(dashes) = dashes {
        pen.svg.attribute("stroke-dasharray", Value::Raw(dashes)).attribute("stroke-linecap", "round");
    }
    pen.svg.close_empty();
}

fn rounded(points: &[Point], shorter: f64) -> Path {
    let last = points.len() - 1;
    let end = points[last].toward(points[last - 1], shorter.min(points[last].distance(points[last - 1])));
    let mut path = Path::default().move_to(points[0].x, points[0].y);
    for n in 1..last {
        let (before, corner, after) = (points[n - 1], points[n], points[n + 1]);
        let radius = CORNER.min(corner.distance(before) / 2.0).min(corner.distance(after) / 2.0);
        let (begin, finish) = (corner.toward(before, radius), corner.toward(after, radius));
        path = path.line_to(begin.x, begin.y).curve_to(corner, finish);
    }
    path.line_to(end.x, end.y)
}

fn ends(pen: &mut Pen<'_>, points: &[Point], kind: EdgeKind) {
    let (first, second) = different_from_start(points.iter().copied());
    let (tip, before) = different_from_start(points.iter().rev().copied());
    match kind {
        EdgeKind::Sequence { is_default, is_conditional } => {
            pen.solid(head(tip, before, true).data());
            if is_default {
                pen.line(slash(first, second).data(), 2.0);
            }
            if is_conditional {
                pen.shape(diamond(first, second).data(), 1.5);
            }
        }
        EdgeKind::Message => {
            let start = first.toward(second, 4.5);
            pen.circle(start.x, start.y, 3.5, 1.5, None);
            pen.shape(head(tip, before, true).data(), 1.5);
        }
        EdgeKind::Association { at_source, at_target } => {
            if at_source {
                pen.line(head(first, second, false).data(), 1.5);
            }
            if at_target {
                pen.line(head(tip, before, false).data(), 1.5);
            }
        }
        EdgeKind::Data => pen.line(head(tip, before, false).data(), 1.5),
        EdgeKind::Plain => {}
    }
}

/// The first point, and the first one after it that is elsewhere.
fn different_from_start(points: impl Iterator<Item = Point>) -> (Point, Point) {
    let mut points = points.peekable();
    let first = points.peek().copied().unwrap_or_default();
    let second = points.find(|point| point.distance(first) > 0.01);
    (first, second.unwrap_or(Point::new(first.x - 1.0, first.y)))
}

/// A point beside the way from `tip` to `before`: `back` along it, `aside` to its left.
fn beside(tip: Point, before: Point, back: f64, aside: f64) -> Point {
    let on = tip.toward(before, back);
    let ahead = tip.toward(before, back + 1.0);
    let (dx, dy) = (ahead.x - on.x, ahead.y - on.y);
    Point::new(on.x - dy * aside, on.y + dx * aside)
}

fn head(tip: Point, before: Point, is_closed: bool) -> Path {
    let (left, right) =
        (beside(tip, before, ARROW_LENGTH, ARROW_WIDTH), beside(tip, before, ARROW_LENGTH, -ARROW_WIDTH));
    let path = Path::default().move_to(left.x, left.y).line_to(tip.x, tip.y).line_to(right.x, right.y);
    if is_closed { path.close() } else { path }
}

/// The stroke across the beginning of a default flow.
fn slash(first: Point, second: Point) -> Path {
    let (from, to) = (beside(first, second, 6.0, 5.0), beside(first, second, 12.0, -5.0));
    Path::default().move_to(from.x, from.y).line_to(to.x, to.y)
}

/// The diamond at the beginning of a conditional flow.
fn diamond(first: Point, second: Point) -> Path {
    let (left, right) = (beside(first, second, 8.0, 5.0), beside(first, second, 8.0, -5.0));
    let end = first.toward(second, 16.0);
    let path = Path::default().move_to(first.x, first.y).line_to(left.x, left.y);
    path.line_to(end.x, end.y).line_to(right.x, right.y).close()
}

pub(super) fn longest_segment(points: &[Point]) -> (Point, Point) {
    let segments = points.windows(2).map(|pair| (pair[0], pair[1]));
    let longest = segments.reduce(|a, b| if b.0.distance(b.1) > a.0.distance(a.1) { b } else { a });
    longest.unwrap_or_default()
}
