//! Rows of service timers as texts of which the order is that of the rows.

use crate::error::damaged;
use serde::{Deserialize, Serialize};
use tidemill_store::Result;
use tidemill_timers::block::{Kind, PlaceId, Scope};
use tidemill_timers::shard::{BlockId, BlockRow, DeliveryId, DeliveryRow, Pause, Place, PlaceState};
use tidemill_timers::{Position, Slot};

/// Behind every text that begins with the same digits.
pub(crate) const BEHIND: char = 'g';

pub(crate) fn hex(number: i64) -> String {
    format!("{:016x}", number as u64 ^ 1 << 63)
}

fn from_hex(digits: &str) -> Option<i64> {
    Some((u64::from_str_radix(digits, 16).ok()? ^ 1 << 63) as i64)
}

pub(crate) fn level_text(level: u8) -> String {
    format!("{level:02x}")
}

pub(crate) fn slot_text(slot: Slot) -> String {
    format!("{}{}", level_text(slot.level), hex(slot.number))
}

pub(crate) fn kind_text(slot: Slot, kind: Kind) -> String {
    format!("{}{:02x}", slot_text(slot), kind as u8)
}

pub(crate) fn block_text(id: &BlockId) -> String {
    format!("{}{}{:08x}", kind_text(id.slot, id.kind), hex(id.batch), id.n)
}

/// A block without its data.
#[derive(Clone, Copy)]
pub(crate) struct BlockHead {
    pub(crate) id: BlockId,
    pub(crate) first_key: i64,
    pub(crate) last_key: i64,
    pub(crate) count: u32,
    pub(crate) bytes: u64,
}

impl BlockHead {
    pub(crate) fn text(row: &BlockRow) -> String {
        let BlockRow { id, first_key, last_key, count, data } = row;
        format!("{}:{first_key}:{last_key}:{count}:{}", block_text(id), data.len())
    }

    pub(crate) fn parse(text: &str) -> Result<BlockHead> {
        BlockHead::parts(text).ok_or_else(|| damaged("blocks", format!("'{text}' is no block")))
    }

    fn parts(text: &str) -> Option<BlockHead> {
        let mut parts = text.split(':');
        let id = parts.next()?;
        let slot =
            Slot { level: u8::from_str_radix(id.get(..2)?, 16).ok()?, number: from_hex(id.get(2..18)?)? };
        let kind = Kind::from_code(u8::from_str_radix(id.get(18..20)?, 16).ok()?)?;
        let n = u32::from_str_radix(id.get(36..44)?, 16).ok()?;
        Some(BlockHead {
            id: BlockId { slot, kind, batch: from_hex(id.get(20..36)?)?, n },
            first_key: parts.next()?.parse().ok()?,
            last_key: parts.next()?.parse().ok()?,
            count: parts.next()?.parse().ok()?,
            bytes: parts.next()?.parse().ok()?,
        })
    }

    pub(crate) fn with(self, data: Vec<u8>) -> BlockRow {
        let BlockHead { id, first_key, last_key, count, .. } = self;
        BlockRow { id, first_key, last_key, count, data }
    }
}

pub(crate) fn lane_text(lane: u32) -> String {
    format!("{lane:08x}")
}

pub(crate) fn delivery_text(id: &DeliveryId) -> String {
    format!("{}{}{:08x}", lane_text(id.lane), hex(id.batch), id.n)
}

/// A row of deliveries without its data.
#[derive(Clone, Copy)]
pub(crate) struct DeliveryHead {
    pub(crate) id: DeliveryId,
    pub(crate) first_key: i64,
    pub(crate) count: u32,
}

impl DeliveryHead {
    pub(crate) fn text(row: &DeliveryRow) -> String {
        format!("{}:{}:{}", delivery_text(&row.id), row.first_key, row.count)
    }

    pub(crate) fn parse(text: &str) -> Result<DeliveryHead> {
        DeliveryHead::parts(text).ok_or_else(|| damaged("deliveries", format!("'{text}' is no delivery")))
    }

