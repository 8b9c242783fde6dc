//! Commands and requests as short words, and the processes that scenarios use.

use super::{BEGIN, Bench, HERE, store};
use std::sync::Arc;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_model::command::*;
use tidemill_model::entity::{Job, ProcessXml};
use tidemill_model::*;
use tidemill_partition::{CallId, CommandOptions, Envelope, Idempotency, Request};
use tidemill_store::query::{Page, Search};
use tidemill_store::view::IncidentView;
use tidemill_store::{
    Batch, BatchId, Commit, DeadLetters, Inbox, InboxEntry, LetterNumber, NewInboxEntry, Position, Searches,
    StoredLetter,
};

/// Ends at once.
pub fn quick() -> ModelBuilder {
    ModelBuilder::process("quick").start("s").end("e")
}

/// Waits for a worker.
pub fn work() -> ModelBuilder {
    ModelBuilder::process("work").start("s").service_task("t", |task| task.job_type("t")).end("e")
}

/// Waits for ten seconds.
pub fn sleep() -> ModelBuilder {
    ModelBuilder::process("sleep").start("s").catch_timer("c", Timer::duration("PT10S")).end("e")
}

/// Waits for a message.
pub fn listen() -> ModelBuilder {
    ModelBuilder::process("listen").start("s").catch_message("c", ("news", "=key")).end("e")
}

pub fn variables(json: &str) -> Variables {
    Variables::parse(json).expect("a test writes good JSON")
}

pub fn create_command(process_id: &str) -> CreateInstance {
    CreateInstance {
        definition: DefinitionRef::Latest(Text::from(process_id)),
        tenant: TenantId::default(),
        variables: Variables::default(),
        start: Vec::new(),
        terminate_after: Vec::new(),
        tags: Vec::new(),
        business_id: None,
        is_unique: false,
    }
}

pub fn create(process_id: &str) -> Command {
    Command::CreateInstance(Box::new(create_command(process_id)))
}

pub fn create_with(process_id: &str, json: &str) -> Command {
    Command::CreateInstance(Box::new(CreateInstance {
        variables: variables(json),
        ..create_command(process_id)
    }))
}

pub fn cancel(instance: ProcessInstanceKey) -> Command {
    Command::CancelInstance(CancelInstance { instance })
}

pub fn complete(job: JobKey) -> Command {
    Command::CompleteJob(CompleteJob { business_id: None, job, variables: Variables::default(), lease: None })
}

/// A worker gives a job back, which has a try left.
pub fn fail(job: JobKey) -> Command {
    Command::FailJob(FailJob {
        job,
        retries: 1,
        backoff_ms: 0,
        error_message: None,
        variables: Variables::default(),
        lease: None,
    })
}

pub fn resolve(incident: IncidentKey) -> Command {
    Command::ResolveIncident(ResolveIncident { incident })
}

pub fn set_variables(instance: ProcessInstanceKey, json: &str) -> Command {
    let scope = instance.scope();
    Command::SetVariables(SetVariables { scope, variables: variables(json), is_local: true })
}

pub fn correlate(key: &str) -> Command {
    Command::CorrelateMessage(CorrelateMessage {
        tenant: TenantId::default(),
        name: Text::from("news"),
        correlation_key: Text::from(key),
        business_id: None,
        variables: Variables::default(),
    })
}

pub fn activate(timeout_ms: i64) -> ActivateJobs {
    ActivateJobs {
        job_type: Text::from("t"),
        worker: Text::from("worker"),
        timeout_ms,
        jobs_max: 10,
        fetch_variables: Vec::new(),
        tenants: vec![TenantId::default()],
        with_lease: false,
    }
}

/// An idempotency key and what tells requests apart that use it.
pub fn keyed(key: &str, fingerprint: u64) -> CommandOptions {
    let idempotency = Some(Idempotency { key: Text::from(key), fingerprint });
    CommandOptions { idempotency, ..CommandOptions::default() }
}

pub fn deployment(models: &[ModelBuilder]) -> Command {
    let file = |(number, model): (usize, &ModelBuilder)| ResourceFile {
        name: Text::from(format!("{number}.bpmn")),
        content: Arc::from(model.xml().as_bytes()),
    };
    let files = models.iter().enumerate().map(file).collect();
    Command::Deploy(Deploy { tenant: TenantId::default(), files })
}

impl Bench {
    /// With these processes deployed and nothing in memory but them.
    #[track_caller]
    pub fn with(models: &[ModelBuilder]) -> Bench {
        let mut bench = Bench::new();
        bench.deploy(models);
        bench
    }

    #[track_caller]
    pub fn deploy(&mut self, models: &[ModelBuilder]) {
        self.done(deployment(models));
    }

    #[track_caller]
    pub fn started(&mut self, process_id: &str) -> ProcessInstanceKey {
        self.started_with(create(process_id))
    }

    #[track_caller]
    pub fn started_with(&mut self, create: Command) -> ProcessInstanceKey {
        match self.done(create) {
            Answer::Created(created) => created.instance,
            other => panic!("unexpected answer {other:?}"),
        }
    }

    pub fn create_and_await(&mut self, process_id: &str, options: CommandOptions) -> CallId {
        let command = Box::new(create_command(process_id));
        self.request(Request::CreateAndAwait { command, options })
    }

    pub fn send_keyed(&mut self, command: Command, key: &str, fingerprint: u64) -> CallId {
        self.request(Request::Execute { command, options: keyed(key, fingerprint) })
    }

    /// A worker that waits this long for jobs of the process `work`, which it then has for ten seconds.
    pub fn poll(&mut self, wait_ms: u64) -> CallId {
        self.poll_for(activate(10_000), Some(wait_ms))
    }

