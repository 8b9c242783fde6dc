//! Which node should own which partition. Pure: every node comes to the same plan from the same rows, so nobody has
//! to be asked and only one node reaches for a partition that is free.

use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::PartitionId;
use tidemill_store::HolderId;

/// A node that is alive.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) struct Member {
    pub(super) holder: HolderId,
    /// It hands over what it has and takes nothing.
    pub(super) is_draining: bool,
}

/// The holder of a partition, and the one that operators prefer.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(super) struct Standing {
    pub(super) holder: Option<HolderId>,
    /// An operator wants this node to have it.
    pub(super) preferred: Option<HolderId>,
}

pub(super) type Plan = BTreeMap<PartitionId, HolderId>;

/// Every member gets its share, give or take one; wishes of operators come first, and who holds a partition keeps
/// it as far as the share allows. A holder that is no member is dead or about to be. Where nobody may take
/// partitions, those who hold some keep them.
pub(super) fn plan(members: &[Member], partitions: &BTreeMap<PartitionId, Standing>) -> Plan {
    let alive: BTreeSet<&HolderId> = members.iter().map(|member| &member.holder).collect();
    let takers: BTreeSet<&HolderId> =
        members.iter().filter(|member| !member.is_draining).map(|member| &member.holder).collect();
    let held = |id: PartitionId| partitions[&id].holder.as_ref().filter(|holder| alive.contains(holder));
    if takers.is_empty() {
        return partitions.keys().filter_map(|id| Some((*id, held(*id)?.clone()))).collect();
    }
    let mut shares = shares(&takers, partitions.keys().filter_map(|id| held(*id)), partitions.len());
    let mut plan = Plan::new();
    let preferred = partitions.iter().map(|(id, standing)| (*id, standing.preferred.as_ref()));
    for (id, holder) in preferred.chain(partitions.keys().map(|id| (*id, held(*id)))) {
        if let Some(holder) = holder.filter(|_| !plan.contains_key(&id))
            && let Some(left) = shares.get_mut(holder).filter(|left| **left > 0)
        {
            *left -= 1;
            plan.insert(id, holder.clone());
        }
    }
    let rest = partitions.keys().filter(|id| !plan.contains_key(id)).copied().collect::<Vec<_>>();
    for id in rest {
        // The node that lacks most comes first, so that new nodes fill up evenly.
        let neediest = shares.iter_mut().max_by_key(|(holder, left)| (**left, std::cmp::Reverse(*holder)));
        let (holder, left) = neediest.expect("there are takers, and shares add up to all partitions");
        *left -= 1;
        plan.insert(id, (*holder).clone());
    }
    plan
}

