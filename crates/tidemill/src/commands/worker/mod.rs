//! `tidemill worker`: any program becomes a worker, one run per job.

mod program;

use crate::client::{Failure, RemoteCommand, Session};
use anyhow::{Context, Result};
use clap::Args;
use program::{Ending, Program};
use serde_json::{Value, json};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;
use tokio::signal::unix::{SignalKind, signal};

/// Pause after a server could not be reached.
const RETRY_PAUSE: Duration = Duration::from_secs(1);
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
/// Runs until Ctrl-C or SIGTERM; programs that run then are waited for.
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

    /// Programs that may run at the same time
    #[arg(long, default_value_t = 1, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    parallel: u16,

    /// Seconds that a job may take before others get it
    #[arg(long, default_value_t = 300, value_name = "SECONDS", value_parser = clap::value_parser!(u32).range(1..))]
    timeout: u32,

    /// Seconds before a failed job is tried again
    #[arg(long, default_value_t = 0, value_name = "SECONDS")]
    retry_backoff: u32,

    /// End after this many jobs [default: never]
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
        };
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
                std::process::exit(0);
            }
            threads
                .into_iter()
                .try_for_each(|thread| thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)))
        })
    }
}

/// True when a signal came, false when the work was done before.
async fn told_to_stop_or(is_done: impl Fn() -> bool) -> Result<bool> {
    let mut terminate = signal(SignalKind::terminate()).context("cannot listen to signals")?;
    let mut interrupt = signal(SignalKind::interrupt()).context("cannot listen to signals")?;
    while !is_done() {
        tokio::select! {
            _ = terminate.recv() => return Ok(true),
            _ = interrupt.recv() => return Ok(true),
            () = tokio::time::sleep(LOOK_EVERY) => {}
        }
    }
    Ok(false)
}

/// What the threads of a worker share.
struct Shift<'a> {
    worker: &'a Worker,
    session: &'a Session,
    is_over: AtomicBool,
    busy: AtomicUsize,
    left: AtomicUsize,
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
        while !self.is_over.load(Ordering::Acquire) && self.claim() {
            let activated = match self.session.client.post("/v2/jobs/activation", &activation) {
                Ok(activated) => activated,
                Err(failure) if failure.exit_code() == 5 => return Err(failure.into()),
                Err(failure) => {
                    self.give_back();
                    eprintln!("tidemill: {failure}; trying again");
                    std::thread::sleep(RETRY_PAUSE);
                    continue;
                }
            };
            match activated["jobs"].get(0) {
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

    fn run(&self, job: &Value) {
        let key = job["jobKey"].as_str().unwrap_or_default();
        let ending = Program { command: &self.worker.exec }.run(job);
        let (path, body, word) = self.report(job, &ending);
        match self.session.client.post(&format!("/v2/jobs/{key}/{path}"), &body) {
            Ok(_) if self.session.json => {
                println!("{}", json!({"jobKey": key, "ending": path, "report": body}));
            }
            Ok(_) => println!("job {key} {word}"),
            // Somebody else has it now, or its instance is gone; the next job is not concerned.
            Err(failure @ Failure::Refused { .. }) => eprintln!("tidemill: job {key}: {failure}"),
            Err(failure) => eprintln!("tidemill: job {key} is done, but could not be reported: {failure}"),
        }
    }

    /// Where and what to report, and how to call it.
    fn report(&self, job: &Value, ending: &Ending) -> (&'static str, Value, String) {
        match ending {
            Ending::Complete(variables) => {
                ("completion", json!({"variables": variables}), "completed".to_owned())
            }
            Ending::Error { code, message, variables } => {
                let body = json!({"errorCode": code, "errorMessage": message, "variables": variables});
                ("error", body, format!("ended with error {code}"))
            }
            Ending::Failed(message) => {
                let retries = (job["retries"].as_i64().unwrap_or(1) - 1).max(0);
                let backoff_ms = u64::from(self.worker.retry_backoff) * 1_000;
                let body = json!({"retries": retries, "errorMessage": message, "retryBackOff": backoff_ms});
                ("failure", body, format!("failed, {retries} retries left: {message}"))
            }
        }
    }
}
