//! The callers of a partition: the core knows them by number, this is the way back to them.

use super::call::{AwaitReply, PartitionCall, Watcher};
use crate::broker::CommandError;
use rustc_hash::FxHashMap;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use tidemill_model::{ActivatedJob, Answer};
use tidemill_partition::{CallId, Callers, Effect};
use tokio::sync::{Notify, mpsc, oneshot};

/// Callers before the table is searched for those who have left.
const CALLS_BEFORE_CLEANING: usize = 4_096;
const UNPOISONED: &str = "nobody panics while holding it";

pub(super) enum Caller {
    Command(oneshot::Sender<Result<Answer, CommandError>>),
    Awaiting {
        noted: Option<oneshot::Sender<()>>,
        reply: AwaitReply,
    },
    Worker {
        reply: oneshot::Sender<Result<Vec<ActivatedJob>, CommandError>>,
        claim: Claim,
        is_claimed: bool,
    },
    Watcher(Watcher),
    /// Wants to hear of something once.
    Listener(oneshot::Sender<()>),
}

impl Caller {
    fn is_waiting(&self) -> bool {
        match self {
            Caller::Command(reply) => !reply.is_closed(),
            Caller::Awaiting { reply, .. } => !reply.ended.is_closed(),
            Caller::Worker { reply, .. } => !reply.is_closed(),
            Caller::Watcher(reply) => !reply.is_closed(),
            Caller::Listener(reply) => !reply.is_closed(),
        }
    }
}

/// A worker may wait at several partitions, but only one of them may serve it.
#[derive(Clone, Default)]
pub(crate) struct Claim(Arc<ClaimState>);

#[derive(Default)]
struct ClaimState {
    is_taken: AtomicBool,
    /// Partitions that would have served the worker while another had claimed it.
    missed_by: Mutex<Vec<mpsc::WeakSender<PartitionCall>>>,
    given_back: Notify,
}

impl Claim {
    /// True for the first who takes it.
    pub(crate) fn take(&self) -> bool {
        !self.0.is_taken.swap(true, Ordering::AcqRel)
    }

    /// There was nothing to serve after all: partitions that have missed the worker look again.
    pub(crate) fn give_back(&self) {
        self.0.is_taken.store(false, Ordering::Release);
        let missed_by = std::mem::take(&mut *self.0.missed_by.lock().expect(UNPOISONED));
        for partition in missed_by.iter().filter_map(mpsc::WeakSender::upgrade) {
            // A partition whose queue is full looks at its workers anyway.
            let _ = partition.try_send(PartitionCall::PollerIsFree);
        }
        self.0.given_back.notify_waiters();
    }

    /// As `take`; whoever comes too late waits until the claim is given back. That never happens once the worker is served.
    pub(crate) async fn take_when_free(&self) {
        loop {
            let mut given_back = pin!(self.0.given_back.notified());
            // It counts as waiting from here on, so that nothing is missed between the look and the wait.
            given_back.as_mut().enable();
            if self.take() {
                return;
            }
            given_back.await;
        }
    }

    /// As `take`; whoever comes too late is told when the claim is given back.
    fn take_or_wait(&self, partition: &mpsc::WeakSender<PartitionCall>) -> bool {
        if self.take() {
            return true;
        }
        let mut missed_by = self.0.missed_by.lock().expect(UNPOISONED);
        // It may have been given back before this partition was on the list.
        if self.take() {
            return true;
        }
        missed_by.push(partition.clone());
        false
    }
}

pub(super) struct CallTable {
    calls: FxHashMap<CallId, Caller>,
    next: u64,
    clean_at: usize,
    /// The way to this partition.
    requests: mpsc::WeakSender<PartitionCall>,
}

impl CallTable {
    pub(super) fn new(requests: mpsc::WeakSender<PartitionCall>) -> CallTable {
        CallTable { calls: FxHashMap::default(), next: 0, clean_at: CALLS_BEFORE_CLEANING, requests }
    }

    pub(super) fn add(&mut self, caller: Caller) -> CallId {
        if self.calls.len() >= self.clean_at {
            self.calls.retain(|_, caller| caller.is_waiting());
            self.clean_at = CALLS_BEFORE_CLEANING.max(self.calls.len() * 2);
        }
        self.next += 1;
        self.calls.insert(CallId(self.next), caller);
        CallId(self.next)
    }

    /// Tells a caller what has happened. A caller that has left needs no answer.
    pub(super) fn tell(&mut self, effect: Effect) {
        match effect {
            Effect::Answer { call, result } => {
                if let Some(Caller::Command(reply)) = self.calls.remove(&call) {
                    let _ = reply.send(result);
                }
            }
            Effect::Created { call, instance } => {
                if let Some(Caller::Awaiting { reply, .. }) = self.calls.get(&call) {
                    let _ = reply.created.set(instance);
                }
            }
            Effect::Ended { call, result } => {
                if let Some(Caller::Awaiting { reply, .. }) = self.calls.remove(&call) {
                    let _ = reply.ended.send(result);
                }
            }
            Effect::Jobs { call, result } => {
                if let Some(Caller::Worker { reply, claim, is_claimed }) = self.calls.remove(&call)
                    && (is_claimed || claim.take())
                {
                    let _ = reply.send(result);
                }
            }
            Effect::JobsMayBeThere { call, result } => {
                if let Some(Caller::Watcher(reply)) = self.calls.remove(&call) {
                    let _ = reply.send(result);
                }
            }
            Effect::Noted { call } => self.note(call),
            Effect::Wake(_) | Effect::DefinitionsAt(_) | Effect::Deployed(_) | Effect::SuspectsAreDone => {}
        }
    }

    fn note(&mut self, call: CallId) {
        match self.calls.get_mut(&call) {
            Some(Caller::Awaiting { noted, .. }) => {
                if let Some(noted) = noted.take() {
                    let _ = noted.send(());
                }
            }
            Some(Caller::Listener(_)) => {
                if let Some(Caller::Listener(reply)) = self.calls.remove(&call) {
                    let _ = reply.send(());
                }
            }
            _ => {}
        }
    }
}

impl Callers for CallTable {
    fn is_waiting(&self, call: CallId) -> bool {
        self.calls.get(&call).is_some_and(Caller::is_waiting)
    }

    fn claim(&mut self, call: CallId) -> bool {
        match self.calls.get_mut(&call) {
            Some(Caller::Worker { claim, is_claimed, .. }) => {
                *is_claimed = *is_claimed || claim.take_or_wait(&self.requests);
                *is_claimed
            }
            _ => false,
        }
    }

    fn release(&mut self, call: CallId) {
        if let Some(Caller::Worker { claim, is_claimed, .. }) = self.calls.get_mut(&call)
            && std::mem::take(is_claimed)
        {
            claim.give_back();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Claim;
    use futures_util::FutureExt;
    use std::pin::pin;

    #[test]
    fn a_claim_that_is_given_back_goes_to_whoever_waits_for_it() {
        let claim = Claim::default();
        assert!(claim.take());
        let (mut first, mut second) = (pin!(claim.take_when_free()), pin!(claim.take_when_free()));
        assert!(first.as_mut().now_or_never().is_none() && second.as_mut().now_or_never().is_none());
        claim.give_back();
        assert!(first.as_mut().now_or_never().is_some());
        assert!(second.as_mut().now_or_never().is_none(), "one source serves the worker");
        claim.give_back();
        assert!(second.as_mut().now_or_never().is_some());
    }
}
