//! Finds commands that kill the process. After a predecessor that died, the owner writes a note of the commands that it
//! is about to run. A command that was in the note when the process died runs alone next time. If the process dies
//! again, the command is put aside.

use super::Partition;
use super::settle::Step;
use super::take::{Source, Work};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::{Command, Timestamp};
use tidemill_store::{BatchId, Result};
use tokio::sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock};

/// How long an owner is cautious after a death, and how long a suspicion lasts.
const CAUTIOUS_FOR: Duration = Duration::from_secs(10 * 60);
/// Deaths with a command in hand after which it is put aside. The first death of all was not noted; at the second
/// one it was one of many, at the third it was alone.
const DEATHS_MAX: u32 = 2;

/// Held while commands run. A suspect runs while nothing else does in this process: who dies then has died of it.
pub(crate) type Trial = Arc<RwLock<()>>;

#[expect(dead_code, reason = "a guard is there to be held")]
pub(super) enum OnTrial {
    Together(OwnedRwLockReadGuard<()>),
    Alone(OwnedRwLockWriteGuard<()>),
}

/// By what a command is known again after a death.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, Debug)]
pub(super) enum Mark {
    Inbox(i64),
    Timer(i64),
    /// What a client has sent, by its content: it may be sent again.
    Content(u64),
}

impl Mark {
    fn of(work: &Work) -> Mark {
        match &work.source {
            Source::Inbox { position, .. } => Mark::Inbox(position.0),
            Source::Timer(position) => Mark::Timer(position.key.0),
            _ => Mark::of_content(&work.command),
        }
    }

    /// FNV-1a over the command as it is stored, which is the same in every process.
    pub(super) fn of_content(command: &Command) -> Mark {
        let bytes = tidemill_store::pack(command).into_iter();
        let hash = bytes
            .fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3));
        Mark::Content(hash)
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Serialize, Deserialize, Debug)]
struct Suspicion {
    deaths: u32,
    last_at: Timestamp,
}

/// What the store keeps for the next owner.
#[derive(Serialize, Deserialize, Default)]
struct Note {
    /// The batch that `in_hand` is about to become. If it is there, they have done no harm.
    batch: i64,
    in_hand: Vec<Mark>,
    suspects: Vec<(Mark, Suspicion)>,
}

#[derive(Default)]
pub(super) struct Suspects {
    cautious_until: Option<Instant>,
    known: HashMap<Mark, Suspicion>,
    /// What was noted last.
    in_hand: Vec<Mark>,
    /// The store holds a note.
    is_noted: bool,
}

impl Suspects {
    pub(super) fn is_cautious(&self) -> bool {
        self.cautious_until.is_some()
    }

    fn deaths(&self, mark: Mark) -> u32 {
        self.known.get(&mark).map_or(0, |suspicion| suspicion.deaths)
    }

    /// Follows the note of a predecessor. `has_landed`: the batch that it had in hand is in the store.
    fn follow(&mut self, note: Note, has_died: bool, has_landed: bool, now: Timestamp) {
        self.is_noted = true;
        self.known = note.suspects.into_iter().collect();
        // Several clients may have sent the same; it has been there at one death all the same.
        let in_hand: HashSet<Mark> = note.in_hand.into_iter().collect();
        for mark in in_hand {
            if has_landed {
                self.known.remove(&mark);
            } else if has_died {
                let suspicion = self.known.entry(mark).or_insert(Suspicion { deaths: 0, last_at: now });
                *suspicion = Suspicion { deaths: suspicion.deaths + 1, last_at: now };
            }
        }
        self.forget_old(now);
    }

    fn forget_old(&mut self, now: Timestamp) {
        let oldest = now + -(CAUTIOUS_FOR.as_millis() as i64);
        self.known.retain(|_, suspicion| suspicion.last_at > oldest);
    }

    fn note(&self, batch: BatchId) -> Vec<u8> {
        let suspects = self.known.iter().map(|(mark, suspicion)| (*mark, *suspicion)).collect();
        tidemill_store::pack(&Note { batch: batch.0, in_hand: self.in_hand.clone(), suspects })
    }

    /// How many of these may run together: those that nobody suspects, or one suspect alone.
    fn share(&self, marks: &[Mark]) -> usize {
        match marks.iter().position(|mark| self.deaths(*mark) > 0) {
            Some(0) => 1,
            Some(unsuspected) => unsuspected,
            None => marks.len(),
        }
    }
}

impl Partition {
    /// Reads what the predecessor had in hand.
    pub(super) async fn meet_suspects(&mut self, was_released: bool) -> Result<()> {
        let note = self.store.in_hand(self.id).await?;
        if let Some(note) = note.and_then(|note| tidemill_store::unpack::<Note>(&note).ok()) {
            let has_landed = self.store.has_batch(self.id, BatchId(note.batch)).await?;
            self.suspects.follow(note, !was_released, has_landed, self.clock.system());
        }
        if !was_released || !self.suspects.known.is_empty() {
            self.suspects.cautious_until = Some(Instant::now() + CAUTIOUS_FOR);
        } else if self.suspects.is_noted {
            self.note_in_hand(Vec::new()).await?;
        }
        Ok(())
    }

    /// Puts aside what has killed too often, notes what may run next and says how much of the queue that is.
    pub(super) async fn begin_cautiously(&mut self) -> Step<usize> {
        let queue = std::mem::take(&mut self.open.queue);
        for work in queue {
            if self.suspects.deaths(Mark::of(&work)) >= DEATHS_MAX {
                self.alone = self.alone.saturating_sub(1);
                self.put_aside(work, reason());
            } else {
                self.open.queue.push_back(work);
            }
        }
        let mut marks: Vec<Mark> = self.open.queue.iter().map(Mark::of).collect();
        marks.truncate(if self.alone > 0 { 1 } else { self.suspects.share(&marks) });
        let share = marks.len();
        self.begin_trial(marks).await?;
        Ok(share)
    }

