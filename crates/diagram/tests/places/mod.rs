//! Properties that must hold for every layout.

use std::collections::{HashMap, HashSet};
use tidemill_diagram::{Diagram, PlacedShape, Point, Rect};

/// Everything that is wrong with the places in a diagram, told by element.
pub(crate) fn faults(diagram: &Diagram, xml: &str) -> Vec<String> {
    let shapes: Vec<PlacedShape<'_>> = diagram.shapes().collect();
    let by_id: HashMap<&str, Rect> = shapes.iter().map(|shape| (shape.element_id, shape.bounds)).collect();
    let mut faults = Vec::new();
    for (n, a) in shapes.iter().enumerate() {
        faults.extend(shapes[n + 1..].iter().filter_map(|b| overlap(a, b)));
    }
    let mut drawn = HashSet::new();
    for flow in diagram.flows() {
        drawn.insert(flow.element_id);
        let (first, last) = (flow.points[0], flow.points[flow.points.len() - 1]);
        for (end, point) in [(flow.source_id, first), (flow.target_id, last)] {
            let bounds = end.and_then(|end| by_id.get(end));
            if !bounds.is_some_and(|bounds| is_on_border(bounds, point)) {
                faults.push(format!("{} does not touch {end:?}", flow.element_id));
            }
        }
        let crossed =
            shapes.iter().filter(|shape| !shape.is_container && crosses(flow.points, &shape.bounds));
        faults.extend(crossed.map(|shape| format!("{} crosses {}", flow.element_id, shape.element_id)));
        if flow.points.windows(2).any(|pair| pair[0].x != pair[1].x && pair[0].y != pair[1].y) {
            faults.push(format!("{} is not upright and level", flow.element_id));
        }
    }
    let ids = xml.split("<bpmn:sequenceFlow ").skip(1);
    let ids = ids.filter_map(|tag| tag.split("id=\"").nth(1)?.split('"').next());
    faults.extend(ids.filter(|id| !drawn.contains(id)).map(|id| format!("{id} is not drawn")));
    faults
}

/// Boundary events stand on the border of their host; contents stand inside of containers.
fn overlap(a: &PlacedShape<'_>, b: &PlacedShape<'_>) -> Option<String> {
    let is_attached = a.attached_to == Some(b.element_id) || b.attached_to == Some(a.element_id);
    let is_inside =
        (a.is_container && a.bounds.contains(&b.bounds)) || (b.is_container && b.bounds.contains(&a.bounds));
    let is_fault = a.bounds.overlaps(&b.bounds) && !is_attached && !is_inside;
    is_fault.then(|| format!("{} {:?} overlaps {} {:?}", a.element_id, a.bounds, b.element_id, b.bounds))
}

/// Whether a line passes through the inside of a shape.
fn crosses(points: &[Point], bounds: &Rect) -> bool {
    points.windows(2).any(|pair| {
        let (x, y) = (pair[0].x.min(pair[1].x), pair[0].y.min(pair[1].y));
        let (width, height) = ((pair[0].x - pair[1].x).abs(), (pair[0].y - pair[1].y).abs());
        bounds.overlaps(&Rect { x, y, width, height })
    })
}

fn is_on_border(bounds: &Rect, point: Point) -> bool {
    const TOLERANCE: f64 = 0.01;
    let near = |a: f64, b: f64| (a - b).abs() < TOLERANCE;
    let in_width = point.x > bounds.x - TOLERANCE && point.x < bounds.right() + TOLERANCE;
    let in_height = point.y > bounds.y - TOLERANCE && point.y < bounds.bottom() + TOLERANCE;
    let at_side = near(point.x, bounds.x) || near(point.x, bounds.right());
    let at_end = near(point.y, bounds.y) || near(point.y, bounds.bottom());
    (at_side && in_height) || (at_end && in_width)
}
