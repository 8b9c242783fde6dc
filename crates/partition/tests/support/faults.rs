//! The fates that a commit, a read or a recovery can have.

use super::{Bench, HERE, store};
use tidemill_model::{Command, EntityKind, Timestamp};
use tidemill_partition::{Closed, Event, Read, unpack_log};
use tidemill_store::{Committed, Culprit, Definitions, Error};

/// The fate of the batch in flight.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fate {
    Written,
    /// Nothing is written, and nobody knows.
    LostBefore,
    /// All is written, and nobody knows.
    LostAfter,
    /// The store refuses a row of it.
    Refused,
    /// The partition has another owner.
    Fenced,
    /// The store is damaged.
    Fatal,
}

pub fn failed_read() -> Event {
    Event::Failed(Error::Unavailable { place: "the store".into(), reason: "a test".into() })
}

impl Bench {
    /// The batch in flight meets its fate.
    #[track_caller]
    pub fn land(&mut self, fate: Fate) {
        let (closed, asked_ms) = self.closed.take().expect("a batch is in flight");
        let unknown = || Error::OutcomeUnknown { reason: "a test".into() };
        let result = match fate {
            Fate::Written => self.write(closed),
            Fate::LostBefore => Err(unknown()),
            Fate::LostAfter => self.write(closed).and_then(|_| Err(unknown())),
            Fate::Refused => {
                let culprit = Some(Culprit { kind: EntityKind::Job, key: 0 });
                Err(Error::Refused { culprit, reason: "a test".into() })
            }
            Fate::Fenced => Err(Error::Fenced { partition: HERE, epoch: 0 }),
            Fate::Fatal => Err(Error::Corrupt { place: "the store".into(), reason: "a test".into() }),
        };
        if result.is_ok() && self.commits_tell_time {
            self.store_tells(self.store_now(), asked_ms);
        }
        self.offer(Event::Landed(result));
    }

    fn write(&self, closed: Closed) -> Result<Committed, Error> {
        match closed {
            Closed::Commit(batch) => store::commit(&self.store, *batch),
            Closed::Confirm => store::confirm(&self.store, self.core.fence()).map(|now| Committed {
                definitions_version: self.moment.definitions_version,
                now: now.unwrap_or(Timestamp(self.store_now())),
            }),
        }
    }

    /// Everything up to the next batch in flight happens, and that meets its fate.
    #[track_caller]
    pub fn settle_then(&mut self, fate: Fate) {
        self.settle_unwritten();
        self.land(fate);
    }

    /// The recovery that is asked for ends like this: another node has the partition.
    #[track_caller]
    pub fn recovery_is_in_vain(&mut self, batch_is_there: Option<bool>) {
        self.turn();
        let at = self.reads.iter().position(|read| matches!(read, Read::Recovery { .. }));
        self.reads.remove(at.expect("a recovery is asked for"));
        let error = Error::Fenced { partition: HERE, epoch: 0 };
        let definitions_version =
            Some(store::now(self.store.definitions_version()).expect("the store works"));
        self.offer(Event::Lost { error, batch_is_there, definitions_version });
    }
}

impl Bench {
    /// The commands of the batch in flight; none where nothing is being written.
    pub fn commands_in_flight(&self) -> Option<Vec<Command>> {
        match &self.closed {
            Some((Closed::Commit(batch), _)) => Some(unpack_log(&batch.log).expect("it was packed so").0),
            _ => None,
        }
    }

    pub fn letters_in_flight(&self) -> usize {
        match &self.closed {
            Some((Closed::Commit(batch), _)) => batch.dead_letters.len(),
            _ => 0,
        }
    }

    /// The partition is given up: whoever still waits is told so.
    pub fn give_up(&mut self) {
        self.core.reject_pending();
        self.collect();
    }

    /// Runs without closing the batch.
    pub fn run_only(&mut self) {
        self.core.run(&self.moment, &mut self.callers);
        self.begin_reads();
        self.collect();
    }
}
