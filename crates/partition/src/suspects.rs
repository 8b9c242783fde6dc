//! Finds the command that brings down its process. Nobody can tell a killed machine from a command that
//! kills, so evidence is gathered. For ten minutes after a predecessor that died, the owner notes in the
//! store what it is about to run. A command that was noted and not written when the owner died is a suspect.
//! It runs alone: an owner that dies then has died of it, and it is put aside. While it waits for rows or is
//! written, which may take long, the note says that it does not run.

use crate::pollers::Poller;
use crate::queued::{CommandSource, QueuedCommand};
use rustc_hash::{FxHashMap, FxHashSet};
use serde::{Deserialize, Serialize};
use tidemill_model::{Command, Timestamp};
use tidemill_store::BatchId;

/// The time for which an owner is cautious after its predecessor died, and for which a suspicion lasts. A command that kills comes back
/// soon: clients retry, and entries and timers are read again at once.
const CAUTIOUS_FOR_MS: u64 = 10 * 60 * 1_000;
/// Deaths with a command in hand after which it is put aside. The first death of all was not noted; at the second
/// one it was one of many, at the third it was alone.
const DEATHS_MAX: u32 = 2;
/// Deaths in all after which it is put aside, those included at which it was alone and did not run: to write it may kill too, but
/// who waits long for the store is often hit by chance.
const DEATHS_AT_REST_MAX: u32 = 5;

/// By what a command is recognized after a death.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, Debug)]
pub enum Mark {
    Inbox(i64),
    Timer(i64),
    /// A command of a client, by its content: the client may send the same again, without a mark of its own.
    Content(u64),
}

impl Mark {
    pub(crate) fn of(queued: &QueuedCommand) -> Mark {
        match &queued.source {
            CommandSource::Inbox { position, .. } => Mark::Inbox(position.0),
            CommandSource::Timer(position) => Mark::Timer(position.key),
            _ => Mark::of_content(&queued.command),
        }
    }

