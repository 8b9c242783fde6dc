//! Automatic layout.
use crate::error::Note;
use crate::model::Model;
use crate::scene::Scene;

pub(crate) fn scene(_model: &Model, _notes: &mut Vec<Note>) -> Scene {
    Scene::default()
}
