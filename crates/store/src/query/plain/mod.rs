//! Searches in plain Rust over views: what a filter, a sort and a page mean, written down once. Stores without SQL
//! search with it, and stores with SQL are compared with it.

mod condition;
mod page;
mod value;

pub use page::find;
pub use value::{FieldValue, Member};

use super::Field;
use crate::view::{ElementInstanceView, IncidentView, JobView, ProcessDefinitionView, VariableView};
use std::collections::BTreeSet;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey};

/// A field whose value can be read from the view of its entity.
pub trait Shown: Field {
    type View;

    fn value<'v>(self, view: &'v Self::View, related: &dyn Related) -> FieldValue<'v>;

    /// Tells views apart whose keys are equal.
    /// Without it, a page that ends between two of them would lose or repeat one.
    fn tie_break(_: &Self::View) -> Option<i64> {
        None
    }

    /// The process instance that conditions about an instance look at.
    fn instance(_: &Self::View) -> Option<ProcessInstanceKey> {
        None
    }

    /// The element instance that conditions about an element look at.
    fn element(_: &Self::View) -> Option<ElementInstanceKey> {
        None
    }

    /// Cuts what brief searches cut.
    fn shorten(_: &mut Self::View) {}
}

/// Rows that conditions look at besides the view itself, live and ended ones alike. It is a trait, so that a
/// store can answer from rows that it fetches when they are asked for.
pub trait Related {
    /// No active version of the same process is newer, and this one is active.
    fn is_latest(&self, definition: &ProcessDefinitionView) -> bool;

    fn variables_of(&self, instance: ProcessInstanceKey) -> Vec<VariableView>;

    fn elements_of(&self, instance: ProcessInstanceKey) -> Vec<ElementInstanceView>;

    fn incidents_of(&self, instance: ProcessInstanceKey) -> Vec<IncidentView>;

    fn jobs_of(&self, instance: ProcessInstanceKey) -> Vec<JobView>;

    /// The instance and all that were called from it, at any depth.
    fn instances_within(&self, instance: ProcessInstanceKey) -> BTreeSet<ProcessInstanceKey>;

    /// The element instance, those inside it, and those of instances that were called from any of them.
    fn elements_within(&self, element: ElementInstanceKey) -> BTreeSet<ElementInstanceKey>;
}
