//! Variables: a name and a JSON value in a scope.

use super::Origin;
use crate::{ElementInstanceKey, RawJson, Text, VariableKey};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Variable {
    pub key: VariableKey,
    pub origin: Origin,
    pub scope: ElementInstanceKey,
    pub name: Text,
    pub value: RawJson,
}
