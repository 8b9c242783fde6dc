//! Running commands after a predecessor that died. The owner notes commands in the store before they run, and writes their
//! batch before anything else runs.

use crate::core::Core;
use crate::pollers::Poller;
use crate::queued::{CommandSource, QueuedCommand};
use crate::reads::Read;
use crate::request::{Callers, Effect};
use crate::suspects::{Mark, Share, Stage, reason};
use crate::time::Moment;
use std::collections::VecDeque;
use tidemill_model::Command;

impl Core {
    /// Each stage but `Idle` and `Running` waits for the store, and the next run finds it where the store's answer has moved it.
    pub(crate) fn run_cautiously(&mut self, moment: &Moment, callers: &mut dyn Callers) {
        match std::mem::take(&mut self.suspects.stage) {
            Stage::Idle => self.begin_cautiously(moment, callers),
            Stage::Running(Share::Commands(left)) => self.run_share(left, moment),
            Stage::Running(Share::Pollers { held_back }) => {
                self.serve_pollers(moment, callers);
                let reads_rows = self.wanted.has_rows() || self.wanted.rows_under_way > 0;
                if reads_rows && !self.must_close() {
                    return self.wait_for_rows_of(Share::Pollers { held_back });
                }
                held_back.into_iter().for_each(|poller| self.pollers.add(poller));
                self.wrote_nothing_or_writes(moment);
            }
            Stage::Resting(share) => self.end_rest(share),
            stage => self.suspects.stage = stage,
        }
    }

    /// Puts aside what has killed too often, and notes what may run next.
    fn begin_cautiously(&mut self, moment: &Moment, callers: &mut dyn Callers) {
        if self.in_flight.is_some() || !self.open.is_empty() {
            return;
        }
        // While commands run one by one, nothing may join them: the store has refused one, and it must be found.
        if self.one_by_one == 0 {
            self.admit();
        }
        // This comes before anything is noted, because a killer must not even be in hand once more.
        self.put_aside_killers();
        if !self.open.is_empty() {
            return;
        }
        // Workers have a note of their own. In one note with commands, a death could not be told apart.
        if std::mem::take(&mut self.suspects.pollers_are_next) && self.begin_with_pollers(callers) {
            return;
        }
        // Nobody is served in this run, but those whose time is up must not wait for one that does.
        self.pollers.end_waits(moment.elapsed_ms, callers, &mut self.effects);
        let working = &self.working;
        self.pollers.tell_watchers(|job_type| working.has_waiting_jobs(job_type), &mut self.effects);
        if self.queue.is_empty() {
            if self.suspects.is_overdue(moment.elapsed_ms) {
                self.end_suspicion(false, moment);
            }
            return;
        }
        let mut marks: Vec<Mark> = self.queue.iter().map(Mark::of).collect();
        let share = if self.one_by_one > 0 { 1 } else { self.suspects.share(&marks) };
        marks.truncate(share);
        self.note(marks, Share::Commands(share));
    }

    fn put_aside_killers(&mut self) {
        let queue: VecDeque<QueuedCommand> = std::mem::take(&mut self.queue);
        let one_by_one = self.one_by_one;
        for (number, queued) in queue.into_iter().enumerate() {
            if self.suspects.has_killed_too_often(Mark::of(&queued)) {
                self.one_by_one -= usize::from(number < one_by_one);
                self.open.put_aside(queued, reason());
            } else {
                self.queue.push_back(queued);
            }
        }
    }

    /// Workers that wait are served under a note of their own, for handing out jobs may kill as well. False when there is
    /// nobody to serve.
    fn begin_with_pollers(&mut self, callers: &mut dyn Callers) -> bool {
        let working = &self.working;
        let pollers = self.pollers.take_out(|poller| working.has_waiting_jobs(&poller.command.job_type));
        let (mut marks, mut held_back): (Vec<Mark>, Vec<Poller>) = (Vec::new(), Vec::new());
        for poller in pollers {
            let command = Command::ActivateJobs(poller.command.clone());
            let mark = Mark::of_content(&command);
            let has_suspect = marks.iter().any(|mark| self.suspects.is_suspect(*mark));
            // A suspect is served alone, like a command that is suspected.
            let may_join = if self.suspects.is_suspect(mark) { marks.is_empty() } else { !has_suspect };
            // It is claimed first: another partition may be about to answer it.
            if self.suspects.has_killed_too_often(mark) && callers.claim(poller.call) {
                self.open.put_aside(QueuedCommand::new(command, CommandSource::Poller(poller)), reason());
            } else if may_join && !self.suspects.has_killed_too_often(mark) {
                marks.push(mark);
                self.pollers.add(poller);
            } else {
                held_back.push(poller);
            }
        }
        if marks.is_empty() {
            held_back.into_iter().for_each(|poller| self.pollers.add(poller));
            return !self.open.is_empty();
        }
        self.note(marks, Share::Pollers { held_back });
        true
    }

