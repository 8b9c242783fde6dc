//! Runs commands as a partition loop does: load what is missing, run again, follow up, commit.

use super::store::MemoryStore;
use std::collections::VecDeque;
use std::sync::Arc;
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_engine::{InstanceEnd, Reply, Working, process};
use tidemill_model::command::*;
use tidemill_model::entity::*;
use tidemill_model::*;

/// Where the clock of a test begins: 2026-01-01T00:00:00Z.
pub const BEGIN: Timestamp = Timestamp(1_767_225_600_000);

/// Commands that one command may lead to.
const COMMANDS_MAX: usize = 10_000;

pub struct Harness {
    pub working: Working,
    pub store: MemoryStore,
    pub now: Timestamp,
    pub records: Vec<Record>,
    pub ended: Vec<InstanceEnd>,
    pub replies: Vec<(ReplyToken, Result<Answer, Rejection>)>,
    /// Commands that followed from others.
    pub follow_ups: usize,
    /// The most work that the expressions of one command took.
    pub feel_steps_max: u64,
    /// The most work of all kinds that one command took.
    pub work_max: u64,
    /// Times that a command had to wait for something to be loaded.
    pub rounds: usize,
    /// Forget everything in memory after each command, so that all state goes through the store.
    pub reload_always: bool,
    /// Rows that stay in memory after a batch.
    pub evict_to: Option<usize>,
    /// Keep every command in `commands`, to run them again elsewhere.
    pub keeps_commands: bool,
    pub commands: Vec<(Timestamp, Command)>,
    key_high_water: u64,
}

/// How an instance is created.
pub struct Start<'a> {
    harness: &'a mut Harness,
    command: CreateInstance,
}

impl Harness {
    pub fn new() -> Harness {
        Harness {
            working: fresh(1),
            store: MemoryStore::default(),
            now: BEGIN,
            records: Vec::new(),
            ended: Vec::new(),
            replies: Vec::new(),
            follow_ups: 0,
            feel_steps_max: 0,
            work_max: 0,
            rounds: 0,
            reload_always: false,
            evict_to: None,
            keeps_commands: false,
            commands: Vec::new(),
            key_high_water: 1,
        }
    }

    /// With everything forgotten after each command.
    pub fn forgetful() -> Harness {
        let mut harness = Harness { reload_always: true, ..Harness::new() };
        harness.store.writes_text = true;
        harness
    }

    /// Forgets what has happened so far; the state stays.
    pub fn clear_log(&mut self) {
        self.records.clear();
        self.ended.clear();
        self.replies.clear();
        self.commands.clear();
        self.store.ended.clear();
    }

    /// Runs a command and all that follows from it, and commits.
    pub fn run(&mut self, command: Command) -> Result<Answer, Rejection> {
        if self.keeps_commands {
            self.commands.push((self.now, command.clone()));
        }
        let mut queue = VecDeque::from([command]);
        let (mut first, mut count) = (None, 0);
        while let Some(command) = queue.pop_front() {
            count += 1;
            assert!(count < COMMANDS_MAX, "commands follow from each other for ever: {command:?}");
            let outcome = self.process(&command);
            self.records.extend(outcome.records);
            self.ended.extend(outcome.ended);
            self.replies.extend(outcome.replies);
            self.follow_ups += outcome.follow_ups.len();
            self.feel_steps_max = self.feel_steps_max.max(outcome.feel_steps);
            self.work_max = self.work_max.max(outcome.work);
            queue.extend(outcome.follow_ups.into_iter().map(|follow_up| follow_up.command));
            first.get_or_insert(outcome.reply);
            if self.reload_always {
                self.commit();
            }
        }
        self.commit();
        match first.expect("one command ran") {
            Reply::Now(answer) => Ok(answer),
            Reply::Rejected(rejection) => Err(rejection),
            Reply::Later(token) => {
                let at = self.replies.iter().position(|(known, _)| *known == token);
                self.replies.remove(at.unwrap_or_else(|| panic!("no reply came\n{}", self.log()))).1
            }
        }
    }

