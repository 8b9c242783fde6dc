//! `tidemill worker`: any program becomes a worker, one run per job.

mod job;
mod program;

use crate::client::{Failure, RemoteCommand, Session};
use crate::output::say;
use crate::stop::told_to_stop_or;
use anyhow::Result;
use clap::Args;
use job::{Activated, Job, Report};
use program::Program;
use serde::Serialize;
use serde_json::json;
use std::fmt;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

/// Pause after a server could not be reached.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// As where no server answers.
const LOST_EXIT_CODE: i32 = 3;
/// Between two looks at whether everybody has finished.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Work on jobs by running a program for each
///
/// The program gets the job's variables as JSON on standard input and TIDEMILL_JOB_KEY, TIDEMILL_JOB_TYPE,
/// TIDEMILL_JOB_RETRIES, TIDEMILL_JOB_HEADERS, TIDEMILL_ELEMENT_ID, TIDEMILL_PROCESS_ID and
/// TIDEMILL_PROCESS_INSTANCE_KEY in its environment. Its exit code decides:
///
///   0      the job is complete; standard output is empty or a JSON object with new variables
///
///   100    a BPMN error; standard output is {"errorCode": "...", "errorMessage": "...", "variables": {...}}
///
///   other  the job has failed; the end of standard error is the message, one retry is used up
///
/// While the server is away, the outcome of a job is kept and sent again until the job's time is over. Runs until
/// Ctrl-C or SIGTERM; programs that run then are waited for. The exit code is 3 when an outcome was lost, and
/// with --jobs 8 when a job failed; a BPMN error is no failure.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill worker check-stock --exec './check-stock.py'
  tidemill worker add --exec 'jq \"{sum: (.a + .b)}\"'
  tidemill worker mail --exec ./send-mail --parallel 4 --retry-backoff 30
  tidemill worker import --exec ./import --jobs 1            work on one job, then end")]
pub(crate) struct Worker {
    /// Type of the jobs, as in the model
    #[arg(value_name = "TYPE")]
    job_type: String,

    /// Command to run for each job, by `sh -c`
    #[arg(long, value_name = "CMD")]
    exec: String,

    /// Programs that may run at the same time, at most 256
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,

    /// Seconds that a job may take before others get it
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,

    /// Seconds before a failed job is tried again
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    retry_backoff: u32,

    /// End after this many tries of jobs [default: never]
    #[arg(long, value_name = "N")]
    jobs: Option<usize>,

    /// Name of this worker, as `tidemill jobs` shows it
    #[arg(long, default_value = "tidemill-cli")]
    name: String,
}

impl RemoteCommand for Worker {
    fn run(self, session: &Session) -> Result<()> {
        let shift = Shift {
            worker: &self,
            session,
            is_over: AtomicBool::new(false),
            busy: AtomicUsize::new(0),
            left: AtomicUsize::new(self.jobs.unwrap_or(usize::MAX)),
            lost: AtomicUsize::new(0),
            failed: AtomicUsize::new(0),
        };
        crate::output::complain!(
            "tidemill: working on jobs of type '{}' at {}",
            self.job_type,
            session.client.url()
        );
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..self.parallel).map(|_| scope.spawn(|| shift.work())).collect();
            let told =
                runtime.block_on(told_to_stop_or(|| threads.iter().all(|thread| thread.is_finished())));
            shift.is_over.store(true, Ordering::Release);
            if told? {
                // Threads that only wait for jobs need not be waited for, so the process ends from here.
                while shift.busy.load(Ordering::Acquire) > 0 {
                    std::thread::sleep(LOOK_EVERY);
                }
                std::process::exit(if shift.lost.load(Ordering::Acquire) == 0 { 0 } else { LOST_EXIT_CODE });
            }
            threads.into_iter().try_for_each(|thread| {
                thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })?;
            match shift.lost.load(Ordering::Acquire) {
                0 => {}
                jobs => return Err(Lost { jobs }.into()),
            }
            match shift.failed.load(Ordering::Acquire) {
                0 => Ok(()),
                jobs => Err(JobsFailed { jobs }.into()),
            }
        })
    }
}

/// Jobs that were worked on for nothing.
#[derive(Debug)]
pub(crate) struct Lost {
    jobs: usize,
}

