//! Which commands may run while others wait for a read: those of other aggregates. Commands of one aggregate keep their
//! order.

use rustc_hash::FxHashSet;
use tidemill_engine::Aggregate;
use tidemill_model::{ProcessInstanceKey, TenantId, Text};

/// The aggregates of commands that wait.
#[derive(Default)]
pub(crate) struct HeldUp {
    holds_some: bool,
    everything: bool,
    /// A command waits whose instance is not known yet. Any instance may be it, so commands of all instances wait.
    unknown_instance: bool,
    instances: FxHashSet<ProcessInstanceKey>,
    correlations: FxHashSet<(TenantId, Text)>,
}

impl HeldUp {
    pub(crate) fn is_empty(&self) -> bool {
        !self.holds_some
    }

    pub(crate) fn add(&mut self, aggregate: Aggregate) {
        self.holds_some = true;
        match aggregate {
            Aggregate::Everything => self.everything = true,
            Aggregate::UnknownInstance => self.unknown_instance = true,
            Aggregate::Instance(instance) => drop(self.instances.insert(instance)),
            Aggregate::Correlation(tenant, key) => drop(self.correlations.insert((tenant, key))),
            // Nobody can send anything to an instance that does not exist yet.
            Aggregate::NewInstance => {}
        }
    }

    pub(crate) fn includes(&self, aggregate: &Aggregate) -> bool {
        if self.everything {
            return true;
        }
        match aggregate {
            Aggregate::Everything => self.holds_some,
            // It may be one of those that wait, and must not overtake them.
            Aggregate::UnknownInstance => self.unknown_instance || !self.instances.is_empty(),
            Aggregate::Instance(instance) => self.unknown_instance || self.instances.contains(instance),
            Aggregate::Correlation(tenant, key) => self.correlations.contains(&(tenant.clone(), key.clone())),
            // A create has nothing to wait for but commands that concern everything.
            Aggregate::NewInstance => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn correlation(key: &str) -> Aggregate {
        Aggregate::Correlation(TenantId::default(), Text::from(key))
    }

    #[test]
    fn commands_of_other_aggregates_go_on() {
        let (one, two) = (ProcessInstanceKey(1), ProcessInstanceKey(2));
        let mut held_up = HeldUp::default();
        assert!(held_up.is_empty() && !held_up.includes(&Aggregate::Everything));
        held_up.add(Aggregate::Instance(one));
        held_up.add(correlation("a"));
        assert!(held_up.includes(&Aggregate::Instance(one)));
        assert!(!held_up.includes(&Aggregate::Instance(two)));
        assert!(held_up.includes(&Aggregate::UnknownInstance), "it may be the same instance");
        assert!(held_up.includes(&correlation("a")) && !held_up.includes(&correlation("b")));
        assert!(!held_up.includes(&Aggregate::NewInstance));
        assert!(held_up.includes(&Aggregate::Everything));
        held_up.add(Aggregate::UnknownInstance);
        assert!(held_up.includes(&Aggregate::Instance(two)));
        held_up.add(Aggregate::Everything);
        assert!(held_up.includes(&Aggregate::NewInstance));
    }
}
