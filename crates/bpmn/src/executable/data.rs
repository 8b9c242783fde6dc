//! Where data enters and leaves an element: expressions, mappings, multi-instance collections.

use tidemill_feel::Expression;
use tidemill_model::{RawJson, Text};

/// An attribute that may be written as FEEL (`=...`) or as plain text.
#[derive(Clone, Debug)]
pub enum Source {
    /// Plain text, and the value it stands for: `42` is a number, `true` a boolean, `abc` a string.
    Static {
        text: Text,
        value: RawJson,
    },
    Feel(Expression),
}

/// An input mapping makes a local variable; an output mapping goes to the scope around the element.
#[derive(Clone, Debug)]
pub struct Mapping {
    pub source: Source,
    /// `a.b.c` as its names; never empty.
    pub target: Vec<Text>,
}

#[derive(Clone, Debug)]
pub struct MultiInstance {
    pub is_sequential: bool,
    pub input_collection: Expression,
    pub input_element: Option<Text>,
    pub output: Option<LoopOutputs>,
    pub completion_condition: Option<Source>,
}

/// The list that a multi-instance activity collects.
#[derive(Clone, Debug)]
pub struct LoopOutputs {
    pub collection: Text,
    pub element: Expression,
    /// The variable that `element` reads where it is a plain name or path: preset to null in each instance.
    pub preset: Option<Text>,
}
