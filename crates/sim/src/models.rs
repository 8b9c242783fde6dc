//! Random models of which it is known what every instance must do: how often each element runs, and how long after what each
//! job can come at the earliest.

use crate::world::World;
use std::collections::BTreeMap;
use tidemill_bpmn::builder::{ModelBuilder, Timer};

/// Items of the lists that instances are created with.
pub(crate) const ITEMS: usize = 3;
pub(crate) const MANY: usize = 60;
pub(crate) const JOB_TYPE: &str = "work";
pub(crate) const SIGNAL: &str = "signal";

pub(crate) struct Model {
    pub(crate) process_id: String,
    pub(crate) xml: String,
    /// By the id of their element.
    pub(crate) jobs: BTreeMap<String, JobSpec>,
    /// How often elements run in an instance and in those that it calls.
    pub(crate) elements: BTreeMap<String, usize>,
    /// Names of messages that it waits for.
    pub(crate) messages: Vec<String>,
    pub(crate) waits_for_signal: bool,
    /// The timers of an instance.
    pub(crate) timers: usize,
}

pub(crate) struct JobSpec {
    pub(crate) count: usize,
    pub(crate) earliest: Earliest,
    /// A boundary event may end it.
    pub(crate) is_optional: bool,
}

/// Not before this long after something was sent.
#[derive(Clone)]
pub(crate) struct Earliest {
    pub(crate) after: Sent,
    pub(crate) ms: u64,
}

#[derive(Clone)]
pub(crate) enum Sent {
    Creation,
    /// The completion of the job of this element.
    Completion(String),
}

pub(crate) fn random(world: &World, number: usize, version: usize) -> Model {
    let process_id = format!("p{number}");
    let mut maker = Maker {
        world,
        prefix: process_id.clone(),
        ids: 0,
        calls: Vec::new(),
        earliest: Earliest { after: Sent::Creation, ms: 0 },
        model: Model {
            process_id: process_id.clone(),
            xml: String::new(),
            jobs: BTreeMap::new(),
            elements: BTreeMap::new(),
            messages: Vec::new(),
            waits_for_signal: false,
            timers: 0,
        },
    };
    let mut builder = ModelBuilder::process(&process_id).start("start");
    for _ in 0..world.between(1, 4) {
        builder = maker.block(builder, true);
    }
    // Whatever comes last can be seen by a worker.
    builder = maker.job(builder).end("end");
    for (called, seconds) in std::mem::take(&mut maker.calls) {
        builder = builder.and_process(&called).start(&format!("start_{called}"));
        if seconds > 0 {
            builder =
                builder.catch_timer(&format!("timer_{called}"), Timer::duration(&format!("PT{seconds}S")));
        }
        builder = builder.service_task(&format!("job_{called}"), |task| task.job_type(JOB_TYPE));
        builder = builder.end(&format!("end_{called}"));
    }
    maker.model.xml = builder.version_tag(&format!("v{version}")).xml();
    maker.model
}

struct Maker<'w> {
    world: &'w World,
    prefix: String,
    ids: usize,
    /// Processes that are called, and how many seconds they wait.
    calls: Vec<(String, u64)>,
    earliest: Earliest,
    model: Model,
}

impl Maker<'_> {
    fn id(&mut self, kind: &str, count: usize) -> String {
        self.ids += 1;
        let id = format!("{kind}_{}_{}", self.prefix, self.ids);
        self.model.elements.insert(id.clone(), count);
        id
    }

    fn note_job(&mut self, id: &str, count: usize, is_optional: bool) {
        let job = JobSpec { count, earliest: self.earliest.clone(), is_optional };
        self.model.jobs.insert(id.to_owned(), job);
    }

    fn block(&mut self, builder: ModelBuilder, may_fork: bool) -> ModelBuilder {
        match self.world.below(13) {
            0..=2 => self.job(builder),
            3..=4 => self.timer(builder),
            5 => self.message(builder),
            6 => self.signal(builder),
            7 => self.multi_instance(builder),
            8 => self.call(builder),
            9 => self.guarded(builder),
            10 if may_fork => self.fork(builder),
            11 => self.storm(builder),
            12 => self.user_task(builder),
            _ => self.job(builder),
        }
    }

    fn job(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("job", 1);
        self.note_job(&id, 1, false);
        self.earliest = Earliest { after: Sent::Completion(id.clone()), ms: 0 };
        builder.service_task(&id, |task| task.job_type(JOB_TYPE))
    }

    fn timer(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, seconds) = (self.id("timer", 1), self.world.between(0, 6));
        self.earliest.ms += seconds * 1_000;
        self.model.timers += 1;
        builder.catch_timer(&id, Timer::duration(&format!("PT{seconds}S")))
    }

    fn message(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("message", 1);
        self.model.messages.push(id.clone());
        builder.catch_message(&id, (id.as_str(), "=key"))
    }

    fn signal(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("signal", 1);
        self.model.waits_for_signal = true;
        builder.catch_signal(&id, SIGNAL)
    }

    fn user_task(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("task", 1);
        builder.user_task(&id, |task| task)
    }

    /// The body counts as an element as well.
    fn multi_instance(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, is_sequential) = (self.id("multi", ITEMS + 1), self.world.percent(50));
        self.note_job(&id, ITEMS, false);
        builder.service_task(&id, |task| {
            let task = task.job_type(JOB_TYPE).multi_instance("=items", "item").collect("=item", "list");
            if is_sequential { task.sequential() } else { task }
        })
    }

    fn call(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, seconds) = (self.id("call", 1), self.world.below(4));
        let called = format!("called_{id}");
        self.earliest.ms += seconds * 1_000;
        let job = format!("job_{called}");
        self.note_job(&job, 1, false);
        self.model.elements.insert(job, 1);
        if seconds > 0 {
            self.model.elements.insert(format!("timer_{called}"), 1);
            self.model.timers += 1;
        }
        self.calls.push((called.clone(), seconds));
        builder.call_activity(&id, &called, |call| call)
    }

    /// A job that has only so much time.
    fn guarded(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, merge) = (self.id("guarded", 1), self.id("merge", 1));
        let seconds = self.world.between(2, 8);
        self.note_job(&id, 1, true);
        self.model.timers += 1;
        builder
            .service_task(&id, |task| task.job_type(JOB_TYPE))
            .exclusive(&merge)
            .boundary_timer(&format!("late_{id}"), &id, Timer::duration(&format!("PT{seconds}S")))
            .connect_to(&merge)
            .move_to(&merge)
    }

    fn fork(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (fork, join) = (self.id("fork", 1), self.id("join", 1));
        let before = self.earliest.clone();
        let builder = self.block(builder.parallel(&fork), false);
        let builder = builder.parallel(&join);
        self.earliest = before.clone();
        let builder = self.block(builder.move_to(&fork), false);
        self.earliest = before;
        builder.connect_to(&join).move_to(&join)
    }

    /// Many timers that are due at the same time.
    fn storm(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, timer, seconds) =
            (self.id("storm", MANY + 1), self.id("timer", MANY), self.world.between(1, 5));
        self.earliest.ms += seconds * 1_000;
        self.model.timers += MANY;
        builder
            .sub_process(&id, |inside| {
                let inside = inside.start(&format!("start_{id}"));
                let inside = inside.catch_timer(&timer, Timer::duration(&format!("PT{seconds}S")));
                inside.end(&format!("end_{id}"))
            })
            .with_element(&id, |o| o.multi_instance("=many", "item"))
    }
}
