//! A file that was read and placed. It can be drawn many times, with other overlays each time.

use crate::draw::{self, Style};
use crate::error::{Error, Note};
use crate::geometry::{Point, Rect};
use crate::model::{Model, Symbol};
use crate::overlay::Overlays;
use crate::scene::Scene;
use crate::{layout, read};

#[derive(Clone, Debug)]
pub struct Diagram {
    pub(crate) model: Model,
    pub(crate) scene: Scene,
    notes: Vec<Note>,
    is_laid_out: bool,
}

/// Where a shape stands, for whoever wants to bind to it.
#[derive(Clone, Copy, Debug)]
pub struct PlacedShape<'a> {
    pub element_id: &'a str,
    pub bounds: Rect,
    /// The activity that a boundary event is attached to.
    pub attached_to: Option<&'a str>,
    /// Others may stand inside it: a pool, a lane, an expanded subprocess, a group.
    pub is_container: bool,
}

#[derive(Clone, Copy, Debug)]
pub struct PlacedFlow<'a> {
    pub element_id: &'a str,
    pub source_id: Option<&'a str>,
    pub target_id: Option<&'a str>,
    pub points: &'a [Point],
}

impl Diagram {
    /// Reads BPMN 2.0 XML: places come from its diagram interchange, or from an automatic layout where it has none.
    pub fn read(xml: impl AsRef<[u8]>) -> Result<Diagram, Error> {
        let read::File { model, scene, mut notes } = read::file(xml.as_ref())?;
        let is_laid_out = scene.shapes.is_empty();
        let scene = if is_laid_out { layout::scene(&model, &mut notes) } else { scene };
        Ok(Diagram { model, scene, notes, is_laid_out })
    }

    pub fn to_svg(&self, style: &Style, overlays: &Overlays) -> String {
        draw::svg(self, style, overlays)
    }

    /// Notes on parts of the model that the picture leaves out.
    pub fn notes(&self) -> &[Note] {
        &self.notes
    }

    /// True if the file had no diagram interchange.
    pub fn is_laid_out(&self) -> bool {
        self.is_laid_out
    }

    pub fn shapes(&self) -> impl Iterator<Item = PlacedShape<'_>> {
        self.scene.shapes.iter().map(|shape| {
            let node = &self.model.nodes[shape.node];
            let is_container = match node.symbol {
                Symbol::Participant { .. } | Symbol::Lane | Symbol::Group => true,
                Symbol::Activity(activity) => activity.is_sub_process() && shape.is_expanded,
                _ => false,
            };
            let attached_to = node.host.map(|host| self.model.nodes[host].id.as_str());
            PlacedShape { element_id: &node.id, bounds: shape.bounds, attached_to, is_container }
        })
    }

    pub fn flows(&self) -> impl Iterator<Item = PlacedFlow<'_>> {
        self.scene.connections.iter().map(|connection| {
            let edge = &self.model.edges[connection.edge];
            let id = |end| self.model.id_of(end);
            PlacedFlow {
                element_id: &edge.id,
                source_id: edge.source.map(id),
                target_id: edge.target.map(id),
                points: &connection.points,
            }
        })
    }
}
