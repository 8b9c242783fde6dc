//! The schedule: a sorted set by due time. The row of a timer is in the hash of what it belongs to.

use crate::entry::read;
use crate::keys::{Keys, ordered};
use crate::library;
use crate::row::{read_timer_member, score, unpacked};
use crate::store::RedisStore;
use crate::writes::number;
use async_trait::async_trait;
use tidemill_model::{Entity, PartitionId, Timestamp};
use tidemill_store::{FiredTimers, Result, TimerPage, TimerPosition, TimerStore};

#[async_trait]
impl TimerStore for RedisStore {
    async fn timers(
        &self,
        partition: PartitionId,
        after: Option<TimerPosition>,
        until: Timestamp,
        limit: usize,
    ) -> Result<TimerPage> {
        let keys = self.keys(partition)?;
        let members = behind(self, keys, after, until, limit).await?;
        let mut pipeline = redis::pipe();
        for (member, _) in &members {
            if let Some((key, hash)) = read_timer_member(member) {
                pipeline.cmd("HGET").arg(keys.named(hash)).arg(format!("timer:{key}"));
            }
        }
        let mut timers = Vec::with_capacity(members.len());
        for answer in self.read_all(pipeline).await? {
            // A timer that went in between has no row any more.
            if let Some(bytes) = read::<Option<Vec<u8>>>(answer)?
                && let Entity::Timer(timer) = unpacked(&keys.timers(), &bytes)?
            {
                timers.push(timer);
            }
        }
        let horizon = match timers.last() {
            Some(last) if members.len() >= limit => TimerPosition::of(last),
            _ => TimerPosition::end_of(until),
        };
        Ok(TimerPage { timers, horizon })
    }
}

/// The places in the schedule of timers that have fired.
pub(crate) async fn members_in(store: &RedisStore, keys: &Keys, fired: &FiredTimers) -> Result<Vec<String>> {
    let FiredTimers { after, up_to } = *fired;
    let found = behind(store, keys, after, up_to.due_at, usize::MAX >> 16).await?;
    let has_fired = |(member, due): &(String, f64)| {
        let (last, key) = (score(up_to.due_at.0), read_timer_member(member).map_or(0, |(key, _)| key));
        *due < last.parse().unwrap_or(f64::MAX) || key <= up_to.key.0
    };
    Ok(found.into_iter().filter(has_fired).map(|(member, _)| member).collect())
}

async fn behind(
    store: &RedisStore,
    keys: &Keys,
    after: Option<TimerPosition>,
    until: Timestamp,
    limit: usize,
) -> Result<Vec<(String, f64)>> {
    let mut args = vec![number(limit), score(until.0).into_bytes()];
    if let Some(after) = after {
        args.extend([score(after.due_at.0), ordered(after.key.0)].map(String::into_bytes));
    }
    read(store.look(&library::call("behind", &[keys.timers()], &args)).await?)
}