/// The number of partitions that each node gets. The remainder of the division goes to the nodes that hold most, so that it stays
/// where it is.
fn shares<'h>(
    takers: &BTreeSet<&'h HolderId>,
    held: impl Iterator<Item = &'h HolderId>,
    partitions: usize,
) -> BTreeMap<&'h HolderId, usize> {
    let mut counts: BTreeMap<&HolderId, usize> = takers.iter().map(|taker| (*taker, 0)).collect();
    for holder in held {
        if let Some(count) = counts.get_mut(holder) {
            *count += 1;
        }
    }
    let mut by_count: Vec<_> = counts.into_iter().collect();
    by_count.sort_by_key(|(holder, count)| (std::cmp::Reverse(*count), *holder));
    let (share, over) = (partitions / takers.len(), partitions % takers.len());
    let share_of = |place: usize| share + usize::from(place < over);
    by_count.into_iter().enumerate().map(|(place, (holder, _))| (holder, share_of(place))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn name(number: usize) -> HolderId {
        HolderId::from(format!("node-{number}"))
    }

    /// Some nodes, some of which drain, and partitions held by them, by the dead or by nobody.
    fn situations() -> impl Strategy<Value = (Vec<Member>, BTreeMap<PartitionId, Standing>)> {
        let members = prop::collection::vec(any::<bool>(), 1..7);
        let holders = prop::collection::vec(prop::option::of(0_usize..9), 1..40);
        (members, holders).prop_map(|(members, holders)| {
            let members = members
                .into_iter()
                .enumerate()
                .map(|(number, is_draining)| Member { holder: name(number), is_draining });
            let partitions = holders
                .into_iter()
                .enumerate()
                .map(|(number, holder)| (PartitionId(number as u16 + 1), held_by(holder.map(name))));
            (members.collect(), partitions.collect())
        })
    }

    fn held_by(holder: Option<HolderId>) -> Standing {
        Standing { holder, preferred: None }
    }

    fn count(plan: &Plan, holder: &HolderId) -> usize {
        plan.values().filter(|planned| *planned == holder).count()
    }

    proptest! {
        #[test]
        fn everybody_gets_a_fair_share((members, partitions) in situations()) {
            let plan = plan(&members, &partitions);
            let takers: Vec<_> = members.iter().filter(|member| !member.is_draining).collect();
            prop_assume!(!takers.is_empty());
            prop_assert_eq!(plan.len(), partitions.len(), "nothing is left over");
            for member in &members {
                let (count, share) = (count(&plan, &member.holder), partitions.len() / takers.len());
                if member.is_draining {
                    prop_assert_eq!(count, 0);
                } else {
                    prop_assert!(count == share || count == share + 1, "{} of {}", count, share);
                }
            }
        }

        #[test]
        fn nothing_moves_without_need((members, partitions) in situations()) {
            let planned = plan(&members, &partitions);
            let takers: Vec<_> = members.iter().filter(|member| !member.is_draining).collect();
            prop_assume!(!takers.is_empty());
            let moved = |taker: &Member| partitions.iter()
                .filter(|(id, one)| one.holder.as_ref() == Some(&taker.holder) && planned[id] != taker.holder)
                .count();
            for taker in &takers {
                let held = partitions.values().filter(|one| one.holder.as_ref() == Some(&taker.holder)).count();
                let surplus = held.saturating_sub(count(&planned, &taker.holder));
                prop_assert_eq!(moved(taker), surplus, "gives only what is above its share");
            }
        }

        #[test]
        fn the_order_of_rows_does_not_matter((mut members, partitions) in situations()) {
            let before = plan(&members, &partitions);
            members.reverse();
            prop_assert_eq!(before, plan(&members, &partitions));
        }

        /// Hand-overs happen one by one, and each changes what the others see.
        #[test]
        fn following_the_plan_step_by_step_ends(
            (members, mut partitions) in situations(), wishes in prop::collection::vec(0_usize..9, 0..4), seed in any::<usize>(),
        ) {
            prop_assume!(members.iter().any(|member| !member.is_draining));
            for (standing, wish) in partitions.values_mut().zip(wishes) {
                standing.preferred = Some(name(wish));
            }
            for step in 0..=partitions.len() * 2 {
                let planned = plan(&members, &partitions);
                let is_open = |id: &PartitionId, holder: &HolderId| partitions[id].holder.as_ref() != Some(holder);
                let open: Vec<_> = planned.iter().filter(|(id, holder)| is_open(id, holder)).collect();
                if open.is_empty() {
                    return Ok(());
                }
                let (id, holder) = open[(seed ^ step) % open.len()];
                let is_alive = |holder: &HolderId| members.iter().any(|member| member.holder == *holder);
                let is_free = partitions[id].holder.as_ref().is_none_or(|holder| !is_alive(holder));
                let next = is_free.then(|| holder.clone());
                partitions.get_mut(id).expect("planned").holder = next;
            }
            prop_assert!(false, "it goes on for ever");
        }
    }

    #[test]
    fn a_wish_is_fulfilled_within_the_share() {
        let members = [0, 1].map(|number| Member { holder: name(number), is_draining: false });
        let mut partitions = BTreeMap::new();
        for id in 1..=4_u16 {
            partitions.insert(PartitionId(id), held_by(Some(name(usize::from(id > 2)))));
        }
        partitions.get_mut(&PartitionId(1)).expect("there").preferred = Some(name(1));
        let planned = plan(&members, &partitions);
        assert_eq!(planned[&PartitionId(1)], name(1));
        assert_eq!((count(&planned, &name(0)), count(&planned, &name(1))), (2, 2));
    }

    #[test]
    fn who_drains_alone_keeps_what_it_has() {
        let members = [Member { holder: name(0), is_draining: true }];
        let partitions =
            BTreeMap::from([(PartitionId(1), held_by(Some(name(0)))), (PartitionId(2), held_by(None))]);
        assert_eq!(plan(&members, &partitions), Plan::from([(PartitionId(1), name(0))]));
    }
}
