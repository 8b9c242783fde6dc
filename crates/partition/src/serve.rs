//! Workers that wait get the jobs that a batch has made, without a commit of their own.

use crate::core::Core;
use crate::open::{Answered, Executed};
use crate::pollers::Poller;
use crate::queued::{CommandSource, QueuedCommand};
use crate::request::Callers;
use crate::run::Run;
use crate::time::Moment;
use tidemill_engine::Reply;
use tidemill_model::{Answer, Command, Text};

impl Core {
    /// The jobs and their leases are in the same commit as the commands that have made the jobs, so a job
    /// reaches its worker one commit earlier than by a request of its own.
    pub(crate) fn serve_pollers(&mut self, moment: &Moment, callers: &mut dyn Callers) {
        self.turns = self.turns.wrapping_add(1);
        for job_type in self.pollers.types(self.turns) {
            let mut unserved = Vec::new();
            self.serve_type(&job_type, callers, &mut unserved);
            // Each goes to the head of the line, so the last one goes first.
            for poller in unserved.into_iter().rev() {
                self.pollers.put_back(poller);
            }
        }
        if self.wanted.has_rows() {
            // A worker that does not wait is answered only when the rows that tell what there is have been read.
            return;
        }
        if self.open.has_handed_out_enough() {
            // The rest is served after this batch.
            return;
        }
        let working = &self.working;
        self.pollers.tell_watchers(|job_type| working.has_waiting_jobs(job_type), &mut self.effects);
        self.pollers.end_waits(moment.elapsed_ms, callers, &mut self.effects);
    }

    /// Not every job is for every worker: a worker that gets nothing does not hold up those behind it.
    fn serve_type(&mut self, job_type: &Text, callers: &mut dyn Callers, unserved: &mut Vec<Poller>) {
        while self.working.has_waiting_jobs(job_type) && !self.open.has_handed_out_enough() {
            let Some(poller) = self.pollers.next(job_type, callers) else { break };
            if !callers.claim(poller.call) {
                // Another partition is about to serve it, or to find that it cannot.
                unserved.push(poller);
                continue;
            }
            let command = Command::ActivateJobs(poller.command.clone());
            match self.run_command(&command) {
                Run::Done(outcome) => match outcome.reply {
                    Reply::Now(Answer::Activated(jobs)) if !jobs.is_empty() => {
                        let bytes = jobs.iter().map(|job| job.variables.as_str().len());
                        // Answers are kept in memory until the commit has landed, so their size counts.
                        self.open.handed_out_bytes += bytes.sum::<usize>();
                        let queued = QueuedCommand::new(command, CommandSource::Poller(poller));
                        let answer = Answered::Now(Ok(Answer::Activated(jobs)));
                        self.open.executed.push(Executed { queued, answer });
                    }
                    reply => {
                        if outcome.changes_rows
                            && let Reply::Now(answer) = reply
                        {
                            // Instances whose jobs cannot be handed out got incidents, which are written although no worker is served.
                            let queued = QueuedCommand::new(command, CommandSource::FollowUp);
                            self.open.executed.push(Executed { queued, answer: Answered::Now(Ok(answer)) });
                        }
                        callers.release(poller.call);
                        unserved.push(poller);
                    }
                },
                // Its claim stays: it is answered with the failure.
                Run::Failed(reason) => {
                    self.open.put_aside(QueuedCommand::new(command, CommandSource::Poller(poller)), reason);
                }
                Run::Missed(missing) => {
                    callers.release(poller.call);
                    unserved.push(poller);
                    // The jobs of this type come with the next round of reads. Others of the type would miss the same.
                    self.wanted.want(missing);
                    return;
                }
            }
        }
    }
}