    /// Runs commands and what follows from them in one batch: the store learns of nothing before the end.
    pub fn run_batch(&mut self, commands: Vec<Command>) -> Vec<Reply> {
        let mut replies = Vec::new();
        let mut queue = VecDeque::from(commands);
        while let Some(command) = queue.pop_front() {
            let outcome = self.process(&command);
            self.records.extend(outcome.records);
            self.replies.extend(outcome.replies);
            replies.push(outcome.reply);
            queue.extend(outcome.follow_ups.into_iter().map(|follow_up| follow_up.command));
        }
        self.commit();
        replies
    }

    /// Runs commands and commits; gives what they lead to, which is still to be run.
    pub fn run_first(&mut self, commands: Vec<Command>) -> Vec<Command> {
        let outcomes: Vec<_> = commands.iter().map(|command| self.process(command)).collect();
        self.commit();
        let follow_ups = outcomes.into_iter().flat_map(|outcome| outcome.follow_ups);
        follow_ups.map(|follow_up| follow_up.command).collect()
    }

    fn process(&mut self, command: &Command) -> tidemill_engine::Outcome {
        for _ in 0..5_000 {
            match process(&mut self.working, command, self.now) {
                Ok(outcome) => return outcome,
                Err(missing) => {
                    self.rounds += 1;
                    for need in missing.rows {
                        self.working.supply(self.store.answer(need));
                    }
                }
            }
        }
        panic!("a command asks for ever: {command:?}\n{}", self.log());
    }

    pub fn commit(&mut self) {
        self.store.apply(self.working.take_changes());
        self.working.end_batch();
        if let Some(rows_max) = self.evict_to {
            self.working.evict(rows_max);
        }
        if self.reload_always {
            self.working.forget();
            self.working.load_leases(self.store.leases());
        }
    }

    /// Begins anew, as a new owner of the partition does.
    pub fn reload(&mut self) {
        self.key_high_water = self.working.next_key();
        self.working = fresh(self.key_high_water);
        self.working.load_leases(self.store.leases());
    }

    pub fn deploy(&mut self, model: &ModelBuilder) -> Deployment {
        self.deploy_files(&[("model.bpmn", &model.xml())]).unwrap_or_else(|refused| panic!("{refused}"))
    }

    pub fn deploy_files(&mut self, files: &[(&str, &str)]) -> Result<Deployment, Rejection> {
        let file = |(name, content): &(&str, &str)| ResourceFile {
            name: Text::from(*name),
            content: Arc::from(content.as_bytes()),
        };
        let files = files.iter().map(file).collect();
        match self.run(Command::Deploy(Deploy { tenant: TenantId::default(), files }))? {
            Answer::Deployed(deployment) => Ok(deployment),
            other => panic!("unexpected answer {other:?}"),
        }
    }

