//! The shapes and flows to draw, with their positions. Diagram interchange and automatic layout both produce a scene;
//! drawing only reads one.

use crate::color::Color;
use crate::geometry::{Point, Rect};
use crate::model::{EdgeIndex, NodeIndex};

#[derive(Clone, Debug, Default)]
pub(crate) struct Scene {
    pub(crate) shapes: Vec<Shape>,
    pub(crate) connections: Vec<Connection>,
}

#[derive(Clone, Debug)]
pub(crate) struct Shape {
    pub(crate) node: NodeIndex,
    pub(crate) bounds: Rect,
    pub(crate) label: Option<Rect>,
    pub(crate) is_expanded: bool,
    pub(crate) is_horizontal: bool,
    /// The cross of an exclusive gateway may be left out.
    pub(crate) has_marker: bool,
    pub(crate) colors: Colors,
}

#[derive(Clone, Debug)]
pub(crate) struct Connection {
    pub(crate) edge: EdgeIndex,
    /// Two at least.
    pub(crate) points: Vec<Point>,
    pub(crate) label: Option<Rect>,
    pub(crate) colors: Colors,
}

/// The colours that the file gives to one element.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Colors {
    pub(crate) fill: Option<Color>,
    pub(crate) stroke: Option<Color>,
    pub(crate) label: Option<Color>,
}

impl Shape {
    pub(crate) fn new(node: NodeIndex, bounds: Rect) -> Shape {
        Shape {
            node,
            bounds,
            label: None,
            is_expanded: true,
            is_horizontal: true,
            has_marker: true,
            colors: Colors::default(),
        }
    }
}
