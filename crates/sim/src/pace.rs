//! The way of a node to the store: calls take their time, and some of them, or of their answers, get lost.

use crate::models::NEWER_MARK;
use crate::world::World;
use async_trait::async_trait;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::Entity;
use tidemill_model::entity::ProcessXml;
use tidemill_store::{Error, Loaded, Result};
use tidemill_store_memory::Pace;

/// Each way, while the store is slow: together less than a lease of a partition, and more than many leases of jobs.
const SLOW_MS_MAX: u64 = 900;

pub(crate) struct SimPace {
    pub(crate) world: Arc<World>,
    pub(crate) member: usize,
    /// The node cannot read all definitions.
    pub(crate) is_old: bool,
}

impl SimPace {
    fn is_slow(&self) -> bool {
        self.world.members()[self.member].store_is_slow_until > self.world.now_ms()
    }

    /// Mostly at once, sometimes slow, seldom so slow that leases run out meanwhile.
    async fn travel(&self, call: &str) {
        let delay_ms = if call == "commit" { self.world.commit_delay_ms.load(Ordering::Relaxed) } else { 0 };
        let ms = match self.world.below(100) {
            _ if self.is_slow() => self.world.between(50, SLOW_MS_MAX),
            0..70 => self.world.below(3),
            70..98 => self.world.below(12),
            _ if self.world.is_struck(50) => self.world.between(500, 8_000),
            _ => self.world.below(80),
        };
        tokio::time::sleep(Duration::from_millis(ms + delay_ms)).await;
    }

    fn check(&self) -> Result<()> {
        let until = self.world.members()[self.member].store_is_away_until;
        if until <= self.world.now_ms() {
            return Ok(());
        }
        Err(unreachable())
    }
}

fn unreachable() -> Error {
    Error::Unavailable { place: "the memory".to_owned(), reason: "the way to it is cut".to_owned() }
}

#[async_trait]
impl Pace for SimPace {
    async fn arrive(&self, call: &'static str) -> Result<()> {
        self.travel(call).await;
        self.world.note(|| format!("node {} calls {call}", self.member));
        self.check()
    }

    async fn depart(&self, call: &'static str) -> Result<()> {
        self.travel(call).await;
        let is_lost = self.check().is_err() || self.world.is_struck(3);
        if !is_lost {
            return Ok(());
        }
        self.world.note(|| format!("node {} does not hear of its {call}", self.member));
        let is_read = !matches!(
            call,
            "commit" | "append" | "acquire" | "renew" | "release" | "announce" | "note_in_hand"
        );
        if is_read {
            return Err(unreachable());
        }
        Err(Error::OutcomeUnknown { reason: "the connection to the memory was lost".to_owned() })
    }

    fn bring(&self, loaded: &mut [Loaded]) {
        if !self.is_old {
            return;
        }
        for entity in loaded.iter_mut().flat_map(|loaded| &mut loaded.entities) {
            if let Entity::ProcessXml(file) = entity
                && file.xml.contains(NEWER_MARK)
            {
                // As a file that holds an element which this version does not know.
                let xml = file.xml.replace("<bpmn:endEvent", "<bpmn:transaction id=\"x\"/><bpmn:endEvent");
                *entity = Entity::from(Arc::new(ProcessXml { xml: xml.into(), ..(**file).clone() }));
            }
        }
    }
}
