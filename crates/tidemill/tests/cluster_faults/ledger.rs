//! The knowledge of the outside world: requests that were sent, their answers, and effects that may or may not have happened.

use crate::models::TIMER;
use serde_json::Value;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, MutexGuard};
use std::time::{Instant, UNIX_EPOCH};

/// Which process an entry is an instance of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    Task,
    Timer,
    Order,
    Call,
    Probe,
}

impl Kind {
    pub(crate) fn process(self) -> &'static str {
        match self {
            Kind::Task => "task",
            Kind::Timer => "timer",
            Kind::Order => "order",
            Kind::Call => "call",
            Kind::Probe => "probe",
        }
    }

    pub(crate) fn wants_message(self) -> bool {
        matches!(self, Kind::Order | Kind::Call)
    }
}

/// How an instance is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// With an idempotency key: sent again until it is answered.
    Keyed,
    /// Sent again only while it surely was not run.
    Plain,
    /// Like that, and not waited for: what was accepted must happen.
    Async,
}

/// The knowledge about the creation of an instance.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Creation {
    /// Not answered yet.
    Open,
    Answered(String),
    Accepted,
    /// It may or may not have happened.
    InDoubt,
}

/// Tells one completion of a job from another: it becomes a variable of the instance.
pub(crate) type Token = u64;

#[derive(Clone, Debug)]
pub(crate) struct Entry {
    pub(crate) kind: Kind,
    /// When the creation was first sent. Any of its tries may have been the one that took effect.
    pub(crate) sent_at: Instant,
    pub(crate) creation: Creation,
    /// Completions that may have had their effect.
    pub(crate) tried: Vec<Token>,
    /// The completion that was answered.
    pub(crate) completed: Option<Token>,
    pub(crate) is_published: bool,
}

#[derive(Default)]
struct Book {
    entries: Vec<Entry>,
    /// Entries whose message is still to be published.
    unpublished: VecDeque<usize>,
    tokens: Token,
    completions: usize,
    under_way: i64,
    /// Until when each job belongs to the worker that received it last, in milliseconds since 1970.
    leases: HashMap<String, u64>,
    /// Jobs that reached their worker when their lease was over already.
    late_jobs: usize,
    timers_fired: usize,
    violations: Vec<String>,
}

#[derive(Default)]
pub(crate) struct Ledger(Mutex<Book>);

impl Ledger {
    fn book(&self) -> MutexGuard<'_, Book> {
        self.0.lock().expect("no holder panics")
    }

    /// A new entry; the kinds take turns.
    pub(crate) fn open(&self, kinds: &[Kind]) -> (usize, Kind) {
        let mut book = self.book();
        let number = book.entries.len();
        let kind = kinds[number % kinds.len()];
        book.under_way += 1;
        book.entries.push(Entry {
            kind,
            sent_at: Instant::now(),
            creation: Creation::Open,
            tried: Vec::new(),
            completed: None,
            is_published: false,
        });
        if kind.wants_message() {
            book.unpublished.push_back(number);
        }
        (number, kind)
    }

    pub(crate) fn created(&self, number: usize, creation: Creation) {
        let mut book = self.book();
        if creation == Creation::InDoubt && book.entries[number].completed.is_none() {
            book.under_way -= 1;
        }
        book.entries[number].creation = creation;
    }

    /// A completion is about to be sent.
    pub(crate) fn tries(&self, number: usize) -> Token {
        let mut book = self.book();
        book.tokens += 1;
        let token = book.tokens;
        book.entries[number].tried.push(token);
        token
    }

    /// It surely had no effect.
    pub(crate) fn was_not_run(&self, number: usize, token: Token) {
        self.book().entries[number].tried.retain(|tried| *tried != token);
    }

    pub(crate) fn completed(&self, number: usize, token: Token) {
        let mut book = self.book();
        book.completions += 1;
        if book.entries[number].creation != Creation::InDoubt {
            book.under_way -= 1;
        }
        if let Some(before) = book.entries[number].completed.replace(token) {
            let text = format!("the job of {} was completed twice: {before} and {token}", name(number));
            book.violations.push(text);
        }
    }

    /// A worker has received a job. No other worker may hold it, and the timer before it must have run for its time.
    pub(crate) fn received(&self, number: usize, job: &Value) {
        let now_ms = UNIX_EPOCH.elapsed().expect("after 1970").as_millis() as u64;
        let deadline_ms = job["deadline"].as_u64().unwrap_or_default();
        let mut book = self.book();
        let entry = &book.entries[number];
        let (is_timer, waited) = (entry.kind == Kind::Timer, entry.sent_at.elapsed());
        if is_timer {
            book.timers_fired += 1;
            if waited < TIMER {
                book.violations.push(format!("the timer of {} fired early, after {waited:?}", name(number)));
            }
        }
        if now_ms >= deadline_ms {
            book.late_jobs += 1;
            return;
        }
        let key = job["jobKey"].as_str().unwrap_or_default().to_owned();
        let other_ends_ms = book.leases.insert(key, deadline_ms).unwrap_or(0);
        if now_ms < other_ends_ms {
            let left_ms = other_ends_ms - now_ms;
            let text =
                format!("the job of {} is with two workers: another holds it for {left_ms} ms", name(number));
            book.violations.push(text);
        }
    }

    /// The counts of timers and jobs.
    pub(crate) fn counts(&self) -> String {
        let book = self.book();
        let (fired, jobs, late) = (book.timers_fired, book.leases.len(), book.late_jobs);
        format!(
            "{fired} timers fired, none early; {jobs} jobs handed out, none to two workers at a time, {late} when their lease was over already"
        )
    }

    /// An entry whose message somebody has to publish.
    pub(crate) fn next_unpublished(&self) -> Option<usize> {
        self.book().unpublished.pop_front()
    }

    pub(crate) fn published(&self, number: usize) {
        self.book().entries[number].is_published = true;
    }

    /// Something that must not happen.
    pub(crate) fn violation(&self, text: String) {
        self.book().violations.push(text);
    }

    #[track_caller]
    pub(crate) fn check(&self) {
        let violations = std::mem::take(&mut self.book().violations);
        assert!(violations.is_empty(), "{} violations: {violations:#?}", violations.len());
    }

    pub(crate) fn entries(&self) -> Vec<Entry> {
        self.book().entries.clone()
    }

    pub(crate) fn completions(&self) -> usize {
        self.book().completions
    }

    /// Entries that are on their way to their end, as far as that is known.
    pub(crate) fn under_way(&self) -> i64 {
        self.book().under_way
    }
}

pub(crate) fn name(number: usize) -> String {
    format!("entry-{number}")
}

pub(crate) fn number(name: &str) -> Option<usize> {
    name.strip_prefix("entry-")?.parse().ok()
}
