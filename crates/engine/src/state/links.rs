//! Links from a scope or element to its children, variables, subscriptions and incidents, so that these are found without a search of the
//! tables.

use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::{ElementInstanceKey, IncidentKey, SubscriptionKey, Text, TimerKey, VariableKey};

/// Lists with one item inline: most elements have one timer, one subscription or one incident, and instances are many.
#[derive(Default)]
pub(crate) struct ScopeLinks {
    /// In the order of their keys, because pages of children are read and terminated in that order.
    pub(crate) children: BTreeSet<ElementInstanceKey>,
    /// Ordered by name: variables are handed to workers and expressions in the same order each time.
    pub(crate) variables: BTreeMap<Text, VariableKey>,
    pub(crate) timers: SmallVec<[TimerKey; 1]>,
    pub(crate) messages: SmallVec<[SubscriptionKey; 1]>,
    pub(crate) signals: SmallVec<[SubscriptionKey; 1]>,
    pub(crate) incidents: SmallVec<[IncidentKey; 1]>,
    /// The loop counters of the outputs that a multi-instance body has collected.
    /// Their number tells whether rows are missing in memory (`require_outputs`).
    pub(crate) outputs: BTreeSet<u32>,
    pub(crate) residency: Residency,
}

/// The part of a scope's children that is in memory.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Residency {
    #[default]
    All,
    /// Only those up to this key were loaded; the rest is in the store.
    UpTo(Option<ElementInstanceKey>),
}

impl ScopeLinks {
    /// Nothing is linked. Such an entry is dropped: scopes that have ended would otherwise stay in memory for ever.
    pub(crate) fn is_bare(&self) -> bool {
        self.children.is_empty()
            && self.variables.is_empty()
            && self.timers.is_empty()
            && self.messages.is_empty()
            && self.signals.is_empty()
            && self.incidents.is_empty()
            && self.outputs.is_empty()
            && self.residency == Residency::All
    }
}
