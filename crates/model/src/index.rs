//! Positions inside a process definition. Entities refer to elements by index, so the numbering is part
//! of the stored format: flow nodes and sequence flows are counted in document order, supported or not.

use serde::{Deserialize, Serialize};

/// The n-th element of a process: 0 is the process itself, then its flow nodes in document order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(transparent)]
pub struct ElementIndex(pub u32);

impl ElementIndex {
    pub const PROCESS: ElementIndex = ElementIndex(0);
}

/// The n-th sequence flow of a process in document order.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug)]
#[serde(transparent)]
pub struct FlowIndex(pub u32);