impl fmt::Display for Lost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = crate::output::count(self.jobs as i64, "job", "jobs");
        write!(f, "the outcome of {jobs} could not be reported")
    }
}

impl std::error::Error for Lost {}

/// Jobs whose program has failed, of a worker that was asked for so many.
#[derive(Debug)]
pub(crate) struct JobsFailed {
    jobs: usize,
}

impl fmt::Display for JobsFailed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let jobs = crate::output::count(self.jobs as i64, "job", "jobs");
        write!(f, "{jobs} failed, for the reasons above")
    }
}

impl std::error::Error for JobsFailed {}

/// A job in the output for programs.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Done<'a> {
    job_key: &'a str,
    ending: &'static str,
    report: &'a Report,
}

/// The parts that the threads of a worker share.
struct Shift<'a> {
    worker: &'a Worker,
    session: &'a Session,
    is_over: AtomicBool,
    busy: AtomicUsize,
    left: AtomicUsize,
    /// Jobs whose outcome could not be reported.
    lost: AtomicUsize,
    /// Jobs whose program has failed.
    failed: AtomicUsize,
}

impl Shift<'_> {
    fn work(&self) -> Result<()> {
        let activation = json!({
            "type": self.worker.job_type,
            "worker": self.worker.name,
            "timeout": u64::from(self.worker.timeout) * 1_000,
            "maxJobsToActivate": 1,
            "requestTimeout": 10_000,
        });
        while !self.is_over() && self.claim() {
            let activated = match self.session.client.ask::<Activated>("/v2/jobs/activation", &activation) {
                Ok(activated) => activated,
                Err(failure) if matches!(failure.exit_code(), 2 | 5) => return Err(failure.into()),
                Err(failure) => {
                    self.give_back();
                    crate::output::complain!("tidemill: {failure}; trying again");
                    std::thread::sleep(RETRY_PAUSE);
                    continue;
                }
            };
            match activated.jobs.first() {
                Some(job) => {
                    self.busy.fetch_add(1, Ordering::AcqRel);
                    self.run(job);
                    self.busy.fetch_sub(1, Ordering::AcqRel);
                }
                None => self.give_back(),
            }
        }
        Ok(())
    }

    /// One of the jobs that this worker may still do.
    fn claim(&self) -> bool {
        self.left.fetch_update(Ordering::AcqRel, Ordering::Acquire, |left| left.checked_sub(1)).is_ok()
    }

    fn give_back(&self) {
        self.left.fetch_add(1, Ordering::AcqRel);
    }

    fn run(&self, job: &Job) {
        let ending = Program { command: &self.worker.exec }.run(job);
        let report = Report::new(job, ending, u64::from(self.worker.retry_backoff) * 1_000);
        if matches!(report, Report::Failure { .. }) {
            self.failed.fetch_add(1, Ordering::AcqRel);
        }
        let key = &job.job_key;
        match self.send(job, &report) {
            Ok(()) if self.session.json => {
                let done = Done { job_key: key, ending: report.path(), report: &report };
                say!("{}", serde_json::to_string(&done).expect("it has names of members only"));
            }
            Ok(()) => say!("job {key} {}", report.words()),
            // Somebody else has it now, or its instance is gone; the next job is not concerned.
            Err(failure @ Failure::Refused { status: 404 | 409, .. }) => {
                crate::output::complain!("tidemill: job {key}: {failure}");
            }
            Err(failure) => {
                self.lost.fetch_add(1, Ordering::AcqRel);
                crate::output::complain!("tidemill: job {key} is done, but could not be reported: {failure}");
            }
        }
    }

    /// Sends a report until it has arrived, the job is no longer ours, or somebody wants us to stop.
    fn send(&self, job: &Job, report: &Report) -> Result<(), Failure> {
        let path = format!("/v2/jobs/{}/{}", job.job_key, report.path());
        let traceparent = job.traceparent();
        loop {
            match self.session.client.post_traced(&path, &job.lease_name(), traceparent.as_deref(), report) {
                Ok(_) => return Ok(()),
                Err(failure) if failure.is_passing() && job.is_still_ours() && !self.is_over() => {
                    std::thread::sleep(RETRY_PAUSE);
                }
                Err(failure) => return Err(failure),
            }
        }
    }

    fn is_over(&self) -> bool {
        self.is_over.load(Ordering::Acquire)
    }
}