    pub fn poll_for(&mut self, command: ActivateJobs, wait_ms: Option<u64>) -> CallId {
        let until_ms = wait_ms.map(|wait_ms| self.moment.elapsed_ms + wait_ms);
        self.request(Request::ActivateJobs { command, until_ms })
    }

    /// The live job of an instance of the process `work`.
    #[track_caller]
    pub fn job_of(&self, instance: ProcessInstanceKey) -> Arc<Job> {
        let rows = store::load(&self.store, Need::Instance(instance));
        let job = rows.into_iter().find_map(|row| if let Entity::Job(job) = row { Some(job) } else { None });
        job.expect("it waits for a worker")
    }

    /// Writes another file for a definition straight into the store, and hands the partition over: the next owner has nothing in
    /// memory.
    pub fn replace_file(&mut self, process_id: &str, xml: &str) -> DefinitionKey {
        let need = Need::Process { tenant: TenantId::default(), process_id: Text::from(process_id) };
        let rows = store::load(&self.store, need);
        let definition = rows.into_iter().find_map(|row| match row {
            Entity::ProcessDefinition(head) => Some(head.key),
            _ => None,
        });
        let definition = definition.expect("it is deployed");
        self.batches_beside += 1;
        let id = BatchId(i64::MAX - self.batches_beside);
        let at = Timestamp(self.store_now());
        let file = ProcessXml { definition, xml: Arc::from(xml) };
        let changes = vec![Change::Put(Arc::new(file).into())];
        let batch = Batch { changes, ..Batch::empty(self.core.fence().clone(), id, at) };
        store::commit(&self.store, batch).expect("the store works");
        self.hand_over();
        definition
    }

    /// The incidents that are open.
    pub fn incidents(&self) -> Vec<IncidentView> {
        let found = store::now(self.store.incidents(&Search::default())).expect("the store works");
        found.items.into_iter().filter(|incident| incident.ended_at.is_none()).collect()
    }

    pub fn retry_letter(&mut self, number: LetterNumber) {
        let at = Timestamp(self.store_now());
        let position = store::now(self.store.retry_dead_letter(number, at)).expect("the store works");
        position.expect("the letter is there");
        self.offer(tidemill_partition::Event::InboxHasGrown);
    }

    /// Something for the inbox, which the engine sends itself.
    pub fn append(&mut self, command: Command) -> Position {
        self.append_bytes(Envelope::internal(command).pack())
    }

    pub fn append_bytes(&mut self, payload: Vec<u8>) -> Position {
        let entry = NewInboxEntry { partition: HERE, received_at: Timestamp(BEGIN), payload };
        let position = store::now(self.store.append(vec![entry])).expect("the store works").swap_remove(0);
        self.offer(tidemill_partition::Event::InboxHasGrown);
        position
    }

    pub fn letters(&self) -> Vec<StoredLetter> {
        store::letters(&self.store)
    }

    /// Every command that was written, in order.
    pub fn log(&self) -> Vec<Command> {
        store::log(&self.store)
    }

    /// When each batch was written, by the time of the partition.
    pub fn log_times(&self) -> Vec<i64> {
        store::batches(&self.store).iter().map(|batch| batch.at.0).collect()
    }

    pub fn times_logged(&self, is_it: impl Fn(&Command) -> bool) -> usize {
        self.log().iter().filter(|command| is_it(command)).count()
    }

    /// The commands that wait for another partition.
    pub fn inbox_of(&self, partition: PartitionId) -> Vec<Command> {
        let entries = store::now(self.store.waiting(partition, usize::MAX)).expect("the store works");
        let command = |entry: InboxEntry| Envelope::unpack(&entry.payload).expect("it was packed so").command;
        entries.into_iter().map(command).collect()
    }

    /// The note of the owner about the commands that it is about to run.
    pub fn stored_note(&self) -> Option<Vec<u8>> {
        store::now(self.store.in_hand(HERE)).expect("the store works")
    }

    pub fn inbox_len(&self) -> usize {
        store::now(self.store.waiting(HERE, usize::MAX)).expect("the store works").len()
    }

    /// How an instance stands in the store: ACTIVE, COMPLETED, TERMINATED; none where it was never written.
    pub fn state_of(&self, instance: ProcessInstanceKey) -> Option<String> {
        let found = store::now(self.store.process_instance(instance)).expect("the store works");
        found.map(|instance| instance.state.name().to_owned())
    }

    /// The values of all variables of this name, of living and ended instances.
    pub fn variable_values(&self, name: &str) -> Vec<String> {
        let search = Search::default().page(Page { limit: 10_000, ..Page::default() });
        let found = store::now(self.store.variables(&search)).expect("the store works").items;
        let named = found.into_iter().filter(|variable| variable.name == name);
        named.map(|variable| variable.value.to_string()).collect()
    }

    pub fn called_by(&self, caller: ProcessInstanceKey) -> ProcessInstanceKey {
        let search = Search::default().page(Page { limit: 10_000, ..Page::default() });
        let found = store::now(self.store.process_instances(&search)).expect("the store works").items;
        let called = found.into_iter().find(|one| one.parent_instance == Some(caller));
        called.expect("it calls another process").key
    }

    /// The instances of all processes that are in the store.
    pub fn instance_count(&self) -> usize {
        let search = Search::default().page(Page { limit: 10_000, ..Page::default() });
        store::now(self.store.process_instances(&search)).expect("the store works").items.len()
    }
}

pub fn is_trigger(command: &Command) -> bool {
    matches!(command, Command::TriggerTimer(_))
}

pub fn is_create(command: &Command) -> bool {
    matches!(command, Command::CreateInstance(_))
}
