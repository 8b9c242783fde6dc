//! Random models of which it is known what every instance must do: how often each element runs, and how long after what each
//! job can come at the earliest.

use crate::world::World;
use std::collections::BTreeMap;
use tidemill_bpmn::builder::{ModelBuilder, Timer};

/// Items of the lists that instances are created with.
pub(crate) const ITEMS: usize = 3;
pub(crate) const MANY: usize = 60;
/// How often a part that repeats runs.
const ROUNDS: usize = 2;
pub(crate) const JOB_TYPE: &str = "work";
pub(crate) const SIGNAL: &str = "signal";
/// The end of the version tag, which tells the files of versions apart.
pub(crate) const FIRST_VERSION: &str = "_version1\"";
/// Stands in the files of models that a node of an older version cannot read.
pub(crate) const NEWER_MARK: &str = "value=\"newer_";
/// How many of the models are of that kind.
const NEWER_PERCENT: u64 = 40;
/// Blocks within blocks.
const DEPTH_MAX: usize = 3;
/// A model that has so many elements gets no further blocks within blocks.
const IDS_MAX: usize = 20;
/// Times that an element may run in one instance, through loops and lists around it.
const TIMES_MAX: usize = 9;

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

pub(crate) fn random(world: &World, number: usize) -> Model {
    let process_id = format!("p{number}");
    let mut maker = Maker {
        world,
        prefix: process_id.clone(),
        ids: 0,
        times: 1,
        depth: 0,
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
    for _ in 0..world.between(1, 5) {
        builder = maker.block(builder);
    }
    // A job comes last, so that a worker can see the end.
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
    let kind = if world.percent(NEWER_PERCENT) { "newer" } else { "plain" };
    maker.model.xml = builder.version_tag(&format!("{kind}_version1")).xml();
    maker.model
}

struct Maker<'w> {
    world: &'w World,
    prefix: String,
    ids: usize,
    /// How often the block at hand runs in an instance.
    times: usize,
    /// How many blocks it is inside of.
    depth: usize,
    /// Processes that are called, and how many seconds they wait.
    calls: Vec<(String, u64)>,
    earliest: Earliest,
    model: Model,
}

