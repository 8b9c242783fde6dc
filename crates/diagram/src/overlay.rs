//! Overlays: tokens, counts, incidents and taken flows that a picture shows on top of the model. They are plain data by
//! element id, so that the caller needs to know nothing about drawing.

use rustc_hash::{FxHashMap, FxHashSet};

#[derive(Clone, Debug, Default)]
pub struct Overlays {
    elements: FxHashMap<String, Overlay>,
    taken_flows: FxHashSet<String>,
}

/// The figures of one element.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Overlay {
    /// Instances of the element that are active now.
    pub tokens: u64,
    /// How often the element has completed.
    pub completed: u64,
    pub incidents: u64,
}

impl Overlays {
    /// Sets the figures of an element. Ids that the diagram does not contain are ignored.
    pub fn set(&mut self, element_id: impl Into<String>, overlay: Overlay) {
        self.elements.insert(element_id.into(), overlay);
    }

    /// Marks a flow as taken.
    pub fn take(&mut self, flow_id: impl Into<String>) {
        self.taken_flows.insert(flow_id.into());
    }

    pub(crate) fn of(&self, element_id: &str) -> Overlay {
        self.elements.get(element_id).copied().unwrap_or_default()
    }

    pub(crate) fn is_taken(&self, flow_id: &str) -> bool {
        self.taken_flows.contains(flow_id)
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.elements.is_empty()
    }
}
