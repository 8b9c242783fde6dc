//! What happens when the store fails: the fate of the batch in flight is settled first, then commands run again
//! or are put aside. Memory is built anew, because it holds what was not written.

use super::Partition;
use super::execute::Executed;
use super::take::{Source, Work};
use super::turn::Turn;
use std::collections::VecDeque;
use std::time::{Duration, Instant};
use tidemill_store::{BatchId, Error, Result};

/// Pause between tries to reach a store that does not answer.
const RETRY_PAUSE: Duration = Duration::from_millis(500);

/// Why the loop cannot simply go on.
pub(super) enum Halt {
    /// A batch was not written, or nobody knows.
    Batch { turn: Box<Turn>, id: BatchId, error: Error },
    /// Something could not be read.
    Store(Error),
}

impl From<Error> for Halt {
    fn from(error: Error) -> Halt {
        Halt::Store(error)
    }
}

/// A piece of the loop's work that may find the store out of order.
pub(super) type Step<T> = std::result::Result<T, Halt>;

impl Partition {
    /// Afterwards memory is what the store holds, and the commands whose effects are not there wait to run.
    pub(super) async fn settle(&mut self, halt: Halt) -> Result<()> {
        let halt = match halt {
            // Whatever could not be read, the batch on its way comes first.
            Halt::Store(error) => match self.written().await {
                Ok(()) => Halt::Store(error),
                Err(failed) => failed,
            },
            failed => failed,
        };
        self.reopen();
        match halt {
            Halt::Batch { turn, error: Error::Refused { culprit, reason }, .. } => {
                if let Err(error) = self.rebuild(None).await {
                    // Who has lost the partition may be refused what its successor has written.
                    let again = self.take_back(turn.executed, is_sent);
                    self.put_first(again);
                    return Err(error);
                }
                self.suspect(*turn, &Error::Refused { culprit, reason });
            }
            Halt::Batch { turn, id, error } => {
                tracing::warn!(partition = %self.id, %error, "a batch is to be settled");
                self.settle_batch(*turn, id, error).await?;
            }
            Halt::Store(error) => {
                tracing::warn!(partition = %self.id, %error, "the store failed");
                may_pass(error)?;
                self.rebuild(None).await?;
            }
        }
        Ok(())
    }

    /// Sends the answers of a batch that is there after all; otherwise its commands run again, here or under another
    /// owner: who has lost the partition knows the fate of the batch as well.
    async fn settle_batch(&mut self, turn: Turn, id: BatchId, error: Error) -> Result<()> {
        let rebuilt = match may_pass(error) {
            Ok(()) => self.rebuild(Some(id)).await,
            Err(error) => Err(error),
        };
        let is_there = match &rebuilt {
            Ok(is_there) => *is_there,
            Err(Error::Fenced { .. }) => self.has_landed(id).await?,
            // Nobody knows.
            Err(_) => return rebuilt.map(drop),
        };
        if is_there {
            self.wake_others(&turn);
            self.take_effect(turn);
        } else {
            let again = self.take_back(turn.executed, is_sent);
            self.put_first(again);
        }
        rebuilt.map(drop)
    }

    /// Whether a batch is there, for who has lost the partition: its successor has waited for what was in flight.
    async fn has_landed(&self, batch: BatchId) -> Result<bool> {
        loop {
            match self.store.has_batch(self.id, batch).await {
                Ok(is_there) => return Ok(is_there),
                Err(error) => {
                    tracing::debug!(partition = %self.id, %error, "waiting for the store");
                    may_pass(error)?;
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    /// Takes the partition again, which waits for whatever is in flight, and builds memory from the store. Tells
    /// whether the batch is there: if not, it never will be.
    async fn rebuild(&mut self, batch: Option<BatchId>) -> Result<bool> {
        loop {
            match self.try_rebuild(batch).await {
                Ok(is_there) => return Ok(is_there),
                Err(error) => {
                    // The node tells once that the store is gone.
                    tracing::debug!(partition = %self.id, %error, "waiting for the store");
                    may_pass(error)?;
                    tokio::time::sleep(RETRY_PAUSE).await;
                }
            }
        }
    }

    async fn try_rebuild(&mut self, batch: Option<BatchId>) -> Result<bool> {
        let fenced = Error::Fenced { partition: self.id, epoch: self.fence.epoch };
        let asked_at = Instant::now();
        let owned = self.store.acquire(self.id, &self.holder, self.lease_ms).await?.ok_or(fenced)?;
        self.lease.renewed(asked_at);
        let is_there = match batch {
            Some(batch) => self.store.has_batch(self.id, batch).await?,
            None => false,
        };
        self.begin(owned).await?;
        Ok(is_there)
    }

    /// Nothing that the open batch has done counts; what it was asked for waits again. Entries of the inbox and
    /// what has become due are found again, but for those that are to be run one by one.
    fn reopen(&mut self) {
        let open = std::mem::take(&mut self.open);
        let mut again = self.take_back(open.executed, is_sent);
        let (alone, rest): (Vec<_>, Vec<_>) =
            open.queue.into_iter().enumerate().partition(|(number, _)| *number < self.alone);
        let alone: VecDeque<Work> = alone.into_iter().map(|(_, work)| work).collect();
        again.extend(rest.into_iter().map(|(_, work)| work).filter(is_sent));
        self.open.queue = alone;
        self.open.queue.append(&mut again);
        self.inbox_is_dirty = true;
        self.on_trial = None;
    }

    /// The store refuses a row of the batch: each command gets a batch of its own, and the one that cannot be
    /// stored is put aside. The last to be suspected are workers that were handed jobs.
    fn suspect(&mut self, turn: Turn, error: &Error) {
        let (pollers, commands): (Vec<_>, Vec<_>) =
            turn.executed.into_iter().partition(|one| matches!(one.work.source, Source::Poller(_)));
        let works = self.take_back(commands, |_| true);
        if works.is_empty() || works.len() == 1 && pollers.is_empty() {
            let culprits = pollers.into_iter().map(|one| one.work).chain(works);
            culprits.for_each(|work| self.put_aside_telling(work, error.to_string(), error.for_clients()));
            return;
        }
        self.take_back(pollers, |_| false);
        self.alone += works.len();
        self.put_first(works);
    }

    fn put_first(&mut self, mut works: VecDeque<Work>) {
        works.append(&mut self.open.queue);
        self.open.queue = works;
    }

    /// The commands of a batch that is void. Pollers wait again; what followed from commands will follow again.
    fn take_back(&mut self, executed: Vec<Executed>, wanted: fn(&Work) -> bool) -> VecDeque<Work> {
        let mut works = VecDeque::new();
        for Executed { work, .. } in executed {
            match work.source {
                Source::Poller(poller) => {
                    poller.claim.give_back();
                    self.pollers.put_back(poller);
                }
                Source::FollowUp => {}
                _ if wanted(&work) => works.push_back(work),
                _ => {}
            }
        }
        works
    }
}

/// Some failures end by themselves; with others the partition cannot go on here.
fn may_pass(error: Error) -> Result<()> {
    if error.is_fatal() || matches!(error, Error::Fenced { .. }) { Err(error) } else { Ok(()) }
}

/// Whether somebody sent the command and would send it only once.
fn is_sent(work: &Work) -> bool {
    matches!(work.source, Source::Client { .. } | Source::Awaiting { .. })
}
