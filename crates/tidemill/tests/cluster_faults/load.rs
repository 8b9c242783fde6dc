//! Users of the servers: they create instances, work on jobs and publish messages until told to stop, and keep the
//! ledger.

use crate::client::{Addresses, Client, Sent};
use crate::ledger::{Creation, Kind, Ledger, Token, Way, name, number};
use crate::models::{JOB_TYPE, MESSAGE};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::Scope;
use std::time::{Duration, Instant};

/// A job whose worker got no answer is handed out again after this time.
const JOB_TIMEOUT_MS: u64 = 3_000;
/// A client that waits longer for an answer in spite of all retries has found a fault.
const PATIENCE: Duration = Duration::from_secs(40);
const PAUSE: Duration = Duration::from_millis(20);
/// Nobody creates more while so many are under way.
const UNDER_WAY_MAX: i64 = 2_000;
/// While capacity is measured, so many are under way: enough to keep all busy.
const UNDER_WAY_AT_CAPACITY: i64 = 60;
/// So many are sent per second on a machine that is busy with something else, or a fault would meet nobody.
const RATE_MIN: f64 = 5.0;
const MEASURE: Duration = Duration::from_secs(3);
/// Every so many: sends again what was answered.
const REPEAT_EVERY: usize = 8;

/// How many users of each kind.
pub(crate) struct Spread {
    pub(crate) creators: usize,
    pub(crate) workers: usize,
    pub(crate) publishers: usize,
}

pub(crate) struct Load {
    pub(crate) ledger: Ledger,
    addresses: Arc<Addresses>,
    /// Between two instances of all creators together.
    pause_us: AtomicU64,
    creates: AtomicBool,
    ends: AtomicBool,
}

/// Ends the load however the test ends.
pub(crate) struct Ending<'l>(&'l Load);

impl Drop for Ending<'_> {
    fn drop(&mut self) {
        self.0.creates.store(false, Ordering::Release);
        self.0.ends.store(true, Ordering::Release);
    }
}

impl Load {
    pub(crate) fn new(addresses: Arc<Addresses>) -> Load {
        Load {
            ledger: Ledger::default(),
            addresses,
            pause_us: AtomicU64::new(0),
            creates: AtomicBool::new(true),
            ends: AtomicBool::new(false),
        }
    }

    pub(crate) fn end_at_last(&self) -> Ending<'_> {
        Ending(self)
    }

    /// Users are spread evenly over the servers.
    pub(crate) fn begin<'s>(&'s self, scope: &'s Scope<'s, '_>, spread: Spread) {
        for home in 0..spread.creators {
            scope.spawn(move || self.create_all(home, spread.creators));
        }
        for home in 0..spread.workers {
            scope.spawn(move || self.repeat(home, |client| _ = work(client, &self.ledger, JOB_TYPE)));
        }
        for home in 0..spread.publishers {
            scope.spawn(move || self.repeat(home, |client| publish_next(client, &self.ledger)));
        }
    }

    /// Finished instances per second when everybody sends as fast as answers come.
    pub(crate) fn measure_capacity(&self) -> f64 {
        std::thread::sleep(Duration::from_secs(1));
        let (began, before) = (Instant::now(), self.ledger.completions());
        std::thread::sleep(MEASURE);
        (self.ledger.completions() - before) as f64 / began.elapsed().as_secs_f64()
    }

    /// The rate that is kept from now on.
    pub(crate) fn set_rate(&self, instances_per_s: f64) -> f64 {
        let rate = instances_per_s.max(RATE_MIN);
        let pause = Duration::from_secs_f64(1.0 / rate);
        self.pause_us.store(pause.as_micros() as u64, Ordering::Release);
        rate
    }

    pub(crate) fn stop_creating(&self) {
        self.creates.store(false, Ordering::Release);
    }

    /// One instance, asked for at this server: on any partition that it takes for its own.
    pub(crate) fn create_at(&self, place: usize) {
        let (number, kind) = self.ledger.open(&[Kind::Task]);
        create(&Client::among(&self.addresses, vec![place]), &self.ledger, number, kind, Way::Plain);
    }

    fn create_all(&self, home: usize, creators: usize) {
        let client = Client::of(&self.addresses, home % self.addresses.count());
        let mut next = Instant::now();
        while self.creates.load(Ordering::Acquire) {
            let pause_us = self.pause_us.load(Ordering::Acquire);
            let limit = if pause_us == 0 { UNDER_WAY_AT_CAPACITY } else { UNDER_WAY_MAX };
            if Instant::now() < next || self.ledger.under_way() >= limit {
                std::thread::sleep(Duration::from_millis(2));
                continue;
            }
            // Requests that an outage has kept back are not made up for.
            next = Instant::now().max(next + Duration::from_micros(pause_us) * creators as u32);
            create_any(&client, &self.ledger);
        }
    }

    fn repeat(&self, home: usize, act: impl Fn(&Client)) {
        let client = Client::of(&self.addresses, home % self.addresses.count());
        while !self.ends.load(Ordering::Acquire) {
            act(&client);
        }
    }
}

