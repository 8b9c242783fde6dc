//! The state of the server as of the last beat: whether it may be written to, how much memory is left, and what operators
//! should know.

use crate::entry::read;
use crate::options::Durability;
use crate::settings;
use crate::store::RedisStore;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};
use tidemill_store::{Error, Result, Room};

/// From this part of `maxmemory` on nothing new begins.
const FULL_PERCENT: u64 = 90;
/// History goes before its time when more than this part is used.
const CROWDED_PERCENT: u64 = 50;
/// Troubles that last are told again.
const TELL_EVERY: Duration = Duration::from_secs(600);

#[derive(Default)]
pub(crate) struct Health(Mutex<State>);

#[derive(Default)]
struct State {
    /// Why nothing may be written, if so.
    refusal: Option<String>,
    memory: Memory,
    told: Option<(Instant, Vec<String>)>,
}

#[derive(Clone, Copy, Default, PartialEq, Eq, Debug)]
pub(crate) struct Memory {
    pub(crate) used: u64,
    /// 0 for no limit.
    pub(crate) max: u64,
}

impl Memory {
    fn percent(self) -> u64 {
        self.used.saturating_mul(100).checked_div(self.max).unwrap_or_default()
    }

    fn room(self) -> Room {
        match self.percent() {
            FULL_PERCENT.. => Room::Full,
            CROWDED_PERCENT.. => Room::Crowded,
            _ => Room::Enough,
        }
    }
}

impl Health {
    fn state(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self, troubles: Vec<String>) {
        let mut state = self.state();
        let is_known =
            state.told.as_ref().is_some_and(|(at, told)| *told == troubles && at.elapsed() < TELL_EVERY);
        if !is_known {
            troubles.iter().for_each(|trouble| tracing::warn!("{trouble}"));
            state.told = Some((Instant::now(), troubles));
        }
    }
}

impl RedisStore {
    /// With each beat: settings may have been changed, and memory fills.
    pub(crate) async fn look_at_server(&self) -> Result<()> {
        let checked = settings::check(&self.reads, &self.place, &self.options).await;
        let refusal = match &checked {
            Err(Error::Failed { reason, .. }) => Some(reason.clone()),
            _ => None,
        };
        let is_new = std::mem::replace(&mut self.health.state().refusal, refusal.clone()) != refusal;
        if let (true, Some(reason)) = (is_new, &refusal) {
            tracing::error!("nothing is written until the settings of Redis are right again: {reason}");
        }
        checked?;
        self.look_at_memory().await?;
        self.health.tell(self.all_troubles());
        Ok(())
    }

    pub(crate) async fn look_at_memory(&self) -> Result<()> {
        let text: String = read(self.read(redis::cmd("INFO").arg("memory")).await?)?;
        self.health.state().memory =
            Memory { used: figure(&text, "used_memory"), max: figure(&text, "maxmemory") };
        Ok(())
    }

    /// Fails where an answer would mean nothing.
    pub(crate) fn check_writable(&self) -> Result<()> {
        match &self.health.state().refusal {
            Some(reason) => Err(Error::Unavailable { place: self.place.clone(), reason: reason.clone() }),
            None => Ok(()),
        }
    }

    pub(crate) fn room_left(&self) -> Room {
        self.health.state().memory.room()
    }

    pub(crate) fn all_troubles(&self) -> Vec<String> {
        let durability = match self.options.durability {
            Durability::Always => None,
            Durability::EverySecond => Some(
                "Redis syncs its file every second only (--redis-durability everysec): a power cut loses what was \
                 answered in the last one"
                    .to_owned(),
            ),
            Durability::Trusted => Some(
                "nobody has checked how Redis keeps what it answers (--redis-durability trusted): its operator vouches \
                 for it"
                    .to_owned(),
            ),
        };
        let memory = self.health.state().memory;
        let full = (memory.room() == Room::Full).then(|| {
            format!(
                "{} % of maxmemory is used, so nothing new begins from {FULL_PERCENT} % on: raise maxmemory, or keep \
                 less history",
                memory.percent()
            )
        });
        durability.into_iter().chain(full).collect()
    }
}

/// A figure of the text that INFO gives; 0 where it is not there.
pub(crate) fn figure(text: &str, name: &str) -> u64 {
    let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
    value.and_then(|value| value.trim().parse().ok()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn room_is_what_is_left_of_the_limit() {
        let room = |used, max| Memory { used, max }.room();
        assert_eq!(room(u64::MAX, 0), Room::Enough, "without a limit there is room");
        assert_eq!([room(49, 100), room(50, 100)], [Room::Enough, Room::Crowded]);
        assert_eq!([room(899, 1_000), room(900, 1_000)], [Room::Crowded, Room::Full]);
    }

    #[test]
    fn figures_are_read_by_their_whole_name() {
        let text = "# Memory\r\nused_memory_rss:7\r\nused_memory:5\r\nmaxmemory_policy:noeviction\r\nmaxmemory:9\r\n";
        assert_eq!((figure(text, "used_memory"), figure(text, "maxmemory"), figure(text, "x")), (5, 9, 0));
    }
}
