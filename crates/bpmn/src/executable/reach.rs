//! Which elements can still send a token to a joining inclusive gateway. Computed once, because the join
//! asks at every arriving token.

use tidemill_model::{ElementIndex, FlowIndex};

/// Per incoming flow, the elements of the same scope from which a token can still come over that flow,
/// along sequence flows, boundary events and links, without passing the gateway itself.
#[derive(Clone, Debug, Default)]
pub struct InclusiveJoin {
    pub reach: Vec<(FlowIndex, ElementSet)>,
}

impl InclusiveJoin {
    /// Can a token that is on `element` still arrive over `flow`?
    pub fn can_reach(&self, element: ElementIndex, flow: FlowIndex) -> bool {
        self.reach.iter().any(|(incoming, from)| *incoming == flow && from.contains(element))
    }
}

/// A set of elements of one process.
#[derive(Clone, Debug, Default)]
pub struct ElementSet(Vec<u64>);

impl ElementSet {
    /// True if the element was not in the set before.
    pub fn insert(&mut self, element: ElementIndex) -> bool {
        let (word, bit) = (element.0 as usize / 64, element.0 % 64);
        if self.0.len() <= word {
            self.0.resize(word + 1, 0);
        }
        let is_new = self.0[word] & (1 << bit) == 0;
        self.0[word] |= 1 << bit;
        is_new
    }

    pub fn contains(&self, element: ElementIndex) -> bool {
        self.0.get(element.0 as usize / 64).is_some_and(|word| word & (1 << (element.0 % 64)) != 0)
    }
}
