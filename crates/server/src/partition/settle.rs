//! What happens when a commit fails: the outcome is settled first, then the commands run again or are put
//! aside. Memory is built anew, because it holds what was not written.

use super::Partition;
use super::execute::Executed;
use super::take::{Source, Work};
use super::turn::Turn;
use std::time::Duration;
use tidemill_engine::Working;
use tidemill_store::{Error, Owned, Result};

/// Pause between tries to reach a store that does not answer.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

impl Partition {
    pub(super) async fn settle(&mut self, turn: Turn, error: Error) -> Result<()> {
        match error {
            Error::Refused { .. } => self.find_culprit(turn, error).await,
            Error::OutcomeUnknown { .. } => self.settle_unknown(turn).await,
            other => Err(other),
        }
    }

    /// The store refuses a row of the batch: each command runs in a batch of its own, and the one that cannot
    /// be stored is put aside.
    async fn find_culprit(&mut self, turn: Turn, error: Error) -> Result<()> {
        self.forget().await?;
        let mut works = self.take_back(turn.executed);
        let rest = Turn::remainder(turn.dead_letters);
        if works.len() == 1 {
            let mut turn = rest;
            let work = works.remove(0);
            self.put_aside(&mut turn, work, error.to_string());
            return Box::pin(self.run_and_commit(turn, Vec::new())).await;
        }
        Box::pin(self.run_and_commit(rest, Vec::new())).await?;
        for work in works {
            Box::pin(self.run_and_commit(Turn::default(), vec![work])).await?;
        }
        Ok(())
    }

    /// The commit may or may not have taken place. Taking the partition again waits for whatever is in flight;
    /// then the batch is there, or it never will be.
    async fn settle_unknown(&mut self, turn: Turn) -> Result<()> {
        let batch = self.next_batch;
        let owned = self.acquire_again().await?;
        let is_there = self.store.has_batch(self.id, batch).await?;
        self.begin(owned).await?;
        if is_there {
            self.take_effect(turn);
            return Ok(());
        }
        let rest = Turn::remainder(turn.dead_letters);
        let works = self.take_back(turn.executed);
        Box::pin(self.run_and_commit(rest, works)).await
    }

    async fn acquire_again(&mut self) -> Result<Owned> {
        loop {
            match self.store.acquire(self.id, &self.holder, self.lease_ms).await {
                Ok(Some(owned)) => return Ok(owned),
                Ok(None) => return Err(Error::Fenced { partition: self.id, epoch: self.fence.epoch }),
                Err(error) if error.is_fatal() => return Err(error),
                Err(error) => {
                    tracing::warn!(partition = %self.id, %error, "waiting for the store");
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    /// Drops what is in memory but not in the store.
    async fn forget(&mut self) -> Result<()> {
        let block = self.store.reserve_keys(&self.fence).await?;
        self.working = Working::new(self.id, self.count);
        self.working.reserve_keys(block.start, block.end);
        self.deadlines = Default::default();
        self.schedule = Default::default();
        self.load_leases().await
    }

    /// The commands that somebody sent; what the loop had found by itself, it will find again.
    fn take_back(&mut self, executed: Vec<Executed>) -> Vec<Work> {
        let mut works = Vec::new();
        for Executed { work, .. } in executed {
            match work.source {
                Source::Poller(poller) => {
                    poller.claim.give_back();
                    self.pollers.put_back(poller);
                }
                Source::FollowUp | Source::Leases | Source::Timer(_) => {}
                Source::Client { .. } | Source::Awaiting { .. } | Source::Inbox { .. } => works.push(work),
            }
        }
        works
    }
}
