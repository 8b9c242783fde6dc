//! Models made of random blocks. Tokens are never lost: whatever a path does, its scope can complete, so an
//! instance that stands still without an incident is a fault of the engine.

use crate::support::{ModelBuilder, Options, Timer};
use tidemill_model::dice::Dice;

const BLOCKS_MAX: usize = 14;
const DEPTH_MAX: usize = 3;

/// A model and what a path through it needs to know.
pub(crate) struct RandomModel {
    pub(crate) builder: ModelBuilder,
    /// Numbers that gateways and loops ask for.
    pub(crate) numbers: Vec<String>,
}

pub(crate) fn generate(seed: u64) -> RandomModel {
    let mut maker = Maker {
        dice: Dice::new(seed),
        ids: 0,
        blocks: 0,
        numbers: Vec::new(),
        signals: Vec::new(),
        called: Vec::new(),
        processes: 0,
    };
    let mut builder = maker.process(ModelBuilder::process("main"));
    // Called processes call only those that come after them.
    while let Some(id) = maker.called.pop() {
        maker.blocks = BLOCKS_MAX / 2;
        builder = maker.process(builder.and_process(&id));
    }
    RandomModel { builder, numbers: maker.numbers }
}

struct Maker {
    dice: Dice,
    ids: usize,
    blocks: usize,
    numbers: Vec<String>,
    signals: Vec<String>,
    called: Vec<String>,
    processes: usize,
}

/// Where a block stands.
#[derive(Clone, Copy)]
struct Surroundings {
    depth: usize,
    /// A join behind it counts on its token.
    must_arrive: bool,
    /// Round a loop every token can reach every inclusive join, which then waits for ever.
    is_in_loop: bool,
}

impl Surroundings {
    fn inside(self) -> Surroundings {
        Surroundings { depth: self.depth + 1, must_arrive: false, is_in_loop: false }
    }

    fn branch(self, must_arrive: bool) -> Surroundings {
        Surroundings { depth: self.depth + 1, must_arrive: self.must_arrive || must_arrive, ..self }
    }
}

impl Maker {
    fn id(&mut self, kind: &str) -> String {
        self.ids += 1;
        format!("{kind}{}", self.ids)
    }

    fn number(&mut self) -> String {
        let name = format!("n{}", self.numbers.len());
        self.numbers.push(name.clone());
        name
    }

    /// A signal that is listened for again and again must not be thrown inside the model, which could go round for ever then.
    fn signal(&mut self, listens_once: bool) -> String {
        let name = self.id("signal");
        if listens_once {
            self.signals.push(name.clone());
        }
        name
    }

    fn error(&mut self) -> String {
        format!("e{}", self.dice.index(3))
    }

    fn process(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let start = self.id("start");
        let place = Surroundings { depth: 0, must_arrive: false, is_in_loop: false };
        let builder = self.sequence(builder.start(&start), place);
        let builder = self.end(builder, place);
        self.event_sub_processes(builder, place)
    }

    fn sequence(&mut self, mut builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        for _ in 0..1 + self.dice.index(3) {
            builder = self.block(builder, place);
        }
        builder
    }

    fn block(&mut self, builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        self.blocks += 1;
        if self.blocks > BLOCKS_MAX || place.depth >= DEPTH_MAX {
            return self.activity(builder);
        }
        match self.dice.index(16) {
            0..=4 => self.activity(builder),
            5 => self.event(builder),
            6 => self.link(builder),
            7 => self.exclusive(builder, place),
            8 => self.parallel(builder, place),
            9 if !place.is_in_loop => self.inclusive(builder, place),
            10 => self.event_based(builder, place),
            11..=12 => self.sub_process(builder, place),
            13 => self.call(builder),
            14 => self.repeat(builder, place),
            _ => self.throw(builder),
        }
    }

    /// A task with everything that can hang on it.
    fn activity(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("task");
        let job = |options: Options| options.job_type("work");
        let (source, target) = (format!("=n{}", self.dice.index(4)), format!("in_{id}"));
        let message = (format!("m_{id}"), "=key".to_owned());
        let builder = match self.dice.index(13) {
            0..=3 => builder.service_task(&id, |o| o.job_type("work")),
            4 => builder.send_task(&id, job),
            5 => builder.business_rule_task(&id, job),
            6 => builder.script_task(&id, job),
            7 => builder.script(&id, "=[1, key]", &format!("s_{id}")),
            8 => builder.user_task(&id, |o| o.assignee("=key")),
            9 => builder.user_task_job(&id, |o| o),
            10 => builder.receive_task(&id, (message.0.as_str(), message.1.as_str())),
            11 => builder.manual_task(&id),
            _ => builder.task(&id),
        };
        let mapping = self.dice.index(4);
        let builder = builder.with_element(&id, |o| match mapping {
            0 => o.input(&source, &target),
            1 => o.output("=key", &format!("out_{id}")),
            2 => o.input(&source, &format!("{target}.x")).output("=1", "shared.y"),
            _ => o,
        });
        let builder = self.multi_instance(builder, &id);
        self.boundary_events(builder, &id, false)
    }