    fn note(&mut self, marks: Vec<Mark>, share: Share) {
        let (note, is_alone) = self.suspects.begin(marks, self.next_batch);
        // Nothing runs before the note is in the store: a death would leave no trace.
        self.note_wanted = Some(Read::Note { note, is_alone: Some(is_alone) });
        self.suspects.stage = Stage::Noting(share);
    }

    /// The note is in the store.
    pub(crate) fn noted(&mut self) {
        self.suspects.stage = match std::mem::take(&mut self.suspects.stage) {
            Stage::Noting(share) => Stage::Running(share),
            Stage::NotingRest(share) => Stage::Resting(share),
            Stage::NotingEnd => Stage::Writing,
            _ => Stage::Idle,
        };
    }

    fn run_share(&mut self, left: usize, moment: &Moment) {
        // They run in order, so that exactly the commands of the note run.
        let done = self.execute_queue(left, true);
        if self.one_by_one > 0 {
            self.one_by_one -= done.min(self.one_by_one);
        }
        let left = left - done;
        let waits = !self.open.follow_ups.is_empty()
            || left > 0 && self.queue.front().is_some_and(|queued| queued.waits_for.is_some());
        // A batch that has waited for enough reads is written; the rest runs under the next note.
        if waits && !self.open.is_full() && !self.must_close() {
            self.wait_for_rows_of(Share::Commands(left));
        } else {
            self.wrote_nothing_or_writes(moment);
        }
    }

    fn wrote_nothing_or_writes(&mut self, moment: &Moment) {
        if self.open.is_empty() {
            return self.end_suspicion(false, moment);
        }
        // There may be jobs that were not there before.
        self.suspects.pollers_are_next = true;
        self.suspects.stage = Stage::Writing;
        if let Some(note) = self.suspects.rest(self.next_batch) {
            self.note_wanted = Some(Read::Note { note: Some(note), is_alone: None });
            self.suspects.stage = Stage::NotingEnd;
        }
    }

    /// Those under the note wait for rows, which may take long: a suspect rests meanwhile.
    fn wait_for_rows_of(&mut self, share: Share) {
        self.suspects.stage = match self.suspects.rest(self.next_batch) {
            Some(note) => {
                self.note_wanted = Some(Read::Note { note: Some(note), is_alone: None });
                Stage::NotingRest(share)
            }
            None => Stage::Running(share),
        };
    }

    /// A suspect that has rested runs under a note again when its rows have come.
    fn end_rest(&mut self, share: Share) {
        let waits =
            self.open.follow_ups.iter().chain(self.queue.front()).any(|queued| queued.waits_for.is_some());
        if (waits || self.wanted.has_rows() || self.wanted.rows_under_way > 0) && !self.must_close() {
            self.suspects.stage = Stage::Resting(share);
            return;
        }
        // Its death would count as one that it has caused, so the note must say again that it runs.
        let note = self.suspects.go_on(self.next_batch);
        self.note_wanted = Some(Read::Note { note, is_alone: Some(true) });
        self.suspects.stage = Stage::Noting(share);
    }

    /// The commands under the note are written, or have changed nothing: the note can go.
    pub(crate) fn end_suspicion(&mut self, was_written: bool, moment: &Moment) {
        let note = self.suspects.end(was_written, self.next_batch, moment.wall, moment.elapsed_ms);
        self.suspects.stage = Stage::Idle;
        // The driver lets the other partitions of this process run again.
        self.effects.push(Effect::SuspectsAreDone);
        if let Some(note) = note {
            self.note_wanted = Some(Read::Note { note, is_alone: None });
            self.suspects.stage = Stage::Clearing;
        }
    }
}