fn create_any(client: &Client, ledger: &Ledger) {
    const KINDS: [Kind; 4] = [Kind::Task, Kind::Order, Kind::Timer, Kind::Call];
    const WAYS: [Way; 5] = [Way::Keyed, Way::Plain, Way::Keyed, Way::Plain, Way::Async];
    let (number, kind) = ledger.open(&KINDS);
    create(client, ledger, number, kind, WAYS[number % WAYS.len()]);
}

/// Asks for the instance of an entry, again where that is safe.
fn create(client: &Client, ledger: &Ledger, number: usize, kind: Kind, way: Way) {
    let name = name(number);
    let body = json!({
        "processDefinitionId": kind.process(), "businessId": name, "variables": {"order": name},
    });
    let headers: &[(&str, &str)] = match way {
        Way::Keyed => &[("idempotency-key", &name)],
        Way::Plain => &[],
        Way::Async => &[("prefer", "respond-async")],
    };
    client.go_home();
    let began = Instant::now();
    loop {
        let why = match (client.post("/v2/process-instances", &body, headers), way) {
            (Sent::Answered(200, answer), Way::Keyed | Way::Plain) => {
                let key = answer["processInstanceKey"].as_str().unwrap_or_default().to_owned();
                if way == Way::Keyed && number.is_multiple_of(REPEAT_EVERY) {
                    expect_same(client, ledger, &key, &body, headers);
                }
                return ledger.created(number, Creation::Answered(key));
            }
            (Sent::Answered(202, _), Way::Async) => return ledger.created(number, Creation::Accepted),
            (Sent::Answered(status, answer), _) => {
                return ledger.violation(format!("creation of {name} ({way:?}) answered {status}: {answer}"));
            }
            (Sent::NotRun(why), _) | (Sent::Unknown(why), Way::Keyed) => why,
            (Sent::Unknown(_), _) => return ledger.created(number, Creation::InDoubt),
        };
        if began.elapsed() > PATIENCE {
            return ledger.violation(format!("no answer to creation of {name} ({way:?}): {why}"));
        }
        std::thread::sleep(PAUSE);
    }
}

/// A retry of what was answered is answered alike, by any server.
fn expect_same(client: &Client, ledger: &Ledger, key: &str, body: &Value, headers: &[(&str, &str)]) {
    client.go_elsewhere();
    if let Sent::Answered(status, answer) = client.post("/v2/process-instances", body, headers)
        && (status != 200 || answer["processInstanceKey"] != *key)
    {
        ledger.violation(format!("{body} made {key}, and again {status}: {answer}"));
    }
}

/// A keyed instance of the process for probes; returns when it is answered.
pub(crate) fn create_probe(
    client: &Client,
    ledger: &Ledger,
    number: usize,
    key: &str,
    job_type: &str,
) -> bool {
    let body = json!({
        "processDefinitionId": Kind::Probe.process(), "businessId": name(number),
        "variables": {"order": name(number), "job": job_type},
    });
    match client.post("/v2/process-instances", &body, &[("idempotency-key", key)]) {
        Sent::Answered(200, answer) => {
            let key = answer["processInstanceKey"].as_str().unwrap_or_default().to_owned();
            ledger.created(number, Creation::Answered(key));
            true
        }
        Sent::Answered(status, answer) => {
            ledger.violation(format!("a probe answered {status}: {answer}"));
            false
        }
        _ => false,
    }
}

