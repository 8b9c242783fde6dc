//! The engine as a partition loop drives it, with a store that has nothing: everything stays in memory, and
//! changes are taken after each command.

use std::collections::VecDeque;
use std::hint::black_box;
use std::sync::Arc;
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_engine::{Reply, Supply, Working, process};
use tidemill_model::command::*;
use tidemill_model::{
    ActivatedJob, Answer, PartitionCount, PartitionId, ProcessInstanceKey, TenantId, Text, Timestamp,
    Variables,
};

pub(crate) struct Machine {
    working: Working,
    queue: VecDeque<Command>,
    now: Timestamp,
}

impl Machine {
    pub(crate) fn new() -> Machine {
        let mut working = Working::new(PartitionId(1), PartitionCount::ONE);
        working.reserve_keys(1, 1 << 50);
        Machine { working, queue: VecDeque::new(), now: Timestamp(1_767_225_600_000) }
    }

    /// Runs a command and all that follows from it, each as a batch of its own.
    pub(crate) fn run(&mut self, command: Command) -> Answer {
        let mut answer = None;
        self.queue.push_back(command);
        while let Some(command) = self.queue.pop_front() {
            let outcome = loop {
                match process(&mut self.working, &command, self.now) {
                    Ok(outcome) => break outcome,
                    Err(missing) => {
                        for need in missing.rows {
                            self.working.supply(Supply { need, entities: Vec::new(), is_complete: true });
                        }
                    }
                }
            };
            self.queue.extend(outcome.follow_ups.into_iter().map(|follow_up| follow_up.command));
            match outcome.reply {
                Reply::Now(reply) => answer = answer.or(Some(reply)),
                other => panic!("unexpected {other:?}"),
            }
            black_box(self.working.take_changes());
            self.working.end_batch();
        }
        answer.expect("the first command was answered")
    }

    pub(crate) fn deploy(&mut self, model: &ModelBuilder) {
        self.deploy_xml(&model.xml());
    }

    pub(crate) fn deploy_xml(&mut self, xml: &str) {
        let file = ResourceFile { name: Text::from("model.bpmn"), content: Arc::from(xml.as_bytes()) };
        self.run(Command::Deploy(Deploy { tenant: TenantId::default(), files: vec![file] }));
    }

    pub(crate) fn start(&mut self, process_id: &str, variables: Variables) -> ProcessInstanceKey {
        let command = CreateInstance {
            definition: DefinitionRef::Latest(Text::from(process_id)),
            tenant: TenantId::default(),
            variables,
            start: Vec::new(),
            terminate_after: Vec::new(),
            tags: Vec::new(),
            business_id: None,
            is_unique: false,
        };
        match self.run(Command::CreateInstance(Box::new(command))) {
            Answer::Created(created) => created.instance,
            other => panic!("unexpected {other:?}"),
        }
    }

    pub(crate) fn activate(&mut self, jobs_max: u32) -> Vec<ActivatedJob> {
        let command = ActivateJobs {
            job_type: Text::new_static("work"),
            worker: Text::new_static("worker"),
            timeout_ms: 60_000,
            jobs_max,
            fetch_variables: Vec::new(),
            tenants: vec![TenantId::default()],
            with_lease: false,
        };
        match self.run(Command::ActivateJobs(command)) {
            Answer::Activated(jobs) => jobs,
            other => panic!("unexpected {other:?}"),
        }
    }

    /// Activates and completes jobs until there are none.
    pub(crate) fn work(&mut self, results: &Variables) {
        loop {
            let jobs = self.activate(100);
            if jobs.is_empty() {
                return;
            }
            for job in jobs {
                let variables = results.clone();
                self.run(Command::CompleteJob(CompleteJob {
                    business_id: None,
                    job: job.job.key,
                    variables,
                    lease: None,
                }));
            }
        }
    }

    pub(crate) fn rows(&self) -> usize {
        self.working.rows()
    }
}

pub(crate) fn variables(json: &str) -> Variables {
    Variables::parse(json).expect("valid")
}

pub(crate) fn one_task() -> ModelBuilder {
    ModelBuilder::process("one").start("start").service_task("task", |t| t.job_type("work")).end("end")
}

/// Ten tasks, of which an exclusive gateway leaves one out and a parallel one makes two run side by side.
pub(crate) fn ten_tasks() -> ModelBuilder {
    let mut model = ModelBuilder::process("ten").start("start");
    for n in 1..=5 {
        model = model.service_task(&format!("task{n}"), |t| t.job_type("work"));
    }
    model
        .exclusive("choice")
        .when("=amount > 10")
        .service_task("task6", |t| t.job_type("work"))
        .exclusive("merge")
        .move_to("choice")
        .otherwise()
        .service_task("task7", |t| t.job_type("work"))
        .connect_to("merge")
        .move_to("merge")
        .parallel("fork")
        .service_task("task8", |t| t.job_type("work"))
        .parallel("join")
        .service_task("task10", |t| t.job_type("work"))
        .end("end")
        .move_to("fork")
        .service_task("task9", |t| t.job_type("work"))
        .connect_to("join")
}

/// A child per item; each gives an output.
pub(crate) fn fan_out() -> ModelBuilder {
    ModelBuilder::process("fan")
        .start("start")
        .script("each", "=item * 2", "result")
        .end("end")
        .with_element("each", |each| each.multi_instance("=items", "item").collect("=result", "results"))
}

pub(crate) fn items(count: usize) -> Variables {
    let items: Vec<String> = (1..=count).map(|n| n.to_string()).collect();
    variables(&format!("{{\"items\":[{}]}}", items.join(",")))
}

/// A hundred elements with expressions, mappings and boundary events.
pub(crate) fn hundred_elements() -> String {
    let mut model = ModelBuilder::process("hundred").start("start");
    for n in 0..16 {
        let id = |name: &str| format!("{name}_{n}");
        model = model
            .service_task(&id("charge"), |task| {
                task.job_type("charge").input("=order.total * 2", "amount").header("k", "v")
            })
            .exclusive(&id("choice"))
            .when("=amount > 100")
            .script(&id("score"), "=if score > 3 then 1 else 2", "score")
            .exclusive(&id("merge"))
            .move_to(&id("choice"))
            .otherwise()
            .user_task(&id("review"), |task| task.assignee("=clerk"))
            .connect_to(&id("merge"))
            .boundary_message(&id("stop"), &id("charge"), ("stop", "=order.id"))
            .connect_to(&id("merge"))
            .move_to(&id("merge"));
    }
    model.end("end").xml()
}
