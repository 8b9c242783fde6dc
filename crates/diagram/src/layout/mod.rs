//! Places for models that have no diagram. Scopes are laid out from the inside out: elements in layers from left to
//! right, flows through the channels between them, inner scopes as large boxes in outer ones.

mod artifact;
mod cell;
mod channel;
mod component;
mod graph;
mod layer;
mod line;
mod order;
mod passage;
mod plan;
mod pool;
mod route;
mod row;
mod scope;
mod size;

use crate::error::Note;
use crate::limits::LAYOUT_ELEMENTS_MAX;
use crate::model::Model;
use crate::scene::Scene;
use plan::Plan;

pub(crate) fn scene(model: &Model, notes: &mut Vec<Note>) -> Scene {
    if model.nodes.len() > LAYOUT_ELEMENTS_MAX {
        let reason = format!(
            "Expected at most {LAYOUT_ELEMENTS_MAX} elements to lay out, but there are {}: the rest is left out",
            model.nodes.len()
        );
        notes.push(Note { line: 1, column: 1, reason });
    }
    let mut plan = Plan::new(model);
    // Children come after their scope in the model. Going backwards lays them out before the scope that contains them.
    for scope in (0..plan.count()).rev() {
        if model.nodes[scope].symbol.is_scope() {
            scope::lay_out(&mut plan, scope);
        }
    }
    pool::arrange(&mut plan);
    plan.make_absolute();
    artifact::frame_groups(&mut plan);
    pool::route_messages(&mut plan);
    artifact::associate(&mut plan);
    plan.into_scene()
}
