//! Random events in random order with random faults. In all of them nothing is answered before its commit has
//! landed, every call is answered once or dropped with its partition, nothing runs twice, and when the faults
//! stop, everything is answered.

use crate::support::*;
use std::collections::BTreeMap;
use tidemill_model::{Answer, Command, JobKey, ProcessInstanceKey};
use tidemill_partition::{CallId, CommandError, Effect, Event, Read, Request};

const RUNS: u64 = 1_000;
const STEPS: u64 = 60;

struct Run {
    bench: Bench,
    dice: Dice,
    instances: Vec<ProcessInstanceKey>,
    jobs: Vec<JobKey>,
    /// Creates carry a number each, by which they are found in the log.
    numbers: BTreeMap<CallId, u64>,
    created: u64,
    /// Creates with a key, to be sent again.
    keyed: Vec<(Command, String)>,
    /// Effects that were looked at.
    seen: usize,
}

#[test]
fn random_events_and_faults() {
    for seed in 0..RUNS {
        let result = std::panic::catch_unwind(|| Run::new(seed).go());
        assert!(result.is_ok(), "seed {seed} fails");
    }
}

impl Run {
    fn new(seed: u64) -> Run {
        let mut bench = Bench::with(&[quick(), work(), sleep(), listen()]);
        let mut dice = Dice::new(seed);
        if dice.percent(30) {
            bench.die();
        }
        Run {
            bench,
            dice,
            instances: Vec::new(),
            jobs: Vec::new(),
            numbers: BTreeMap::new(),
            created: 0,
            keyed: Vec::new(),
            seen: 0,
        }
    }

    fn go(mut self) {
        for _ in 0..STEPS {
            self.step();
            self.look_at_effects();
        }
        self.end();
    }

    fn step(&mut self) {
        match self.dice.below(20) {
            0..7 => self.send(),
            7..11 => self.bench.turn(),
            11..14 => self.answer_a_read(),
            14..17 => self.land(),
            17 => {
                let ms = self.dice.below(4_000);
                self.bench.pass(ms);
            }
            18 => self.something_else(),
            _ => self.bench.settle(),
        }
    }

