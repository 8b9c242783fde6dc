//! Lines made of points: without needless ones, straight between two shapes, and the place of a label on them.

use crate::geometry::{Point, Rect};

/// Leaves out points that stand on the line between their neighbours.
pub(super) fn simplified(points: Vec<Point>) -> Vec<Point> {
    let mut kept: Vec<Point> = Vec::with_capacity(points.len());
    for point in points {
        if kept.last() == Some(&point) {
            continue;
        }
        if let [.., before, last] = kept.as_slice() {
            let is_level = before.y == last.y && last.y == point.y;
            let is_upright = before.x == last.x && last.x == point.x;
            if is_level || is_upright {
                kept.pop();
            }
        }
        kept.push(point);
    }
    kept
}

/// From the border of one shape to that of another, along the line between their middles.
pub(super) fn straight(from: Rect, to: Rect) -> Vec<Point> {
    vec![border(from, to.center()), border(to, from.center())]
}

/// Where the line from the middle of a shape to a point leaves it.
pub(super) fn border(shape: Rect, toward: Point) -> Point {
    let middle = shape.center();
    let (dx, dy) = (toward.x - middle.x, toward.y - middle.y);
    if dx == 0.0 && dy == 0.0 {
        return Point::new(middle.x, shape.y);
    }
    let part = f64::min(shape.width / 2.0 / dx.abs(), shape.height / 2.0 / dy.abs());
    Point::new(middle.x + dx * part, middle.y + dy * part)
}

pub(super) fn middle(points: &[Point]) -> Point {
    let Some((first, last)) = points.get((points.len() - 1) / 2).zip(points.get(points.len() / 2)) else {
        return Point::default();
    };
    if first != last {
        return Point::new((first.x + last.x) / 2.0, (first.y + last.y) / 2.0);
    }
    // An odd number of points: the middle of the segment after the corner.
    let next = points.get(points.len() / 2 + 1).unwrap_or(last);
    Point::new((first.x + next.x) / 2.0, (first.y + next.y) / 2.0)
}

/// Above a level part that is long enough, near its beginning. A flow that leaves an element together with
/// others has its name behind its first bend, unless its first part is long.
pub(super) fn label(points: &[Point], (width, height): (f64, f64)) -> Option<Rect> {
    const GAP: f64 = 4.0;
    const LONG: f64 = 60.0;
    let length = |pair: &[Point]| (pair[0].x - pair[1].x).abs();
    let level: Vec<&[Point]> = points.windows(2).filter(|pair| pair[0].y == pair[1].y).collect();
    let longest = level.iter().copied().reduce(|a, b| if length(b) > length(a) { b } else { a })?;
    let begins_level = points[0].y == points[1].y && points.len() > 2;
    let is_long_enough = |(n, pair): &(usize, &&[Point])| {
        length(pair) >= width + if *n == 0 && begins_level { LONG } else { 16.0 }
    };
    let part = level.iter().enumerate().find(is_long_enough).map_or(longest, |(_, pair)| *pair);
    let free = length(part) - width;
    let inset = if free > LONG { 14.0 } else { free / 2.0 };
    let left = if part[1].x > part[0].x { part[0].x + inset } else { part[0].x - inset - width };
    Some(Rect::new(left, part[0].y - height - GAP, width, height))
}
