//! The collections of multi-instance bodies, apart from the body so that a step touches one item only.

use super::Origin;
use crate::{ElementInstanceKey, RawJson};
use serde::{Deserialize, Serialize};

/// The evaluated input collection: a JSON array, written once.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct LoopInput {
    pub body: ElementInstanceKey,
    pub origin: Origin,
    pub items: RawJson,
}

/// One item of the output collection, folded into the list when the body completes.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct LoopOutput {
    pub body: ElementInstanceKey,
    pub origin: Origin,
    /// From 1, as the loop counter.
    pub loop_counter: u32,
    pub value: RawJson,
}
