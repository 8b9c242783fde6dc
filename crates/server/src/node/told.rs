//! Tells the log who has come, who has gone, and which partitions have moved from whom to whom. It goes by what the store says, so every
//! node tells the same.

use super::routes::View;
use std::collections::{BTreeMap, BTreeSet};
use tidemill_model::PartitionId;
use tidemill_store::HolderId;

/// The state of things that the log knows.
#[derive(Default)]
pub(super) struct Told {
    is_begun: bool,
    nodes: BTreeSet<HolderId>,
    /// The last holder of each partition, also while nobody has it.
    holders: BTreeMap<PartitionId, HolderId>,
}

/// Partitions that went the same way.
#[derive(PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Move {
    from: Option<HolderId>,
    to: HolderId,
}

/// The changes since the last look.
#[derive(Default, PartialEq, Eq, Debug)]
struct News {
    joined: Vec<HolderId>,
    gone: Vec<HolderId>,
    moves: BTreeMap<Move, Vec<PartitionId>>,
}

impl Told {
    /// `addresses` are those of the view before, which knows nodes that are gone by now.
    pub(super) fn tell(&mut self, view: &View, addresses: &BTreeMap<HolderId, String>) {
        let news = self.look(view);
        let name = |holder: &HolderId| match view.address(holder).or_else(|| addresses.get(holder)) {
            Some(address) => format!("{holder} at {address}"),
            None => holder.to_string(),
        };
        for holder in &news.joined {
            tracing::info!(node = name(holder), "a node has joined");
        }
        for holder in &news.gone {
            tracing::info!(node = name(holder), "a node is gone; the others take its partitions over");
        }
        for (Move { from, to }, partitions) in &news.moves {
            let partitions: Vec<String> = partitions.iter().map(ToString::to_string).collect();
            let from = from.as_ref().map_or("nobody".to_owned(), name);
            tracing::info!(partitions = partitions.join(","), from, to = name(to), "partitions have moved");
        }
    }

    fn look(&mut self, view: &View) -> News {
        let mut news = News::default();
        let nodes: BTreeSet<HolderId> = view.nodes.iter().map(|node| node.holder.clone()).collect();
        if self.is_begun {
            news.joined = nodes.difference(&self.nodes).cloned().collect();
            news.gone = self.nodes.difference(&nodes).cloned().collect();
        }
        self.nodes = nodes;
        for state in view.partitions.values() {
            let Some(holder) = &state.holder else { continue };
            let before = self.holders.insert(state.partition, holder.clone());
            if self.is_begun && before.as_ref() != Some(holder) {
                let way = Move { from: before, to: holder.clone() };
                news.moves.entry(way).or_default().push(state.partition);
            }
        }
        self.is_begun = true;
        news
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_store::{NodeInfo, PartitionState};

    fn view(nodes: &[&str], holders: &[Option<&str>]) -> View {
        let info = |holder: &&str| NodeInfo {
            holder: HolderId::from(*holder),
            address: None,
            version: "1".to_owned(),
            is_draining: false,
        };
        let states = (1..).zip(holders).map(|(id, holder)| PartitionState {
            partition: PartitionId(id),
            holder: holder.map(HolderId::from),
            epoch: 1,
            expires_at: None,
            preferred: None,
        });
        View::of(nodes.iter().map(info).collect(), states.collect())
    }

    #[test]
    fn a_death_and_the_takeover_are_told_with_both_names() {
        let mut told = Told::default();
        assert_eq!(told.look(&view(&["a", "b"], &[Some("a"), Some("b")])), News::default());
        // Nobody has it for a while: that is no move yet.
        let news = told.look(&view(&["b"], &[None, Some("b")]));
        assert_eq!(news, News { gone: vec!["a".into()], ..News::default() });
        let news = told.look(&view(&["b"], &[Some("b"), Some("b")]));
        let way = Move { from: Some("a".into()), to: "b".into() };
        assert_eq!(news.moves, BTreeMap::from([(way, vec![PartitionId(1)])]));
        let news = told.look(&view(&["b", "c"], &[Some("c"), Some("b")]));
        assert_eq!(news.joined, [HolderId::from("c")]);
        let way = Move { from: Some("b".into()), to: "c".into() };
        assert_eq!(news.moves, BTreeMap::from([(way, vec![PartitionId(1)])]));
    }
}