impl Maker<'_> {
    /// An element that runs so often each time the block at hand runs.
    fn id(&mut self, kind: &str, count: usize) -> String {
        self.ids += 1;
        let id = format!("{kind}_{}_{}", self.prefix, self.ids);
        self.model.elements.insert(id.clone(), count * self.times);
        id
    }

    fn note_job(&mut self, id: &str, count: usize, is_optional: bool) {
        let job = JobSpec { count: count * self.times, earliest: self.earliest.clone(), is_optional };
        self.model.jobs.insert(id.to_owned(), job);
    }

    fn block(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let is_inside = self.depth > 0;
        let may_nest = self.depth < DEPTH_MAX && self.ids < IDS_MAX;
        match self.world.below(17) {
            0..=2 => self.job(builder),
            3..=4 => self.timer(builder),
            5 => self.message(builder),
            6 => self.signal(builder),
            7 => self.multi_instance(builder),
            8 => self.call(builder),
            9 => self.guarded(builder),
            10 if may_nest => self.nested(builder, Maker::fork),
            11 if !is_inside => self.storm(builder),
            12 => self.user_task(builder),
            13 if may_nest => self.nested(builder, Maker::sub_process),
            14 if may_nest && self.times * ITEMS <= TIMES_MAX => self.nested(builder, Maker::for_each),
            15 if may_nest && self.times * ROUNDS <= TIMES_MAX => self.nested(builder, Maker::repeat),
            16 => self.choice(builder),
            _ => self.job(builder),
        }
    }

    fn nested(
        &mut self,
        builder: ModelBuilder,
        make: fn(&mut Self, ModelBuilder) -> ModelBuilder,
    ) -> ModelBuilder {
        self.depth += 1;
        let builder = make(self, builder);
        self.depth -= 1;
        builder
    }

    fn blocks(&mut self, mut builder: ModelBuilder, blocks_max: u64) -> ModelBuilder {
        for _ in 0..self.world.between(1, blocks_max) {
            builder = self.block(builder);
        }
        builder
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
        self.model.timers += self.times;
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
        self.model.elements.insert(job, self.times);
        if seconds > 0 {
            self.model.elements.insert(format!("timer_{called}"), self.times);
            self.model.timers += self.times;
        }
        self.calls.push((called.clone(), seconds));
        builder.call_activity(&id, &called, |call| call)
    }

    /// A job that has only so much time.
    fn guarded(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, merge) = (self.id("guarded", 1), self.id("merge", 1));
        let seconds = self.world.between(2, 8);
        self.note_job(&id, 1, true);
        self.model.timers += self.times;
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
        let builder = self.blocks(builder.parallel(&fork), 2);
        let builder = builder.parallel(&join);
        self.earliest = before.clone();
        let builder = self.blocks(builder.move_to(&fork), 2);
        self.earliest = before;
        builder.connect_to(&join).move_to(&join)
    }

    fn sub_process(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("sub", 1);
        builder.sub_process(&id, |inside| {
            let inside = inside.start(&format!("start_{id}"));
            self.blocks(inside, 2).end(&format!("end_{id}"))
        })
    }

    /// The same blocks for each item of a list, at the same time or one after the other.
    fn for_each(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, is_sequential) = (self.id("each", ITEMS + 1), self.world.percent(50));
        self.times *= ITEMS;
        let builder = builder.sub_process(&id, |inside| {
            let inside = inside.start(&format!("start_{id}"));
            self.blocks(inside, 2).end(&format!("end_{id}"))
        });
        self.times /= ITEMS;
        builder.with_element(&id, |options| {
            let options = options.multi_instance("=items", "item");
            if is_sequential { options.sequential() } else { options }
        })
    }

    /// Goes back a few times. The rounds are counted in a scope of their own: processes that are called elsewhere get copies of all
    /// variables that they see, and give them back later.
    fn repeat(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("repeat", 1);
        let rounds = format!("rounds_{id}");
        self.times *= ROUNDS;
        let (count, again) = (self.id("count", 1), self.id("again", 1));
        let builder = builder.sub_process(&id, |inside| {
            let inside = inside.start(&format!("start_{id}"));
            let inside = self.blocks(inside.script(&count, &format!("={rounds} + 1"), &rounds), 2);
            let inside = inside.exclusive(&again).when(&format!("={rounds} < {ROUNDS}")).connect_to(&count);
            inside.move_to(&again).otherwise().end(&format!("end_{id}"))
        });
        self.times /= ROUNDS;
        builder.with_element(&id, |options| options.input("=0", &rounds))
    }

    /// One of two ways, and it is known which.
    fn choice(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (split, merge) = (self.id("split", 1), self.id("merge", 1));
        let never = self.id("never", 0);
        let builder = builder.exclusive(&split).when("=count(items) > 100");
        let builder = builder.service_task(&never, |task| task.job_type(JOB_TYPE)).exclusive(&merge);
        let builder = builder.move_to(&split).otherwise();
        self.job(builder).connect_to(&merge).move_to(&merge)
    }

    /// Many timers that are due at the same time.
    fn storm(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (id, timer, seconds) =
            (self.id("storm", MANY + 1), self.id("timer", MANY), self.world.between(1, 5));
        self.earliest.ms += seconds * 1_000;
        self.model.timers += MANY * self.times;
        builder
            .sub_process(&id, |inside| {
                let inside = inside.start(&format!("start_{id}"));
                let inside = inside.catch_timer(&timer, Timer::duration(&format!("PT{seconds}S")));
                inside.end(&format!("end_{id}"))
            })
            .with_element(&id, |o| o.multi_instance("=many", "item"))
    }
}