    /// FNV-1a over the command as it is stored, which is the same in every process.
    pub(crate) fn of_content(command: &Command) -> Mark {
        let bytes = tidemill_store::pack(command).into_iter();
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Mark::Content(hash)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
struct Suspicion {
    /// While it was one of many, or ran alone.
    deaths: u32,
    /// While it was alone, and waited for rows or was written.
    #[serde(default)]
    deaths_at_rest: u32,
    last_at: Timestamp,
}

/// The note that the store keeps for the next owner.
#[derive(Serialize, Deserialize, Default)]
struct Note {
    /// The batch that `in_hand` is about to become. If it is there, they have done no harm.
    batch: i64,
    in_hand: Vec<Mark>,
    /// Those in hand are alone, and wait for rows or are written.
    #[serde(default)]
    is_at_rest: bool,
    suspects: Vec<(Mark, Suspicion)>,
}

tidemill_store::packed!(Note);

/// The batch that a note speaks of: whoever takes the partition looks whether it was written.
pub fn noted_batch(note: &[u8]) -> Option<BatchId> {
    tidemill_store::unpack::<Note>(note).ok().map(|note| BatchId(note.batch))
}

/// The commands that a note speaks of. A simulator finds out by it whether a command was put aside for good reason.
pub fn noted_marks(note: &[u8]) -> Vec<Mark> {
    tidemill_store::unpack::<Note>(note).map(|note| note.in_hand).unwrap_or_default()
}

/// The command of this reason was put aside because it was in hand at deaths.
pub fn is_for_deaths(reason: &str) -> bool {
    reason == self::reason()
}

/// The stage that a cautious owner has reached with the commands that it has noted.
#[derive(Debug, Default)]
pub(crate) enum Stage {
    /// Nothing runs.
    #[default]
    Idle,
    /// The note is on its way; then this runs.
    Noting(Share),
    Running(Share),
    /// A suspect that runs alone waits for rows, and a note of that is on its way.
    NotingRest(Share),
    /// The note is there, and the suspect waits.
    Resting(Share),
    /// A suspect has run alone, and a note of that is on its way: then it is written.
    NotingEnd,
    /// The commands have run and are to be written before anything else runs, or their note would cover commands that it does not name.
    Writing,
    /// The note is being taken back.
    Clearing,
}

/// The commands or workers that run under one note.
#[derive(Debug)]
pub(crate) enum Share {
    /// So many commands of the queue.
    Commands(usize),
    /// The workers that wait, but for these, who wait until the others are served.
    Pollers { held_back: Vec<Poller> },
}

#[derive(Default)]
pub(crate) struct Suspects {
    /// By the steady clock.
    cautious_until_ms: Option<u64>,
    known: FxHashMap<Mark, Suspicion>,
    /// The marks of the last note.
    in_hand: Vec<Mark>,
    /// The store holds a note.
    is_noted: bool,
    pub(crate) stage: Stage,
    /// Workers are served before the next commands, because something has changed for them: each try costs a note.
    pub(crate) pollers_are_next: bool,
}

impl Suspects {
    /// Follows what the predecessor has left. `has_landed`: the batch that it had in hand is in the store.
    pub(crate) fn open(
        note: Option<&[u8]>,
        was_released: bool,
        has_landed: bool,
        now: Timestamp,
        elapsed_ms: u64,
    ) -> Suspects {
        let mut suspects = Suspects::default();
        if let Some(note) = note.and_then(|note| tidemill_store::unpack::<Note>(note).ok()) {
            suspects.follow(note, !was_released, has_landed, now);
        }
        if !was_released || !suspects.known.is_empty() || suspects.is_noted {
            suspects.cautious_until_ms = Some(elapsed_ms + CAUTIOUS_FOR_MS);
        }
        if was_released && suspects.known.is_empty() {
            // There is only a note to take back.
            suspects.cautious_until_ms = suspects.is_noted.then_some(elapsed_ms);
        }
        suspects
    }

    fn follow(&mut self, note: Note, has_died: bool, has_landed: bool, now: Timestamp) {
        self.is_noted = true;
        self.known = note.suspects.into_iter().collect();
        // Several clients may have sent the same; it has been there at one death all the same.
        let in_hand: FxHashSet<Mark> = note.in_hand.into_iter().collect();
        for mark in in_hand {
            if has_landed {
                self.known.remove(&mark);
            } else if has_died {
                let suspicion = Suspicion { deaths: 0, deaths_at_rest: 0, last_at: now };
                let suspicion = self.known.entry(mark).or_insert(suspicion);
                suspicion.deaths += u32::from(!note.is_at_rest);
                suspicion.deaths_at_rest += u32::from(note.is_at_rest);
                suspicion.last_at = now;
            }
        }
        self.forget_old(now);
    }

    fn forget_old(&mut self, now: Timestamp) {
        let oldest = now + -(CAUTIOUS_FOR_MS as i64);
        self.known.retain(|_, suspicion| suspicion.last_at > oldest);
    }

    pub(crate) fn is_cautious(&self) -> bool {
        self.cautious_until_ms.is_some()
    }

    pub(crate) fn is_suspect(&self, mark: Mark) -> bool {
        self.known.contains_key(&mark)
    }

    pub(crate) fn has_killed_too_often(&self, mark: Mark) -> bool {
        self.known.get(&mark).is_some_and(|suspicion| {
            suspicion.deaths >= DEATHS_MAX
                || suspicion.deaths + suspicion.deaths_at_rest >= DEATHS_AT_REST_MAX
        })
    }

    /// The number of commands from the first that may run together: those that nobody suspects, or one suspect alone.
    pub(crate) fn share(&self, marks: &[Mark]) -> usize {
        match marks.iter().position(|mark| self.is_suspect(*mark)) {
            Some(0) => 1,
            Some(unsuspected) => unsuspected,
            None => marks.len(),
        }
    }

    /// These are about to run, to become this batch. Gives the note, and whether they must run alone in this process.
    pub(crate) fn begin(&mut self, marks: Vec<Mark>, batch: BatchId) -> (Option<Vec<u8>>, bool) {
        let is_alone = marks.iter().any(|mark| self.is_suspect(*mark));
        self.in_hand = marks;
        (self.note(batch, false), is_alone)
    }

    /// The noted commands have run, or wait. Gives the note that says so where a suspect is alone.
    pub(crate) fn rest(&mut self, batch: BatchId) -> Option<Vec<u8>> {
        let is_alone = self.in_hand.iter().any(|mark| self.is_suspect(*mark));
        if is_alone { self.note(batch, true) } else { None }
    }

    /// Commands that have rested go on.
    pub(crate) fn go_on(&mut self, batch: BatchId) -> Option<Vec<u8>> {
        self.note(batch, false)
    }

    fn note(&mut self, batch: BatchId, is_at_rest: bool) -> Option<Vec<u8>> {
        self.is_noted = !self.in_hand.is_empty() || !self.known.is_empty();
        let mut suspects: Vec<_> = self.known.iter().map(|(mark, suspicion)| (*mark, *suspicion)).collect();
        // The same knowledge must give the same bytes, or a simulation could not be repeated.
        suspects.sort_unstable_by_key(|(mark, _)| *mark);
        let note = Note { batch: batch.0, in_hand: self.in_hand.clone(), is_at_rest, suspects };
        self.is_noted.then(|| tidemill_store::pack(&note))
    }

    /// Nobody has died: what was in hand is suspected no longer. Gives the note to be written, if the old one must not
    /// stay; a batch that was written makes the old one harmless.
    pub(crate) fn end(
        &mut self,
        was_written: bool,
        batch: BatchId,
        now: Timestamp,
        elapsed_ms: u64,
    ) -> Option<Option<Vec<u8>>> {
        for mark in std::mem::take(&mut self.in_hand) {
            self.known.remove(&mark);
        }
        if self.cautious_until_ms.is_some_and(|until| until <= elapsed_ms) {
            self.forget_old(now);
            if self.known.is_empty() {
                self.cautious_until_ms = None;
            }
        }
        // A note whose batch was written does no harm: the next owner finds the batch. Taking back every note
        // would cost one more write for each batch.
        let is_stale = self.is_noted && (!was_written || !self.is_cautious());
        is_stale.then(|| self.note(batch, false))
    }

    /// The caution is over and only has to be ended.
    pub(crate) fn is_overdue(&self, elapsed_ms: u64) -> bool {
        self.cautious_until_ms.is_some_and(|until| until <= elapsed_ms)
    }
}

pub(crate) fn reason() -> String {
    "Expected to run the command, but the server has died each time it ran this one. It was put aside; whoever sends \
     it again within ten minutes is refused"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn note(in_hand: &[Mark], suspects: &[(Mark, u32)]) -> Vec<u8> {
        tidemill_store::pack(&Note {
            batch: 1,
            in_hand: in_hand.to_vec(),
            is_at_rest: false,
            suspects: suspects.iter().map(|(mark, deaths)| (*mark, suspicion(*deaths))).collect(),
        })
    }

    fn suspicion(deaths: u32) -> Suspicion {
        Suspicion { deaths, deaths_at_rest: 0, last_at: NOW }
    }

    fn deaths(suspects: &Suspects, mark: Mark) -> u32 {
        suspects.known.get(&mark).map_or(0, |suspicion| suspicion.deaths)
    }

    #[test]
    fn who_dies_while_a_suspect_rests_may_have_died_of_something_else() {
        let mark = Mark::Content(7);
        let mut note = note(&[mark], &[(mark, DEATHS_MAX - 1)]);
        let deaths_at_rest = DEATHS_AT_REST_MAX - (DEATHS_MAX - 1);
        for death in 1..=deaths_at_rest {
            let mut suspects = Suspects::open(Some(&note), true, false, NOW, 0);
            assert!(!suspects.has_killed_too_often(mark), "death {death}");
            assert!(suspects.begin(vec![mark], BatchId(1)).1);
            note = suspects.rest(BatchId(1)).expect("it is alone");
            let next = Suspects::open(Some(&note), false, false, NOW, 0);
            assert_eq!(next.has_killed_too_often(mark), death == deaths_at_rest, "death {death}");
            note = { next }.note(BatchId(2), false).expect("it is suspected");
        }
    }

    #[test]
    fn what_was_in_hand_at_a_death_runs_alone_and_then_no_more() {
        let (bad, good) = (Mark::Timer(1), Mark::Inbox(2));
        let suspects = Suspects::open(Some(&note(&[bad, good], &[])), false, false, NOW, 0);
        assert!(suspects.is_cautious());
        assert_eq!(suspects.share(&[Mark::Inbox(3), Mark::Inbox(4), bad]), 2);
        assert_eq!(suspects.share(&[bad, good, Mark::Inbox(3)]), 1);
        let note = note(&[bad], &[(bad, DEATHS_MAX - 1), (good, 1)]);
        let suspects = Suspects::open(Some(&note), false, false, NOW, 0);
        assert!(suspects.has_killed_too_often(bad) && !suspects.has_killed_too_often(good));
    }

    #[test]
    fn what_several_clients_have_sent_counts_once_for_a_death() {
        let mark = Mark::Content(7);
        let suspects = Suspects::open(Some(&note(&[mark, mark, mark], &[])), false, false, NOW, 0);
        assert_eq!(deaths(&suspects, mark), 1);
    }

    #[test]
    fn what_was_written_or_given_up_is_not_suspected() {
        let mark = Mark::Content(7);
        let open = |note: &[u8], was_released, has_landed, now| {
            deaths(&Suspects::open(Some(note), was_released, has_landed, now, 0), mark)
        };
        assert_eq!(open(&note(&[mark], &[(mark, 1)]), false, true, NOW), 0);
        assert_eq!(open(&note(&[mark], &[]), true, false, NOW), 0, "the predecessor has not died");
        assert_eq!(open(&note(&[], &[(mark, 1)]), false, false, NOW + 700_000), 0, "ten minutes have passed");
    }

    #[test]
    fn caution_ends_after_its_time_and_takes_its_note_back() {
        let mut suspects = Suspects::open(None, false, false, NOW, 5);
        let (noted, is_alone) = suspects.begin(vec![Mark::Timer(1)], BatchId(3));
        assert!(noted.is_some() && !is_alone);
        assert_eq!(suspects.end(true, BatchId(4), NOW, 10), None, "the batch makes the note harmless");
        suspects.begin(vec![Mark::Timer(2)], BatchId(4));
        let cleared = suspects.end(true, BatchId(5), NOW + 600_005, 600_005);
        assert_eq!(cleared, Some(None));
        assert!(!suspects.is_cautious());
    }

    #[test]
    fn a_note_that_a_clean_stop_has_left_is_taken_back() {
        let mut suspects = Suspects::open(Some(&note(&[Mark::Timer(1)], &[])), true, false, NOW, 5);
        assert!(suspects.is_overdue(5));
        assert_eq!(suspects.end(false, BatchId(9), NOW, 5), Some(None));
        assert!(!suspects.is_cautious());
        assert!(!Suspects::open(None, true, false, NOW, 5).is_cautious());
    }
}