    fn send(&mut self) {
        match self.dice.below(12) {
            10.. => self.retry(),
            0..4 => self.create(),
            4 => {
                if let Some(instance) = self.any_instance() {
                    self.bench.send(cancel(instance));
                }
            }
            5 => {
                if let Some(instance) = self.any_instance() {
                    self.bench.send(set_variables(instance, r#"{"x":1}"#));
                }
            }
            6 => {
                let wait_ms = self.dice.percent(70).then_some(2_000);
                self.bench.poll_for(activate(3_000), wait_ms);
            }
            7 => {
                if !self.jobs.is_empty() {
                    let at = self.dice.below(self.jobs.len() as u64) as usize;
                    self.bench.send(complete(self.jobs[at]));
                }
            }
            8 => {
                let command = if self.dice.percent(50) { correlate("a") } else { create("nothing") };
                let (key, body) = (format!("k{}", self.dice.below(3)), self.dice.below(2));
                self.bench.send_keyed(command, &key, body);
            }
            _ => {
                if let Some(instance) = self.any_instance() {
                    self.bench.append(cancel(instance));
                }
            }
        }
    }

    fn create(&mut self) {
        let process = ["quick", "work", "sleep", "listen"][self.dice.below(4) as usize];
        self.created += 1;
        let number = self.created;
        let command = create_with(process, &format!(r#"{{"key":"a","number":{number}}}"#));
        let call = match self.dice.below(3) {
            0 => {
                let Command::CreateInstance(command) = command else { return };
                self.bench.request(Request::CreateAndAwait { command, options: Default::default() })
            }
            1 => {
                let key = format!("c{number}");
                let first = self.bench.send_keyed(command.clone(), &key, 1);
                if self.dice.percent(50) {
                    self.bench.turn();
                }
                self.bench.send_keyed(command.clone(), &key, 1);
                self.keyed.push((command, key));
                first
            }
            _ => self.bench.send(command),
        };
        self.numbers.insert(call, number);
    }

    fn retry(&mut self) {
        if !self.keyed.is_empty() {
            let at = self.dice.below(self.keyed.len() as u64) as usize;
            let (command, key) = self.keyed[at].clone();
            self.bench.send_keyed(command, &key, 1);
        }
    }

    fn any_instance(&mut self) -> Option<ProcessInstanceKey> {
        let count = self.instances.len() as u64;
        (count > 0).then(|| self.instances[self.dice.below(count) as usize])
    }

    fn answer_a_read(&mut self) {
        let count = self.bench.reads.len() as u64;
        if count == 0 {
            return;
        }
        let at = self.dice.below(count) as usize;
        if self.dice.percent(6) && !matches!(self.bench.reads[at], Read::Recovery { .. }) {
            self.bench.reads.remove(at);
            self.bench.offer(failed_read());
        } else {
            self.bench.answer_read_at(at);
        }
    }

    fn land(&mut self) {
        if self.bench.closed.is_none() {
            return;
        }
        let fate = match self.dice.below(20) {
            0 => Fate::LostBefore,
            1 => Fate::LostAfter,
            2 => Fate::Refused,
            3 => Fate::Fenced,
            _ => Fate::Written,
        };
        self.bench.land(fate);
    }

    fn something_else(&mut self) {
        match self.dice.below(5) {
            0 => self.bench.die(),
            1 => {
                let ms = self.dice.percent(50).then(|| self.dice.below(30_000) as i64);
                self.bench.pin_clock(ms);
                self.bench.request(Request::ClockHasChanged);
            }
            2 => self.bench.moment.holds_lease = self.dice.percent(50),
            3 => self.bench.offer(Event::PollerIsFree),
            _ => self.bench.offer(Event::InboxHasGrown),
        }
    }

    /// Everything that is told is in the store by then.
    fn look_at_effects(&mut self) {
        let effects = &self.bench.effects[self.seen..];
        for effect in effects {
            match effect {
                Effect::Answer { result: Ok(Answer::Created(created)), .. } => {
                    assert!(self.bench.state_of(created.instance).is_some(), "{effect:?} is not written");
                    self.instances.push(created.instance);
                }
                Effect::Created { instance, .. } => {
                    assert!(self.bench.state_of(*instance).is_some(), "{effect:?} is not written");
                    self.instances.push(*instance);
                }
                Effect::Jobs { result: Ok(jobs), .. } => {
                    self.jobs.extend(jobs.iter().map(|job| job.job.key));
                }
                Effect::Answer { result: Err(CommandError::Moved), .. } => {
                    panic!("nobody gave up: {effect:?}")
                }
                Effect::Answer { result: Err(CommandError::Rejected(rejection)), .. } => {
                    // Faults of the test name a culprit. The store itself refuses a second answer under one key.
                    assert!(!rejection.reason.contains("a part of it"), "{effect:?}");
                }
                _ => {}
            }
        }
        self.seen = self.bench.effects.len();
    }

    /// The faults stop: everything is answered, and nothing has run twice.
    fn end(mut self) {
        self.bench.moment.holds_lease = true;
        self.bench.pin_clock(None);
        let turns = self.bench.live(30_000);
        assert!(turns < 2_000, "it runs in circles: {turns} turns");
        self.look_at_effects();
        // Workers have waited long enough, and timers are over. Callers that wait for the end of `work` or `listen` still wait.
        self.bench.offer(Event::EndWaits);
        self.bench.offer(Event::Stop);
        self.bench.settle();
        assert!(self.bench.core.is_finished(), "it does not stop");
        self.bench.give_up();
        let open = self.bench.callers.unanswered();
        let left: Vec<_> = open.into_iter().filter(|call| !self.bench.was_noted(*call)).collect();
        assert!(left.is_empty(), "{left:?} were never answered");
        self.expect_each_create_once();
        assert_eq!(self.bench.inbox_len(), 0);
    }

    /// Each number stands on one instance at the most, and on exactly one where the create was answered.
    fn expect_each_create_once(&self) {
        let mut times: BTreeMap<String, usize> = BTreeMap::new();
        for value in self.bench.variable_values("number") {
            *times.entry(value).or_default() += 1;
        }
        for (number, times) in &times {
            assert_eq!(*times, 1, "the create with number {number} has run {times} times");
        }
        for (call, number) in &self.numbers {
            if matches!(self.bench.answer(*call), Some(Ok(_))) || self.bench.has_ended(*call) {
                assert!(
                    times.contains_key(&number.to_string()),
                    "create {number} was answered and is not there"
                );
            }
        }
    }
}