    fn multi_instance(&mut self, builder: ModelBuilder, id: &str) -> ModelBuilder {
        if !self.dice.percent(20) {
            return builder;
        }
        let (is_sequential, collects, stops) =
            (self.dice.percent(50), self.dice.percent(60), self.dice.percent(30));
        let element = self.dice.pick(&["=loopCounter * 10", "=result", "=item"]);
        builder.with_element(id, |mut o| {
            o = o.multi_instance("=items", "item");
            if is_sequential {
                o = o.sequential();
            }
            if collects {
                o = o.collect(element, &format!("list_{id}"));
            }
            if stops {
                o = o.completion_condition("=numberOfCompletedInstances >= 2");
            }
            o
        })
    }

    /// Interrupting ones lead back to where the activity leads; the others end by themselves.
    fn boundary_events(&mut self, mut builder: ModelBuilder, id: &str, is_scope: bool) -> ModelBuilder {
        if !self.dice.percent(35) {
            return builder;
        }
        let merge = self.id("merge");
        builder = builder.exclusive(&merge);
        let mut kinds = vec![0, 1, 2, 3];
        if is_scope {
            kinds.push(4);
        }
        for _ in 0..1 + self.dice.index(2) {
            let kind = kinds.remove(self.dice.index(kinds.len()));
            let event = self.id("boundary");
            let name = format!("m_{event}");
            let is_interrupting = kind == 3 || self.dice.percent(60);
            builder = match kind {
                0 => builder.boundary_message(&event, id, (name.as_str(), "=key")),
                1 if is_interrupting => builder.boundary_timer(&event, id, Timer::duration("PT10S")),
                1 => builder.boundary_timer(&event, id, Timer::cycle("R3/PT5S")),
                2 => {
                    let signal = self.signal(is_interrupting);
                    builder.boundary_signal(&event, id, &signal)
                }
                3 => {
                    let code = self.error();
                    let code = self.dice.percent(70).then_some(code);
                    builder.boundary_error(&event, id, code.as_deref())
                }
                _ => builder.boundary_escalation(&event, id, None),
            };
            if !is_interrupting {
                builder = builder.non_interrupting();
            }
            if self.dice.percent(30) {
                let task = self.id("after");
                builder = builder.service_task(&task, |o| o.job_type("work"));
            }
            builder = if is_interrupting {
                builder.connect_to(&merge)
            } else {
                let end = self.id("end");
                builder.end(&end)
            };
        }
        builder.move_to(&merge)
    }

    fn event(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("catch");
        match self.dice.index(3) {
            0 => builder.catch_message(&id, (format!("m_{id}").as_str(), "=key")),
            1 => builder.catch_timer(&id, Timer::duration(self.dice.pick(&["PT5S", "PT1H", "PT0S"]))),
            _ => {
                let signal = self.signal(true);
                builder.catch_signal(&id, &signal)
            }
        }
    }

    fn throw(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let id = self.id("throw");
        match self.dice.index(5) {
            0 => builder.throw(&id),
            3 => builder.throw_escalation(&id, "late"),
            1 => builder.throw_message(&id, "work"),
            // Every element that waits for a signal of this model may be hit by it.
            2 if !self.signals.is_empty() => {
                let signal = self.dice.pick(&self.signals);
                builder.throw_signal(&id, &signal)
            }
            _ => builder,
        }
    }

    fn link(&mut self, builder: ModelBuilder) -> ModelBuilder {
        let (throw, catch, name) = (self.id("jump"), self.id("land"), self.id("link"));
        builder.throw_link(&throw, &name).catch_link(&catch, &name)
    }

    fn exclusive(&mut self, mut builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let (split, merge, number) = (self.id("xor"), self.id("merge"), self.number());
        let has_default = self.dice.percent(60);
        builder = builder.exclusive(&split).when(&format!("={number} > 1"));
        builder = self.sequence(builder, place.branch(false)).exclusive(&merge).move_to(&split);
        builder = builder.when(&format!("={number} < 1"));
        builder = self.sequence(builder, place.branch(false));
        builder = self.join_or_end(builder, &merge, place);
        if has_default {
            builder = builder.move_to(&split).otherwise().connect_to(&merge);
        }
        builder.move_to(&merge)
    }

    fn join_or_end(&mut self, builder: ModelBuilder, merge: &str, place: Surroundings) -> ModelBuilder {
        if place.must_arrive || self.dice.percent(70) {
            return builder.connect_to(merge);
        }
        self.end(builder, place)
    }

    fn parallel(&mut self, mut builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let (fork, join) = (self.id("fork"), self.id("join"));
        builder = self.sequence(builder.parallel(&fork), place.branch(true)).parallel(&join);
        for _ in 0..1 + self.dice.index(2) {
            builder = builder.move_to(&fork);
            builder = self.sequence(builder, place.branch(true));
            builder = builder.connect_to(&join);
        }
        builder.move_to(&join)
    }

