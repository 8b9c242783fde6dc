//! Cancelled timers whose delivery waits: they are taken back as long as nobody has begun to deliver them. Only the task of a lane knows
//! what has begun, so it is asked; and it says yes only when that is durable.

use super::lane::Lane;
use super::lanes::Shared;
use super::row::Item;
use crate::timers::handle::TimerError;
use crate::timers::spec::{LaneKind, lane_kind};
use std::collections::HashMap;
use std::sync::{Arc, Mutex};
use tidemill_timers::block::{Block, PlaceId, decode};
use tidemill_timers::shard::{Answer, DeliveryId, DeliveryRow, FIRST_KEPT_LANE, Request, Settle};
use tokio::sync::oneshot;

/// Deliveries that one request looks at, beside those in hand.
const SCANNED_MAX: usize = 100_000;
const PAGE_ENTRIES: usize = 4_096;

/// A timer that somebody wants back.
pub(super) struct TakeBack {
    place: PlaceId,
    taken: oneshot::Sender<bool>,
}

/// Requests that lanes have not looked at yet.
#[derive(Default)]
pub(super) struct TakeBacks {
    of_lanes: Mutex<HashMap<u32, Vec<TakeBack>>>,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl TakeBacks {
    fn add(&self, lane: u32, wanted: TakeBack) {
        self.of_lanes.lock().expect(UNPOISONED).entry(lane).or_default().push(wanted);
    }

    fn of(&self, lane: u32) -> Vec<TakeBack> {
        self.of_lanes.lock().expect(UNPOISONED).remove(&lane).unwrap_or_default()
    }
}

impl Shared {
    /// True if the delivery of this timer had not begun, and never will. Asks one lane after another.
    pub(super) async fn take_back(&self, place: PlaceId) -> Result<bool, TimerError> {
        let (store, partition) = (&self.context.store, self.context.partition);
        let mut from = FIRST_KEPT_LANE;
        loop {
            let lane = match store.next_lane(partition, from).await {
                Ok(Some(lane)) if lane_kind(lane) == LaneKind::Callbacks => lane,
                // Nobody knows what consumers of streams have read already.
                Ok(_) => return Ok(false),
                Err(_) => return Err(TimerError),
            };
            let (taken, answer) = oneshot::channel();
            self.take_backs.add(lane, TakeBack { place, taken });
            self.bell.ring([lane]);
            if answer.await.map_err(|_| TimerError)? {
                return Ok(true);
            }
            from = lane + 1;
        }
    }
}

impl Lane {
    /// Looks at what was asked since the last time.
    pub(super) async fn take_back(&mut self) {
        let mut asked = std::mem::take(&mut self.wanted);
        asked.extend(self.shared.take_backs.of(self.lane));
        for wanted in asked {
            if let Some(row) = self.find_waiting(wanted.place) {
                self.give_back(row, wanted);
            } else if self.rows.values().any(|row| row.is_given_back()) {
                // It may be among those that are on their way back to the lane.
                self.wanted.push(wanted);
            } else {
                let is_taken = self.take_back_stored(wanted.place).await;
                // A caller that has gone away does not want the answer.
                let _ = match is_taken {
                    Ok(is_taken) => wanted.taken.send(is_taken),
                    Err(TimerError) => Ok(()),
                };
            }
        }
    }

    /// The row of a timer that waits for its call.
    fn find_waiting(&self, place: PlaceId) -> Option<DeliveryId> {
        let mut items = self.ready.iter().flat_map(|call| &call.items);
        items.find(|item| item.place() == place).map(|item| item.row)
    }

    /// The row ends with the calls that are under way: the rest of it goes back to the lane, without the timer.
    fn give_back(&mut self, row: DeliveryId, TakeBack { place, taken }: TakeBack) {
        let mut returned = Vec::new();
        for call in &mut self.ready {
            let (of_row, others) =
                std::mem::take(&mut call.items).into_iter().partition(|item| item.row == row);
            call.items = others;
            returned.extend::<Vec<Item>>(of_row);
        }
        self.ready.retain(|call| !call.items.is_empty());
        // The first call that waits may be another one now, to another host.
        self.entering = None;
        let Some(row) = self.rows.get_mut(&row) else { return };
        let (wanted, returned): (Vec<Item>, Vec<Item>) =
            returned.into_iter().partition(|item| item.place() == place);
        if let Some(settle) = row.give_back(wanted.len(), returned, taken) {
            self.settle(settle);
        }
    }

    /// Looks into rows that are not in hand yet. A row that holds the timer is written anew without it.
    async fn take_back_stored(&mut self, place: PlaceId) -> Result<bool, TimerError> {
        let (mut after, mut scanned) = (self.after, 0);
        while scanned < SCANNED_MAX {
            let context = &self.shared.context;
            let page = context.store.deliveries(context.partition, self.lane, after, PAGE_ENTRIES).await;
            let page = page.map_err(|_| TimerError)?;
            for row in page.rows {
                (after, scanned) = (Some(row.id), scanned + row.count as usize);
                if let Some(settle) = without(&row, place) {
                    let answer = context.timers.request(Request::Settle(Arc::new(settle))).await?;
                    return if matches!(answer, Answer::All(_)) { Ok(true) } else { Err(TimerError) };
                }
            }
            if page.is_last {
                break;
            }
        }
        Ok(false)
    }
}

/// All of a row but the timer, if it is there.
fn without(row: &DeliveryRow, place: PlaceId) -> Option<Settle> {
    let Ok(Block::Entries(entries)) = decode(&row.data) else { return None };
    let count = entries.len();
    let items = entries.into_iter().map(|entry| Item::new(row.id, entry));
    let returned: Vec<_> = items.filter(|item| item.place() != place).map(|item| item.entry).collect();
    let is_there = returned.len() < count;
    is_there.then(|| Settle { row: row.id, retries: Vec::new(), failures: Vec::new(), returned })
}
