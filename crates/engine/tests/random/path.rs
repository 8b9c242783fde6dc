//! One way through a model: whatever can be done next is done in a random order, then everything that is
//! left is brought to its end.

use crate::support::Harness;
use std::collections::BTreeSet;
use std::sync::Arc;
use tidemill_model::command::*;
use tidemill_model::dice::Dice;
use tidemill_model::entity::*;
use tidemill_model::*;

const RANDOM_ACTIONS_MAX: usize = 25;
const CLOSING_ACTIONS_MAX: usize = 200;

pub(crate) struct Path<'a> {
    pub(crate) engine: &'a mut Harness,
    pub(crate) dice: Dice,
    pub(crate) numbers: &'a [String],
}

impl Path<'_> {
    /// Everything from the creation of an instance to its end.
    pub(crate) fn walk(&mut self) {
        let variables = self.first_variables();
        self.engine.start("main", &variables);
        for _ in 0..self.dice.index(RANDOM_ACTIONS_MAX) {
            if !self.act() {
                break;
            }
            self.check();
        }
        for _ in 0..CLOSING_ACTIONS_MAX {
            if !self.bring_to_end() {
                break;
            }
            self.check();
        }
        // An element that listens again and again can keep an instance busy for longer than this.
        for root in self.roots() {
            self.cancel(root);
        }
        while self.do_timer() {}
        self.check();
        self.expect_end();
    }

    fn first_variables(&mut self) -> String {
        let mut members = vec!["\"key\":\"k1\"".to_owned()];
        let items: Vec<String> = (0..self.dice.index(5)).map(|n| n.to_string()).collect();
        if self.dice.percent(90) {
            members.push(format!("\"items\":[{}]", items.join(",")));
        }
        for name in self.numbers {
            if self.dice.percent(90) {
                members.push(format!("\"{name}\":{}", self.dice.index(4)));
            }
        }
        format!("{{{}}}", members.join(","))
    }

    /// No command of the engine itself is refused, and none finds the state broken.
    fn check(&self) {
        let is_wrong = |record: &&Record| match &record.event {
            Event::Rejected { rejection, intent } => {
                rejection.code == RejectionCode::ProcessingError || !is_from_outside(intent)
            }
            _ => false,
        };
        let wrong = self.engine.records.iter().find(is_wrong);
        assert!(wrong.is_none(), "a command of the engine was refused: {wrong:?}");
    }

    fn run(&mut self, command: Command) {
        let _ = self.engine.run(command);
    }

    /// One random thing that can happen now; false if nothing can.
    fn act(&mut self) -> bool {
        let roots = self.roots();
        if roots.is_empty() {
            return false;
        }
        match self.dice.index(100) {
            0 => self.cancel(roots[0]),
            1..=3 => self.set_variables(roots[0]),
            4..=9 if self.do_signal() => {}
            10..=24 if self.do_message() => {}
            25..=34 if self.do_timer() => {}
            35..=44 if self.do_user_task() => {}
            45..=54 if self.do_incident() => {}
            _ => return self.do_job() || self.do_anything(),
        }
        true
    }

    fn do_anything(&mut self) -> bool {
        self.do_user_task() || self.do_message() || self.do_timer() || self.do_signal() || self.do_incident()
    }

    fn roots(&self) -> Vec<ProcessInstanceKey> {
        self.engine.store.of(|entity| match entity {
            Entity::ProcessInstance(instance) if instance.parent.is_none() => Some(instance.key),
            _ => None,
        })
    }

    fn cancel(&mut self, instance: ProcessInstanceKey) {
        self.run(Command::CancelInstance(CancelInstance { instance }));
    }

    fn set_variables(&mut self, instance: ProcessInstanceKey) {
        let variables = self.results();
        let command = SetVariables { scope: instance.scope(), variables, is_local: self.dice.percent(50) };
        self.run(Command::SetVariables(command));
    }

    fn results(&mut self) -> Variables {
        let mut results = Variables::default();
        for name in self.numbers {
            if self.dice.percent(20) {
                results.set(name.as_str(), RawJson::new(self.dice.index(4).to_string()));
            }
        }
        if self.dice.percent(40) {
            results.set("result", RawJson::new(self.dice.index(100).to_string()));
        }
        results
    }

    fn do_job(&mut self) -> bool {
        let jobs: Vec<_> =
            self.engine.jobs().into_iter().filter(|job| job.state == JobState::Waiting).collect();
        if jobs.is_empty() {
            return false;
        }
        let job = self.dice.pick(&jobs);
        let (key, variables) = (job.key, self.results());
        let lease = None;
        let command = match self.dice.index(20) {
            0..=2 => {
                let count = 1 + self.dice.index(3) as u32;
                self.engine.activate(&job.job_type, count);
                return true;
            }
            3..=4 => Command::FailJob(FailJob {
                job: key,
                retries: self.dice.index(3) as i32,
                backoff_ms: 1_000 * self.dice.index(3) as i64,
                error_message: None,
                variables,
                lease,
            }),
            5..=7 => Command::ThrowJobError(ThrowJobError {
                job: key,
                error_code: Text::from(format!("e{}", self.dice.index(3))),
                error_message: None,
                variables,
                lease,
            }),
            _ => Command::CompleteJob(CompleteJob { business_id: None, job: key, variables, lease }),
        };
        self.run(command);
        true
    }

    fn do_user_task(&mut self) -> bool {
        let tasks = self
            .engine
            .store
            .of(|entity| if let Entity::UserTask(task) = entity { Some(task.key) } else { None });
        if tasks.is_empty() {
            return false;
        }
        let task = self.dice.pick(&tasks);
        let (action, variables) = (None, self.results());
        let command = match self.dice.index(4) {
            0 => Command::AssignUserTask(AssignUserTask {
                task,
                assignee: Some(Text::from("ann")),
                allow_override: self.dice.percent(50),
                action,
            }),
            1 => {
                let changes = UserTaskChanges { priority: Some(7), ..UserTaskChanges::default() };
                Command::UpdateUserTask(UpdateUserTask { task, changes, action })
            }
            _ => Command::CompleteUserTask(CompleteUserTask { task, variables, action }),
        };
        self.run(command);
        true
    }

    fn do_message(&mut self) -> bool {
        let waiting = self.engine.store.of(|entity| match entity {
            Entity::MessageSubscription(subscription) => Some(subscription),
            _ => None,
        });
        if waiting.is_empty() {
            return false;
        }
        let subscription = self.dice.pick(&waiting);
        let (tenant, name) = (TenantId::default(), subscription.message_name.clone());
        let (correlation_key, variables) = (subscription.correlation_key.clone(), self.results());
        let business_id = None;
        let command = if self.dice.percent(20) {
            Command::CorrelateMessage(CorrelateMessage {
                tenant,
                name,
                correlation_key,
                business_id,
                variables,
            })
        } else {
            Command::PublishMessage(PublishMessage {
                tenant,
                name,
                correlation_key,
                message_id: None,
                business_id,
                time_to_live_ms: 1_000 * self.dice.index(3) as i64,
                variables,
            })
        };
        self.run(command);
        true
    }

    fn do_signal(&mut self) -> bool {
        let names: BTreeSet<Text> = self
            .engine
            .store
            .of(|entity| match entity {
                Entity::SignalSubscription(subscription) => Some(subscription.signal_name.clone()),
                _ => None,
            })
            .into_iter()
            .collect();
        let names: Vec<Text> = names.into_iter().collect();
        if names.is_empty() {
            return false;
        }
        let (tenant, name) = (TenantId::default(), self.dice.pick(&names));
        let variables = self.results();
        self.run(Command::BroadcastSignal(BroadcastSignal { tenant, name, variables }));
        true
    }

    /// The next timer fires, whatever it is for.
    fn do_timer(&mut self) -> bool {
        let next = self.engine.timers().into_iter().min_by_key(|timer| (timer.due_at, timer.key));
        let Some(timer) = next else { return false };
        let wait_ms = (timer.due_at.0 - self.engine.now.0).max(0);
        self.engine.advance(wait_ms);
        true
    }

    fn do_incident(&mut self) -> bool {
        let incidents = self.engine.incidents();
        if incidents.is_empty() {
            return false;
        }
        let incident = self.dice.pick(&incidents);
        self.mend(&incident);
        true
    }

    /// Repairs what an incident complains about, and resolves it.
    fn mend(&mut self, incident: &Arc<Incident>) {
        if let Some(job) = incident.job {
            self.run(Command::UpdateJob(UpdateJob {
                job,
                retries: Some(1),
                timeout_ms: None,
                priority: None,
                lease: None,
            }));
        } else {
            let scope = incident.origin.instance.scope();
            let variables = self.good_variables();
            self.run(Command::SetVariables(SetVariables { scope, variables, is_local: false }));
        }
        self.run(Command::ResolveIncident(ResolveIncident { incident: incident.key }));
    }

    fn good_variables(&self) -> Variables {
        let mut variables = Variables::parse(r#"{"key":"k1","items":[7]}"#).expect("valid");
        for name in self.numbers {
            variables.set(name.as_str(), RawJson::new("2"));
        }
        variables
    }

    /// The next thing that helps the instance to its end; false when nothing is left to do.
    fn bring_to_end(&mut self) -> bool {
        if self.roots().is_empty() {
            return self.do_timer();
        }
        let job = self.engine.jobs().into_iter().find(|job| job.state == JobState::Waiting);
        if let Some(job) = job {
            let variables = self.good_variables();
            self.run(Command::CompleteJob(CompleteJob {
                business_id: None,
                job: job.key,
                variables,
                lease: None,
            }));
            return true;
        }
        let incidents = self.engine.incidents();
        let is_hopeless = |incident: &&Arc<Incident>| {
            incident.job.is_none() && incident.kind == IncidentKind::UnhandledErrorEvent
        };
        if let Some(incident) = incidents.iter().find(|incident| !is_hopeless(incident)) {
            self.mend(incident);
            return true;
        }
        if let Some(incident) = incidents.first() {
            self.cancel(incident.origin.root);
            return true;
        }
        // Some may be waited for again and again: nobody else may starve because of them.
        let has_acted = self.dice.percent(30) && self.do_signal()
            || self.do_user_task()
            || self.do_timer()
            || self.do_message()
            || self.do_signal();
        assert!(has_acted, "an instance stands still");
        true
    }

    fn expect_end(&self) {
        let left = self.engine.store.left_behind();
        assert!(left.is_empty(), "left behind: {left:#?}");
        let rows = self.engine.working.rows();
        assert_eq!(rows, 0, "rows left in memory");
    }
}

fn is_from_outside(intent: &str) -> bool {
    !matches!(
        intent,
        "CONTINUE"
            | "TRIGGER"
            | "TIME_OUT"
            | "SUBSCRIBE"
            | "UNSUBSCRIBE"
            | "CORRELATE_SUBSCRIPTION"
            | "ANSWER_CORRELATION"
            | "RELEASE"
            | "DELIVER"
    )
}
