//! Process instances, roots and called ones.

use super::{Lifecycle, Scope, is_false};
use crate::{DefinitionKey, ElementInstanceKey, FlowIndex, ProcessInstanceKey, TenantId, Text, Timestamp};
use serde::{Deserialize, Serialize};

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ProcessInstance {
    pub key: ProcessInstanceKey,
    pub root: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub tenant: TenantId,
    pub parent: Option<ParentCall>,
    /// Number of call activities above this instance.
    pub call_depth: u16,
    /// Its definition stands above it in the chain of calls as well, or that of an instance above it does.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_recursive: bool,
    /// On a root: how many instances below it are recursive and alive.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub recursive_calls: u32,
    pub business_id: Option<Text>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub tags: Vec<Text>,
    pub state: Lifecycle,
    pub started_at: Timestamp,
    pub ended_at: Option<Timestamp>,
    pub scope: Scope,
    pub flows_taken: FlowSet,
    /// Open incidents of this instance and of those it calls.
    pub incidents: u32,
    /// Ids of elements after whose end the instance is terminated.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub terminate_after: Vec<Text>,
    /// The correlation key under which a message started this instance and that it locks while it lives.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub start_lock: Option<Text>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes fields by reference")]
fn is_zero(value: &u32) -> bool {
    *value == 0
}

/// The call activity that started an instance.
#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ParentCall {
    pub instance: ProcessInstanceKey,
    pub element: ElementInstanceKey,
}

/// The sequence flows that an instance has taken at least once: a bit per flow of its definition.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
pub struct FlowSet(Vec<u64>);

impl FlowSet {
    /// True if the flow was not in the set before.
    pub fn insert(&mut self, flow: FlowIndex) -> bool {
        let (word, bit) = (flow.0 as usize / 64, flow.0 % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & (1 << bit) == 0;
        self.0[word] |= 1 << bit;
        is_new
    }

    pub fn contains(&self, flow: FlowIndex) -> bool {
        self.0.get(flow.0 as usize / 64).is_some_and(|word| word & (1 << (flow.0 % 64)) != 0)
    }

    pub fn iter(&self) -> impl Iterator<Item = FlowIndex> + '_ {
        (0..self.0.len() as u32 * 64).map(FlowIndex).filter(|flow| self.contains(*flow))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flow_set_remembers_each_flow_once() {
        let mut set = FlowSet::default();
        assert!(set.insert(FlowIndex(3)));
        assert!(set.insert(FlowIndex(130)));
        assert!(!set.insert(FlowIndex(3)));
        assert!(set.contains(FlowIndex(130)) && !set.contains(FlowIndex(64)));
        assert_eq!(set.iter().collect::<Vec<_>>(), [FlowIndex(3), FlowIndex(130)]);
    }
}
