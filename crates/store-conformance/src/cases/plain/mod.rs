//! Random rows, and random searches over them: every store finds what the store in memory finds in plain Rust, in the
//! same order, on the same pages, with the same totals.

mod entities;
mod question;
mod world;

use crate::{Place, Session};
use entities::Searched;
use std::sync::Arc;
use tidemill_model::dice::Dice;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::Store;
use tidemill_store::query::*;
use tidemill_store_memory::Memory;
use world::World;

const WORLDS: u64 = 2;
const SEARCHES: usize = 40;

pub async fn searches_find_what_plain_ones_find(place: &dyn Place) {
    let store = place.open().await;
    let memory: Arc<dyn Store> = Arc::new(Memory::new(PartitionCount(super::PARTITIONS)).open());
    for seed in 1..=WORLDS {
        let mut dice = Dice::new(seed);
        // Shown with a failure.
        println!("world of seed {seed}");
        let (asked, known) = (
            Session::take(store.clone(), PartitionId::FIRST).await,
            Session::take(memory.clone(), PartitionId::FIRST).await,
        );
        let world = World::new(&asked.make, &mut dice, seed);
        for changes in &world.batches {
            asked.commit(changes.clone()).await;
            known.commit(changes.clone()).await;
        }
        let mut both = Both { asked: &*store, known: &*memory, world: &world, dice: &mut dice };
        both.compare_all().await;
        both.compare_statistics().await;
    }
}

struct Both<'b> {
    asked: &'b dyn Store,
    known: &'b dyn Store,
    world: &'b World,
    dice: &'b mut Dice,
}

impl Both<'_> {
    async fn compare<F: Searched>(&mut self) {
        let all = F::search(self.known, &Search::default()).await.items;
        assert!(!all.is_empty(), "a search over nothing shows nothing");
        let mut hits = 0;
        for _ in 0..SEARCHES {
            let mut search = question::search::<F>(self.dice, self.world, &all);
            hits += usize::from(self.same(&search).await.total > 0);
            search.page.limit = 1 + self.dice.below(6) as u32;
            search.page.start = PageStart::Offset(self.dice.below(8) as u32);
            self.same(&search).await;
            self.walk(&search).await;
        }
        assert!(hits > SEARCHES / 10, "only {hits} searches found something");
    }

    /// The answer of both, which is the same but for the cursors.
    async fn same<F: Searched>(&self, search: &Search<F>) -> Results<F::View> {
        let (asked, known) = (F::search(self.asked, search).await, F::search(self.known, search).await);
        assert_eq!(asked.items, known.items, "{search:?}");
        assert_eq!((asked.total, asked.has_more_total), (known.total, known.has_more_total), "{search:?}");
        asked
    }

    /// A few pages forward, and back to the beginning. Each store is led by its own cursors.
    async fn walk<F: Searched>(&self, search: &Search<F>) {
        let mut searches = [search.clone(), search.clone()];
        let mut is_forward = true;
        for step in 0..6 {
            let asked = F::search(self.asked, &searches[0]).await;
            let known = F::search(self.known, &searches[1]).await;
            assert_eq!(asked.items, known.items, "step {step} of {search:?}");
            assert_eq!(asked.total, known.total, "step {step} of {search:?}");
            is_forward &= step < 3;
            let cursors = |results: &Results<F::View>| match is_forward {
                true => results.end_cursor.clone().map(PageStart::After),
                false => results.start_cursor.clone().map(PageStart::Before),
            };
            let (Some(next), Some(known_next)) = (cursors(&asked), cursors(&known)) else { return };
            (searches[0].page.start, searches[1].page.start) = (next, known_next);
        }
    }

    async fn compare_statistics(&mut self) {
        let (asked, known) = (self.asked, self.known);
        assert_eq!(
            asked.process_statistics().await.expect("counts"),
            known.process_statistics().await.expect("counts")
        );
        assert_eq!(
            asked.error_statistics().await.expect("counts"),
            known.error_statistics().await.expect("counts")
        );
        for definition in &self.world.definitions {
            let filter = question::search::<ProcessInstanceField>(self.dice, self.world, &[]).filter;
            for filter in [Filter::default(), filter] {
                let counted = asked.definition_statistics(definition.key, &filter).await.expect("counts");
                let expected = known.definition_statistics(definition.key, &filter).await.expect("counts");
                assert_eq!(counted, expected, "{filter:?}");
            }
        }
    }
}
