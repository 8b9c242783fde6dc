//! Numbers of diagram interchange that may be used.

use super::Notes;
use crate::geometry::{Point, Rect};
use crate::limits::COORDINATE_MAX;
use roxmltree::Node as Xml;

/// A coordinate; anything else is noted.
fn coordinate(xml: &Xml<'_, '_>, attribute: &str, notes: &mut Notes<'_>) -> Option<f64> {
    let text = xml.attribute(attribute).unwrap_or_default();
    let value = text.trim().parse::<f64>().ok().filter(|value| value.abs() <= COORDINATE_MAX);
    if value.is_none() {
        let shown: String = text.chars().take(40).collect();
        notes.add(
            *xml,
            format!("Expected {attribute} to be a number up to {COORDINATE_MAX}, but it is '{shown}'"),
        );
    }
    value
}

pub(super) fn bounds(xml: &Xml<'_, '_>, notes: &mut Notes<'_>) -> Option<Rect> {
    let mut read = |attribute| coordinate(xml, attribute, notes);
    let (x, y) = (read("x")?, read("y")?);
    let (width, height) = (read("width")?, read("height")?);
    if width < 0.0 || height < 0.0 {
        notes.add(*xml, format!("Expected a size of 0 or more, but it is {width} x {height}"));
        return None;
    }
    Some(Rect::new(x, y, width, height))
}

pub(super) fn point(xml: &Xml<'_, '_>, notes: &mut Notes<'_>) -> Option<Point> {
    Some(Point::new(coordinate(xml, "x", notes)?, coordinate(xml, "y", notes)?))
}