    async fn begin_trial(&mut self, marks: Vec<Mark>) -> Step<()> {
        if marks.is_empty() {
            return Ok(());
        }
        let is_suspect = marks.iter().any(|mark| self.suspects.deaths(*mark) > 0);
        self.on_trial = None;
        self.on_trial = Some(match is_suspect {
            true => OnTrial::Alone(self.trial.clone().write_owned().await),
            false => OnTrial::Together(self.trial.clone().read_owned().await),
        });
        self.note_in_hand(marks).await?;
        Ok(())
    }

    /// Nobody has died: what was in hand is suspected no longer.
    pub(super) async fn end_trial(&mut self, was_written: bool) -> Step<()> {
        self.on_trial = None;
        for mark in std::mem::take(&mut self.suspects.in_hand) {
            self.suspects.known.remove(&mark);
        }
        let is_over = self.suspects.cautious_until.is_some_and(|until| until < Instant::now());
        if is_over {
            self.suspects.forget_old(self.clock.system());
            if self.suspects.known.is_empty() {
                self.suspects.cautious_until = None;
            }
        }
        if self.suspects.is_noted && (!was_written || !self.suspects.is_cautious()) {
            self.note_in_hand(Vec::new()).await?;
        }
        Ok(())
    }

    async fn note_in_hand(&mut self, marks: Vec<Mark>) -> Result<()> {
        self.suspects.in_hand = marks;
        let is_needed = !self.suspects.in_hand.is_empty() || !self.suspects.known.is_empty();
        let note = is_needed.then(|| self.suspects.note(self.next_batch));
        self.store.note_in_hand(&self.fence, note).await?;
        self.suspects.is_noted = is_needed;
        Ok(())
    }

    /// Workers that wait are served in a batch of their own, for handing out jobs may kill as well.
    pub(super) async fn serve_cautiously(&mut self) -> Step<()> {
        let working = &self.working;
        let pollers = self.pollers.take_out(|poller| working.has_waiting_jobs(&poller.command.job_type));
        let mut marks = Vec::new();
        let mut others = Vec::new();
        for poller in pollers {
            let command = Command::ActivateJobs(poller.command.clone());
            let mark = Mark::of_content(&command);
            match self.suspects.deaths(mark) {
                DEATHS_MAX.. if poller.claim.take() => {
                    self.put_aside(Work { command, source: Source::Poller(poller) }, reason());
                }
                DEATHS_MAX.. => others.push(poller),
                0 if marks.iter().all(|mark| self.suspects.deaths(*mark) == 0) => {
                    marks.push(mark);
                    self.pollers.add(poller);
                }
                1.. if marks.is_empty() => {
                    marks.push(mark);
                    self.pollers.add(poller);
                }
                _ => others.push(poller),
            }
        }
        let served = match self.begin_trial(marks).await {
            Ok(()) => self.serve_pollers().await,
            Err(halt) => Err(halt),
        };
        others.into_iter().for_each(|poller| self.pollers.add(poller));
        served
    }
}

fn reason() -> String {
    "Expected to run the command, but the server has died each time it ran this one. It was put aside; whoever sends \
     it again within ten minutes is refused"
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp(1_000_000_000);

    fn note(in_hand: &[Mark], suspects: &[(Mark, u32)]) -> Note {
        let suspicion = |(mark, deaths): &(Mark, u32)| (*mark, Suspicion { deaths: *deaths, last_at: NOW });
        Note { batch: 1, in_hand: in_hand.to_vec(), suspects: suspects.iter().map(suspicion).collect() }
    }

    #[test]
    fn what_was_in_hand_at_a_death_runs_alone_and_then_no_more() {
        let (bad, good) = (Mark::Timer(1), Mark::Inbox(2));
        let mut suspects = Suspects::default();
        suspects.follow(note(&[bad, good], &[]), true, false, NOW);
        assert_eq!(suspects.share(&[Mark::Inbox(3), Mark::Inbox(4), bad]), 2);
        assert_eq!(suspects.share(&[bad, good, Mark::Inbox(3)]), 1);
        suspects.follow(note(&[bad], &[(bad, 1), (good, 1)]), true, false, NOW);
        assert_eq!((suspects.deaths(bad), suspects.deaths(good)), (DEATHS_MAX, 1));
    }

    #[test]
    fn what_several_clients_have_sent_counts_once_for_a_death() {
        let mark = Mark::Content(7);
        let mut suspects = Suspects::default();
        suspects.follow(note(&[mark, mark, mark], &[]), true, false, NOW);
        assert_eq!(suspects.deaths(mark), 1);
    }

    #[test]
    fn what_was_written_or_given_up_is_not_suspected() {
        let mark = Mark::Content(7);
        let mut suspects = Suspects::default();
        suspects.follow(note(&[mark], &[(mark, 1)]), true, true, NOW);
        assert_eq!(suspects.deaths(mark), 0);
        suspects.follow(note(&[mark], &[]), false, false, NOW);
        assert_eq!(suspects.deaths(mark), 0, "the predecessor has not died");
        suspects.follow(note(&[], &[(mark, 1)]), true, false, NOW + 700_000);
        assert_eq!(suspects.deaths(mark), 0, "ten minutes have passed");
    }
}