    pub fn create(&mut self, process_id: &str) -> Start<'_> {
        let command = CreateInstance {
            definition: DefinitionRef::Latest(Text::from(process_id)),
            tenant: TenantId::default(),
            variables: Variables::default(),
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
            is_unique: false,
        };
        Start { harness: self, command }
    }

    /// Creates an instance with these variables.
    pub fn start(&mut self, process_id: &str, variables: &str) -> ProcessInstanceKey {
        self.create(process_id).variables(variables).go()
    }

    pub fn cancel(&mut self, instance: ProcessInstanceKey) -> Result<Answer, Rejection> {
        self.run(Command::CancelInstance(CancelInstance { instance }))
    }

    /// Hands out jobs of a type.
    pub fn activate(&mut self, job_type: &str, jobs_max: u32) -> Vec<ActivatedJob> {
        let command = ActivateJobs {
            job_type: Text::from(job_type),
            worker: Text::from("worker"),
            timeout_ms: 60_000,
            jobs_max,
            fetch_variables: Vec::new(),
            tenants: vec![TenantId::default()],
            with_lease: false,
        };
        match self.run(Command::ActivateJobs(command)) {
            Ok(Answer::Activated(jobs)) => jobs,
            other => panic!("unexpected answer {other:?}"),
        }
    }

    /// The oldest live job of a type, whoever holds it.
    pub fn job(&self, job_type: &str) -> Arc<Job> {
        let jobs = self.store.of(|entity| match entity {
            Entity::Job(job) if job.job_type == job_type => Some(job),
            _ => None,
        });
        jobs.into_iter().next().unwrap_or_else(|| panic!("no job of type {job_type}\n{}", self.log()))
    }

    pub fn jobs(&self) -> Vec<Arc<Job>> {
        self.store.of(|entity| if let Entity::Job(job) = entity { Some(job) } else { None })
    }

    /// Completes the oldest job of a type.
    pub fn complete(&mut self, job_type: &str, variables: &str) {
        let job = self.job(job_type).key;
        self.complete_job(job, variables).unwrap_or_else(|refused| panic!("{refused}\n{}", self.log()));
    }

    pub fn complete_job(&mut self, job: JobKey, variables: &str) -> Result<Answer, Rejection> {
        let variables = parse(variables);
        self.run(Command::CompleteJob(CompleteJob { business_id: None, job, variables, lease: None }))
    }

    pub fn fail(&mut self, job_type: &str, retries: i32, backoff_ms: i64) {
        let command = FailJob {
            job: self.job(job_type).key,
            retries,
            backoff_ms,
            error_message: Some(Text::from("it broke")),
            variables: Variables::default(),
            lease: None,
        };
        self.run(Command::FailJob(command)).unwrap_or_else(|refused| panic!("{refused}\n{}", self.log()));
    }

    pub fn throw(&mut self, job_type: &str, code: &str, variables: &str) {
        let command = ThrowJobError {
            job: self.job(job_type).key,
            error_code: Text::from(code),
            error_message: None,
            variables: parse(variables),
            lease: None,
        };
        self.run(Command::ThrowJobError(command))
            .unwrap_or_else(|refused| panic!("{refused}\n{}", self.log()));
    }

    pub fn publish(&mut self, name: &str, correlation_key: &str, variables: &str) -> MessageKey {
        self.publish_for(name, correlation_key, variables, 0)
    }

    /// Publishes a message that lives this long.
    pub fn publish_for(
        &mut self,
        name: &str,
        key: &str,
        variables: &str,
        time_to_live_ms: i64,
    ) -> MessageKey {
        let command = PublishMessage {
            tenant: TenantId::default(),
            name: Text::from(name),
            correlation_key: Text::from(key),
            message_id: None,
            business_id: None,
            time_to_live_ms,
            variables: parse(variables),
        };
        match self.run(Command::PublishMessage(command)) {
            Ok(Answer::Published { message, .. }) => message,
            other => panic!("unexpected answer {other:?}"),
        }
    }

    pub fn correlate(&mut self, name: &str, key: &str, variables: &str) -> Result<Answer, Rejection> {
        self.run(Command::CorrelateMessage(CorrelateMessage {
            tenant: TenantId::default(),
            name: Text::from(name),
            correlation_key: Text::from(key),
            business_id: None,
            variables: parse(variables),
        }))
    }

    pub fn broadcast(&mut self, name: &str, variables: &str) {
        let (name, variables) = (Text::from(name), parse(variables));
        let command = BroadcastSignal { tenant: TenantId::default(), name, variables };
        self.run(Command::BroadcastSignal(command)).expect("signals are always taken");
    }

    pub fn set_variables(&mut self, scope: ElementInstanceKey, variables: &str, is_local: bool) {
        let variables = parse(variables);
        self.run(Command::SetVariables(SetVariables { scope, variables, is_local }))
            .expect("the scope lives");
    }

    pub fn resolve(&mut self) -> Result<Answer, Rejection> {
        let incident = self.incident().key;
        self.run(Command::ResolveIncident(ResolveIncident { incident }))
    }

    /// The only open incident.
    pub fn incident(&self) -> Arc<Incident> {
        let mut incidents = self.incidents();
        assert_eq!(incidents.len(), 1, "one incident is open\n{}", self.log());
        incidents.remove(0)
    }

    pub fn incidents(&self) -> Vec<Arc<Incident>> {
        self.store.of(|entity| if let Entity::Incident(incident) = entity { Some(incident) } else { None })
    }

    /// Moves the clock and fires what has become due, in order.
    pub fn advance(&mut self, millis: i64) {
        let until = self.now + millis;
        loop {
            let next = self
                .timers()
                .into_iter()
                .filter(|timer| timer.due_at <= until)
                .min_by_key(|timer| (timer.due_at, timer.key));
            let Some(timer) = next else { break };
            self.now = self.now.max(timer.due_at);
            let timer = Timer::clone(&timer);
            self.run(Command::TriggerTimer(TriggerTimer { timer, was_put_aside: false }))
                .expect("timers fire");
        }
        self.now = until;
        let over: Vec<_> = self
            .held_jobs()
            .into_iter()
            .filter(|job| job.lease.as_ref().is_some_and(|lease| lease.deadline <= until))
            .map(|job| job.key)
            .collect();
        if !over.is_empty() {
            self.run(Command::ExpireLeases(ExpireLeases { jobs: over, at: until })).expect("leases expire");
        }
    }

    /// Jobs with the leases that hold them, wherever those are written.
    fn held_jobs(&self) -> Vec<Job> {
        let leases =
            self.store.of(|entity| if let Entity::JobLease(lease) = entity { Some(lease) } else { None });
        self.jobs()
            .into_iter()
            .map(|job| {
                let row = leases.iter().find(|row| row.holds(job.key) && Some(row.lease.key) > job.released);
                let lease = row.map(|row| row.lease.clone()).or(job.lease.clone());
                Job { lease, ..Job::clone(&job) }
            })
            .collect()
    }

    pub fn timers(&self) -> Vec<Arc<Timer>> {
        self.store.of(|entity| if let Entity::Timer(timer) = entity { Some(timer) } else { None })
    }

    /// The live instance of an element.
    pub fn element(&self, id: &str) -> Arc<ElementInstance> {
        let found = self.store.of(|entity| match entity {
            Entity::ElementInstance(element) if element.element_id == id => Some(element),
            _ => None,
        });
        found.into_iter().next().unwrap_or_else(|| panic!("{id} is not active\n{}", self.log()))
    }

    pub fn user_task(&self) -> Arc<UserTask> {
        let tasks =
            self.store.of(|entity| if let Entity::UserTask(task) = entity { Some(task) } else { None });
        tasks.into_iter().next().unwrap_or_else(|| panic!("there is no user task\n{}", self.log()))
    }
}

