//! Reading a file for drawing. Unlike the engine's reader it refuses nothing that is XML: what it does not know is
//! drawn as a plain box, and what cannot be drawn is noted.

mod activity;
mod connect;
mod diagram;
mod edge;
mod element;
mod event;
mod lookup;
mod number;
mod tag;

use crate::error::{Error, Note};
use crate::limits::NOTES_MAX;
use crate::model::Model;
use crate::scene::Scene;
use roxmltree::{Document, Node as Xml};

pub(crate) struct File {
    pub(crate) model: Model,
    /// Empty where the file has no diagram interchange.
    pub(crate) scene: Scene,
    pub(crate) notes: Vec<Note>,
}

pub(crate) fn file(xml: &[u8]) -> Result<File, Error> {
    let unreadable = |finding: tidemill_bpmn::Finding| Error {
        line: finding.line,
        column: finding.column,
        reason: finding.reason,
        remedy: finding.remedy,
    };
    let text = tidemill_bpmn::decode(xml).map_err(unreadable)?;
    let document = tidemill_bpmn::parse(&text).map_err(unreadable)?;
    check_root(&document)?;
    let mut notes = Notes { document: &document, kept: Vec::new() };
    let mut model = element::model(&document);
    let scene = diagram::scene(&document, &mut model, &mut notes);
    Ok(File { model, scene, notes: notes.kept })
}

fn check_root(document: &Document<'_>) -> Result<(), Error> {
    let root = document.root_element();
    if root.tag_name().name() == "definitions" {
        return Ok(());
    }
    let at = document.text_pos_at(root.range().start);
    let reason = format!("Expected BPMN 'definitions', but found '{}'", root.tag_name().name());
    Err(Error { line: at.row, column: at.col, reason, remedy: Some("choose a BPMN 2.0 file".to_string()) })
}

/// Parts of the model that the picture leaves out, each with its place in the file.
pub(crate) struct Notes<'a> {
    document: &'a Document<'a>,
    kept: Vec<Note>,
}

impl Notes<'_> {
    pub(crate) fn add(&mut self, at: Xml<'_, '_>, reason: String) {
        if self.kept.len() < NOTES_MAX {
            let at = self.document.text_pos_at(at.range().start);
            self.kept.push(Note { line: at.row, column: at.col, reason });
        }
    }
}