/// Takes jobs once and completes them. True when a completion was answered.
pub(crate) fn work(client: &Client, ledger: &Ledger, job_type: &str) -> bool {
    client.go_home();
    let body = json!({
        "type": job_type, "worker": "load", "timeout": JOB_TIMEOUT_MS, "maxJobsToActivate": 5, "requestTimeout": 500,
    });
    match client.post("/v2/jobs/activation", &body, &[]) {
        Sent::Answered(200, answer) => {
            let jobs = answer["jobs"].as_array().cloned().unwrap_or_default();
            for job in &jobs {
                // Those of nobody are told when they are completed.
                entry_of(job).into_iter().for_each(|number| ledger.received(number, job));
            }
            jobs.iter().filter(|job| complete(client, ledger, job)).count() > 0
        }
        Sent::Answered(status, answer) => {
            ledger.violation(format!("an activation answered {status}: {answer}"));
            false
        }
        Sent::NotRun(_) | Sent::Unknown(_) => {
            std::thread::sleep(PAUSE);
            false
        }
    }
}

fn entry_of(job: &Value) -> Option<usize> {
    job["variables"]["order"].as_str().and_then(number)
}

/// Every other entry is completed under a key, with one token for all tries; the others with a new one for each.
fn complete(client: &Client, ledger: &Ledger, job: &Value) -> bool {
    let Some(number) = entry_of(job) else {
        ledger.violation(format!("a job of nobody: {job}"));
        return false;
    };
    let path = format!("/v2/jobs/{}/completion", job["jobKey"].as_str().unwrap_or_default());
    let (is_keyed, began) = (number.is_multiple_of(2), Instant::now());
    let mut token = ledger.tries(number);
    let (mut may_have_run, key) = (false, format!("completion-{token}"));
    while began.elapsed() < PATIENCE {
        let headers: &[(&str, &str)] = if is_keyed { &[("idempotency-key", &key)] } else { &[] };
        match client.post(&path, &json!({"variables": {"token": token}}), headers) {
            Sent::Answered(204, _) => {
                ledger.completed(number, token);
                if number % REPEAT_EVERY == 1 {
                    expect_refusal(client, ledger, number, &path);
                }
                return true;
            }
            // Another worker was faster, or a try that was not answered.
            Sent::Answered(404, _) => {
                if !may_have_run {
                    ledger.was_not_run(number, token);
                }
                return false;
            }
            Sent::Answered(status, answer) => {
                ledger.violation(format!("{path} answered {status}: {answer}"));
                return false;
            }
            Sent::NotRun(_) => {}
            Sent::Unknown(_) if is_keyed => may_have_run = true,
            Sent::Unknown(_) => token = ledger.tries(number),
        }
        std::thread::sleep(PAUSE);
    }
    ledger.violation(format!("no answer to {path}"));
    false
}

/// A job that was completed cannot be completed again.
fn expect_refusal(client: &Client, ledger: &Ledger, number: usize, path: &str) {
    client.go_elsewhere();
    let token: Token = 0;
    if let Sent::Answered(status, answer) = client.post(path, &json!({"variables": {"token": token}}), &[])
        && status != 404
        && status != 409
    {
        ledger.violation(format!("a second completion of {} answered {status}: {answer}", name(number)));
    }
}

/// Publishes one message until that is answered. Its id makes it one message, however often it was sent.
fn publish_next(client: &Client, ledger: &Ledger) {
    let Some(number) = ledger.next_unpublished() else { return std::thread::sleep(PAUSE) };
    let name = name(number);
    let body = json!({"name": MESSAGE, "correlationKey": name, "messageId": name, "timeToLive": 3_600_000});
    client.go_home();
    let (began, mut may_have_run) = (Instant::now(), false);
    while began.elapsed() < PATIENCE {
        match client.post("/v2/messages/publication", &body, &[]) {
            Sent::Answered(200, _) => return ledger.published(number),
            Sent::Answered(409, _) if may_have_run => return ledger.published(number),
            Sent::Answered(status, answer) => {
                return ledger.violation(format!("message for {name} answered {status}: {answer}"));
            }
            Sent::NotRun(_) => {}
            Sent::Unknown(_) => may_have_run = true,
        }
        std::thread::sleep(PAUSE);
    }
    ledger.violation(format!("no answer to the message for {name}"));
}