impl Start<'_> {
    pub fn variables(mut self, json: &str) -> Self {
        self.command.variables = parse(json);
        self
    }

    pub fn at(mut self, element_id: &str) -> Self {
        self.command.start.push(StartInstruction { element_id: Text::from(element_id) });
        self
    }

    pub fn terminate_after(mut self, element_id: &str) -> Self {
        self.command.terminate_after.push(Text::from(element_id));
        self
    }

    pub fn version(mut self, version: i32) -> Self {
        if let DefinitionRef::Latest(id) = &self.command.definition {
            self.command.definition = DefinitionRef::Version(id.clone(), version);
        }
        self
    }

    pub fn tags(mut self, tags: &[&str]) -> Self {
        self.command.tags = tags.iter().map(|tag| Text::from(*tag)).collect();
        self
    }

    pub fn business_id(mut self, id: &str) -> Self {
        self.command.business_id = Some(Text::from(id));
        self
    }

    pub fn try_go(self) -> Result<CreatedInstance, Rejection> {
        match self.harness.run(Command::CreateInstance(Box::new(self.command)))? {
            Answer::Created(created) => Ok(created),
            other => panic!("unexpected answer {other:?}"),
        }
    }

    pub fn go(self) -> ProcessInstanceKey {
        self.try_go().unwrap_or_else(|refused| panic!("{refused}")).instance
    }
}

fn fresh(next_key: u64) -> Working {
    let mut working = Working::new(PartitionId(1), PartitionCount::ONE).with_records();
    working.reserve_keys(next_key, u64::MAX >> 13);
    working
}

fn parse(json: &str) -> Variables {
    Variables::parse(json).unwrap_or_else(|error| panic!("{json}: {error}"))
}