    /// Branches may end before the join: it goes on without them.
    fn inclusive(&mut self, mut builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let (fork, join) = (self.id("or"), self.id("orjoin"));
        let number = self.number();
        builder = builder.inclusive(&fork).when(&format!("={number} > 1"));
        builder = self.sequence(builder, place.branch(false)).inclusive(&join);
        for _ in 0..1 + self.dice.index(2) {
            let number = self.number();
            builder = builder.move_to(&fork).when(&format!("={number} > 0"));
            builder = self.sequence(builder, place.branch(place.must_arrive));
            builder = self.join_or_end(builder, &join, place);
        }
        builder = builder.move_to(&fork).otherwise();
        builder = self.activity(builder).connect_to(&join);
        builder.move_to(&join)
    }

    fn event_based(&mut self, mut builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let (gateway, merge) = (self.id("wait"), self.id("merge"));
        builder = builder.event_based(&gateway);
        for n in 0..2 + self.dice.index(2) {
            let event = self.id("event");
            let name = format!("m_{event}");
            builder = builder.move_to(&gateway);
            builder = match self.dice.index(3) {
                0 => builder.catch_message(&event, (name.as_str(), "=key")),
                1 => builder.catch_timer(&event, Timer::duration("PT30S")),
                _ => {
                    let signal = self.signal(true);
                    builder.catch_signal(&event, &signal)
                }
            };
            builder =
                if n == 0 { builder.exclusive(&merge) } else { self.join_or_end(builder, &merge, place) };
        }
        builder.move_to(&merge)
    }

    fn sub_process(&mut self, builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let id = self.id("sub");
        let builder = builder.sub_process(&id, |inside| {
            let start = self.id("start");
            let inside = self.sequence(inside.start(&start), place.inside());
            let inside = self.end(inside, place.inside());
            self.event_sub_processes(inside, place.inside())
        });
        let builder = self.multi_instance(builder, &id);
        self.boundary_events(builder, &id, true)
    }

    fn event_sub_processes(&mut self, mut builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let mut kinds = vec![0, 1, 2, 3, 4];
        while kinds.len() > 3 && self.dice.percent(25) {
            let kind = kinds.remove(self.dice.index(kinds.len()));
            let id = self.id("event_sub");
            builder = builder.event_sub_process(&id, |inside| {
                let start = self.id("start");
                let name = format!("m_{start}");
                let is_interrupting = kind == 3 || self.dice.percent(50);
                let mut inside = match kind {
                    0 => inside.start_message(&start, (name.as_str(), "=key")),
                    1 if is_interrupting => inside.start_timer(&start, Timer::duration("PT20S")),
                    1 => inside.start_timer(&start, Timer::cycle("R2/PT7S")),
                    2 => {
                        let signal = self.signal(is_interrupting);
                        inside.start_signal(&start, &signal)
                    }
                    3 => inside.start_error(&start, None),
                    _ => inside.start_escalation(&start, None),
                };
                if !is_interrupting {
                    inside = inside.non_interrupting();
                }
                let inside = self.activity(inside);
                // An escalation thrown in here would come back here.
                let end = self.id("end");
                if kind == 4 { inside.end(&end) } else { self.end(inside, place.inside()) }
            });
        }
        builder
    }

    fn call(&mut self, builder: ModelBuilder) -> ModelBuilder {
        if self.processes >= 2 {
            return self.activity(builder);
        }
        self.processes += 1;
        let (id, process) = (self.id("call"), format!("called{}", self.processes));
        self.called.push(process.clone());
        let (all_in, all_out) = (self.dice.percent(70), self.dice.percent(70));
        let builder = builder.call_activity(&id, &process, |o| {
            o.propagate_all_parent_variables(all_in).propagate_all_child_variables(all_out)
        });
        let builder = self.multi_instance(builder, &id);
        self.boundary_events(builder, &id, true)
    }

    /// A loop that waits each time round.
    fn repeat(&mut self, builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let (begin, again, work) = (self.id("begin"), self.id("again"), self.id("round"));
        let number = self.number();
        let builder = builder.exclusive(&begin).service_task(&work, |o| o.job_type("work"));
        let builder = self.sequence(builder, Surroundings { is_in_loop: true, ..place.branch(true) });
        let builder = builder.exclusive(&again);
        builder.when(&format!("={number} > 2")).connect_to(&begin).move_to(&again).otherwise()
    }

    fn end(&mut self, builder: ModelBuilder, place: Surroundings) -> ModelBuilder {
        let id = self.id("end");
        let code = self.error();
        match self.dice.index(10) {
            0 => builder.end_terminate(&id),
            1 if place.depth > 0 => builder.end_error(&id, &code),
            2 => builder.end_escalation(&id, "late"),
            3 => builder.end_message(&id, "work"),
            4 if !self.signals.is_empty() => {
                let signal = self.dice.pick(&self.signals);
                builder.end_signal(&id, &signal)
            }
            _ => builder.end(&id),
        }
    }
}
