//! One lane: reads its rows, makes calls of them as its host lets it, and settles each row when all of its timers are through.

use super::call::{Call, Finished};
use super::gate::Permit;
use super::lanes::{Shared, Signal, TRY_AGAIN};
use super::reply::Verdict;
use super::row::{Item, Row};
use super::take_back::TakeBack;
use crate::timers::handle::TimerError;
use crate::timers::spec::{StoredTarget, TargetAddress};
use futures_util::future::BoxFuture;
use std::collections::{BTreeSet, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;
use tidemill_timers::block::{Block, Entry, decode};
use tidemill_timers::shard::{Answer, DeliveryId, DeliveryRow, Request, Settle};
use tokio::task::JoinSet;

/// Timers that a lane has in hand at most; a row more if that is large.
const ENTRIES_MAX: usize = 8_192;
/// A page of rows.
const PAGE_ENTRIES: usize = 4_096;
/// Between two questions to a timer loop that does not answer.
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// A lane without deliveries is kept for so long.
const IDLE_LIMIT: Duration = Duration::from_secs(10);

pub(super) struct Lane {
    pub(super) shared: Arc<Shared>,
    pub(super) lane: u32,
    signal: Arc<Signal>,
    /// The last row that was read.
    pub(super) after: Option<DeliveryId>,
    is_at_end: bool,
    pub(super) rows: HashMap<DeliveryId, Row>,
    entries: usize,
    bytes: usize,
    /// Calls that wait for their turn.
    pub(super) ready: VecDeque<Call>,
    pub(super) entering: Option<BoxFuture<'static, Permit>>,
    calls: JoinSet<Finished>,
    settles: JoinSet<(DeliveryId, Result<Answer, TimerError>)>,
    /// Timers that somebody wants back, once rows that are being written are there.
    pub(super) wanted: Vec<TakeBack>,
}

impl Lane {
    pub(super) fn new(shared: Arc<Shared>, lane: u32, signal: Arc<Signal>) -> Lane {
        Lane {
            shared,
            lane,
            signal,
            after: None,
            is_at_end: false,
            rows: HashMap::new(),
            entries: 0,
            bytes: 0,
            ready: VecDeque::new(),
            entering: None,
            calls: JoinSet::new(),
            settles: JoinSet::new(),
            wanted: Vec::new(),
        }
    }

    /// Runs until there is nothing to do.
    pub(super) async fn run(mut self) {
        loop {
            self.take_back().await;
            while !self.is_at_end && self.has_room() {
                self.load().await;
            }
            if self.rows.is_empty() && self.is_at_end {
                // A page may have come to its end while somebody rang.
                if tokio::time::timeout(IDLE_LIMIT, self.signal.notify.notified()).await.is_err()
                    && self.shared.leave(self.lane, &self.signal)
                {
                    return;
                }
                self.is_at_end = false;
                continue;
            }
            self.step().await;
        }
    }

    async fn step(&mut self) {
        self.enter();
        let entering = async {
            match self.entering.as_mut() {
                Some(entering) => entering.await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            biased;
            Some(finished) = self.calls.join_next() => match finished {
                Ok(finished) => self.finished(finished),
                Err(error) => {
                    tracing::error!(%error, "a callback broke off; its lane begins anew");
                    self.begin_anew().await;
                }
            },
            Some(settled) = self.settles.join_next() => match settled {
                Ok((id, Ok(Answer::All(_) | Answer::Done))) => self.settled(id),
                _ => self.begin_anew().await,
            },
            permit = entering => self.begin(permit),
            () = self.signal.notify.notified() => self.is_at_end = false,
        }
    }

    /// Waits for the turn of the first call.
    fn enter(&mut self) {
        let Some(first) = self.ready.front().filter(|_| self.entering.is_none()) else { return };
        let (callbacks, origin) = (self.shared.context.callbacks.clone(), first.origin.clone());
        self.entering = Some(Box::pin(async move { callbacks.gate.enter(&origin).await }));
    }

    fn begin(&mut self, permit: Permit) {
        self.entering = None;
        let Some(call) = self.ready.pop_front() else { return };
        let (callbacks, telling) = (self.shared.context.callbacks.clone(), self.shared.telling());
        self.calls.spawn(async move {
            let finished = call.make(&callbacks, &telling).await;
            permit.note(finished.was_answered);
            finished
        });
    }

    fn finished(&mut self, Finished { call, verdicts, .. }: Finished) {
        let now_ms = (self.shared.context.now_ms)();
        for (item, verdict) in call.items.iter().zip(verdicts) {
            self.note(item, Some(&call.target), verdict, now_ms);
        }
    }

    fn note(&mut self, item: &Item, target: Option<&StoredTarget>, verdict: Verdict, now_ms: i64) {
        let Some(row) = self.rows.get_mut(&item.row) else { return };
        if let Some(settle) = row.note(item, target, verdict, now_ms) {
            self.settle(settle);
        }
    }

    pub(super) fn settle(&mut self, settle: Arc<Settle>) {
        let (timers, id) = (self.shared.context.timers.clone(), settle.row);
        self.settles.spawn(async move { (id, timers.request(Request::Settle(settle)).await) });
    }

    fn settled(&mut self, id: DeliveryId) {
        if let Some(mut row) = self.rows.remove(&id) {
            row.was_settled();
            self.entries -= row.entries;
            self.bytes -= row.bytes;
            self.shared.gave_back(row.bytes);
        }
    }

    fn has_room(&self) -> bool {
        self.entries < ENTRIES_MAX && self.shared.has_room(self.bytes)
    }

    async fn load(&mut self) {
        let context = &self.shared.context;
        let page = context.store.deliveries(context.partition, self.lane, self.after, PAGE_ENTRIES).await;
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                tracing::warn!(lane = self.lane, %error, "deliveries could not be read; they are read again");
                return tokio::time::sleep(TRY_AGAIN).await;
            }
        };
        self.is_at_end = page.is_last;
        for row in page.rows {
            let id = row.id;
            if let Err(error) = self.take(row).await {
                tracing::warn!(lane = self.lane, %error, "targets could not be read; they are read again");
                self.is_at_end = false;
                return tokio::time::sleep(TRY_AGAIN).await;
            }
            self.after = Some(id);
        }
    }

    /// Makes calls of a row.
    async fn take(&mut self, row: DeliveryRow) -> tidemill_store::Result<()> {
        let entries = match decode(&row.data) {
            Ok(Block::Entries(entries)) => entries,
            other => {
                let error = other.err().map(|error| error.to_string()).unwrap_or_default();
                tracing::error!(lane = self.lane, id = ?row.id, %error, "deliveries cannot be read and stay where they are");
                return Ok(());
            }
        };
        let ids: BTreeSet<u32> = entries.iter().map(|entry| entry.target).collect();
        let targets = self.shared.targets(ids.into_iter().collect()).await?;
        let bytes: usize = entries.iter().map(Entry::bytes).sum();
        self.rows.insert(row.id, Row::new(row.id, entries.len(), bytes));
        self.entries += entries.len();
        self.bytes += bytes;
        self.shared.took(bytes);
        for entry in entries {
            let (target_id, item) = (entry.target, Item::new(row.id, entry));
            match targets.get(&target_id) {
                Some(target) => self.add(target_id, target, item),
                None => {
                    let reason = "its target is not known".to_owned();
                    let now_ms = (self.shared.context.now_ms)();
                    self.note(&item, None, Verdict::GiveUp { reason }, now_ms);
                }
            }
        }
        Ok(())
    }

    /// Joins the last call that waits, if that has room and goes to the same target.
    fn add(&mut self, target_id: u32, target: &Arc<StoredTarget>, item: Item) {
        let (origin, items_max) = match &target.address {
            TargetAddress::Http { origin, batch, .. } => {
                (origin.as_str(), batch.map_or(1, |batch| batch as usize))
            }
            _ => ("", 1),
        };
        let last = self.ready.back_mut();
        match last.filter(|call| call.target_id == target_id && call.items.len() < call.items_max) {
            Some(call) => call.items.push(item),
            None => {
                let (target, origin) = (target.clone(), origin.into());
                self.ready.push_back(Call { target_id, target, origin, items: vec![item], items_max });
            }
        }
    }

    /// Forgets everything in hand, and reads it again: nobody knows here what was settled. A node that may no
    /// longer write must not deliver either, so the timer loop is asked first.
    async fn begin_anew(&mut self) {
        // The room of what was in hand is given back when that is dropped.
        *self = Lane::new(self.shared.clone(), self.lane, self.signal.clone());
        let nothing = DeliveryId { lane: self.lane, batch: 0, n: 0 };
        let mut pause = TRY_AGAIN;
        loop {
            tokio::time::sleep(pause).await;
            match self.shared.context.timers.request(Request::Delivered(nothing)).await {
                Ok(Answer::Done) => return,
                _ => pause = (2 * pause).min(LONGEST_PAUSE),
            }
        }
    }
}

impl Drop for Lane {
    fn drop(&mut self) {
        self.shared.gave_back(self.bytes);
    }
}