    fn parts(text: &str) -> Option<DeliveryHead> {
        let mut parts = text.split(':');
        let id = parts.next()?;
        let lane = u32::from_str_radix(id.get(..8)?, 16).ok()?;
        let n = u32::from_str_radix(id.get(24..32)?, 16).ok()?;
        let id = DeliveryId { lane, batch: from_hex(id.get(8..24)?)?, n };
        Some(DeliveryHead { id, first_key: parts.next()?.parse().ok()?, count: parts.next()?.parse().ok()? })
    }

    pub(crate) fn with(self, data: Vec<u8>) -> DeliveryRow {
        let DeliveryHead { id, first_key, count } = self;
        DeliveryRow { id, first_key, count, data }
    }
}

pub(crate) fn place_field(id: PlaceId) -> String {
    format!("{:032x}", id.0)
}

/// The key comes first: functions look at it.
pub(crate) fn place_text(place: &Place) -> String {
    let Place { key, due_ms, id_due_ms, generation, state, .. } = place;
    format!("{key} {due_ms} {id_due_ms} {generation} {}", state.code())
}

pub(crate) fn read_place(field: &str, text: &str) -> Result<Place> {
    let place = || {
        let mut parts = text.split(' ');
        Some(Place {
            id: PlaceId(u128::from_str_radix(field, 16).ok()?),
            key: parts.next()?.parse().ok()?,
            due_ms: parts.next()?.parse().ok()?,
            id_due_ms: parts.next()?.parse().ok()?,
            generation: parts.next()?.parse().ok()?,
            state: PlaceState::from_code(parts.next()?.parse().ok()?)?,
        })
    };
    place().ok_or_else(|| damaged("places", format!("'{text}' is no place")))
}

pub(crate) fn pause_text(pause: &Pause) -> String {
    format!("{} {} {}", pause.since.due_ms, pause.since.key, u8::from(pause.is_resuming))
}

pub(crate) fn read_pause(text: &str) -> Result<Pause> {
    let pause = || {
        let mut parts = text.split(' ');
        let since = Position::new(parts.next()?.parse().ok()?, parts.next()?.parse().ok()?);
        Some(Pause { since, is_resuming: parts.next()? == "1" })
    };
    pause().ok_or_else(|| damaged("timer-namespaces", format!("'{text}' is no pause")))
}

/// As JSON, because names may have any characters.
pub(crate) fn scope_field(scope: &Scope) -> String {
    serde_json::to_string(&[&scope.tenant, &scope.namespace]).expect("texts always have a JSON form")
}

pub(crate) fn read_scope(field: &str) -> Result<Scope> {
    let [tenant, namespace]: [String; 2] =
        serde_json::from_str(field).map_err(|error| damaged("timer-namespaces", error))?;
    Ok(Scope { tenant, namespace })
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredTarget {
    pub(crate) hash: String,
    pub(crate) lane: u32,
    pub(crate) data: Vec<u8>,
}

#[derive(Serialize, Deserialize)]
pub(crate) struct StoredFailure {
    pub(crate) at_ms: i64,
    pub(crate) reason: String,
    pub(crate) data: Vec<u8>,
}

tidemill_store::packed!(StoredTarget, StoredFailure);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_of_texts_is_that_of_rows() {
        let numbers = [i64::MIN, -5, 0, 7, i64::MAX];
        assert!(numbers.map(hex).is_sorted());
        assert_eq!(numbers.map(|number| from_hex(&hex(number)).expect("hex")), numbers);
        let id = BlockId { slot: Slot { level: 2, number: -3 }, kind: Kind::Paused, batch: 9, n: 4 };
        let row = BlockRow { id, first_key: -1, last_key: 5, count: 2, data: vec![1, 2] };
        let head = BlockHead::parse(&BlockHead::text(&row)).expect("reads");
        assert_eq!(head.with(row.data.clone()), row);
    }
}
