//! A process and its flows: lookup by index and by id in constant time.

use super::{Behavior, Element};
use std::collections::HashMap;
use tidemill_feel::Expression;
use tidemill_model::{ElementIndex, FlowIndex, Text};

/// An executable process. Element 0 is the process itself; flow nodes follow in document order.
#[derive(Clone, Debug)]
pub struct Process {
    elements: Vec<Element>,
    flows: Vec<Flow>,
    by_id: HashMap<Text, ElementIndex>,
    pub version_tag: Option<Text>,
}

#[derive(Clone, Debug)]
pub struct Flow {
    pub index: FlowIndex,
    pub id: Text,
    pub source: ElementIndex,
    pub target: ElementIndex,
    pub condition: Option<Expression>,
}

impl Process {
    /// Indices must match positions, and element 0 must be the process.
    pub(crate) fn new(
        mut elements: Vec<Element>,
        mut flows: Vec<Flow>,
        version_tag: Option<Text>,
    ) -> Process {
        assert!(
            matches!(elements.first().map(|first| &first.behavior), Some(Behavior::Process { .. })),
            "the first element is the process"
        );
        debug_assert!(elements.iter().enumerate().all(|(n, element)| element.index.0 as usize == n));
        debug_assert!(flows.iter().enumerate().all(|(n, flow)| flow.index.0 as usize == n));
        // It is kept for long, and nothing is added any more.
        elements.shrink_to_fit();
        flows.shrink_to_fit();
        elements.iter_mut().for_each(Element::shrink_to_fit);
        let by_id = elements.iter().map(|element| (element.id.clone(), element.index)).collect();
        Process { elements, flows, by_id, version_tag }
    }

    pub fn id(&self) -> &Text {
        &self.root().id
    }

    pub fn name(&self) -> Option<&Text> {
        self.root().name.as_ref()
    }

    /// The process as an element.
    pub fn root(&self) -> &Element {
        &self.elements[0]
    }

    pub fn elements(&self) -> &[Element] {
        &self.elements
    }

    pub fn flows(&self) -> &[Flow] {
        &self.flows
    }

    pub fn element(&self, index: ElementIndex) -> &Element {
        &self.elements[index.0 as usize]
    }

    pub fn flow(&self, index: FlowIndex) -> &Flow {
        &self.flows[index.0 as usize]
    }

    pub fn element_by_id(&self, id: &str) -> Option<&Element> {
        self.by_id.get(id).map(|index| self.element(*index))
    }

    pub fn none_start(&self) -> Option<ElementIndex> {
        match &self.root().behavior {
            Behavior::Process { none_start, .. } => *none_start,
            _ => None,
        }
    }

    /// All start events of the process itself.
    pub fn starts(&self) -> &[ElementIndex] {
        match &self.root().behavior {
            Behavior::Process { starts, .. } => starts,
            _ => &[],
        }
    }
}
