//! Deeply nested subprocesses and calls run step by step: no command needs more stack for them, and none
//! holds up the others.

mod support;

use support::{Harness, ModelBuilder, Timer, piecemeal};
use tidemill_model::ProcessInstanceKey;

/// Much less than a thread of a server has.
const STACK_BYTES: usize = 256 * 1024;

fn with_small_stack(play: impl FnOnce() + Send + 'static) {
    let thread = std::thread::Builder::new().stack_size(STACK_BYTES).spawn(play).expect("a thread");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

/// Subprocesses in each other, with something in the innermost.
fn nested(model: ModelBuilder, levels: usize, inside: &dyn Fn(ModelBuilder) -> ModelBuilder) -> ModelBuilder {
    if levels == 0 {
        return inside(model);
    }
    model.sub_process(&format!("sub{levels}"), |sub| {
        nested(sub.start(&format!("in{levels}")), levels - 1, inside).end(&format!("out{levels}"))
    })
}

/// A process that calls itself from within nested subprocesses until a count has run down.
fn calls_itself(levels: usize) -> ModelBuilder {
    let call = |model: ModelBuilder| {
        model
            .exclusive("goes_on")
            .when("=left > 0")
            .call_activity("call", "=id", |c| c.input("=left - 1", "left"))
            .exclusive("merge")
            .move_to("goes_on")
            .otherwise()
            .service_task("work", |t| t.job_type("work"))
            .connect_to("merge")
            .move_to("merge")
    };
    nested(ModelBuilder::process("again").start("start"), levels, &call).end("end")
}

fn begin(engine: &mut Harness, levels: usize, calls: usize) -> ProcessInstanceKey {
    engine.deploy(&calls_itself(levels));
    engine.start("again", &format!("{{\"id\":\"again\",\"left\":{calls}}}"))
}

fn cancel_and_look(engine: &mut Harness, root: ProcessInstanceKey, instances: usize) {
    engine.cancel(root).expect("it lives");
    engine.expect_terminated(root);
    assert_eq!(engine.count("again Terminated"), instances);
    engine.expect_nothing_left();
}

#[test]
fn a_chain_of_a_thousand_calls_in_forty_subprocesses_is_cancelled() {
    with_small_stack(|| {
        let mut engine = Harness::new();
        let root = begin(&mut engine, 40, 900);
        engine.follow_ups = 0;
        cancel_and_look(&mut engine, root, 901);
        assert!(engine.follow_ups > 30, "others had their turn {} times", engine.follow_ups);
    });
}

#[test]
fn a_deep_chain_that_is_read_from_the_store_is_cancelled() {
    with_small_stack(|| {
        let mut engine = Harness::forgetful();
        let root = begin(&mut engine, 5, 200);
        cancel_and_look(&mut engine, root, 201);
    });
    with_small_stack(|| {
        let mut engine = piecemeal();
        let root = begin(&mut engine, 10, 30);
        cancel_and_look(&mut engine, root, 31);
    });
}

#[test]
fn a_deep_chain_completes() {
    with_small_stack(|| {
        let mut engine = Harness::new();
        let root = begin(&mut engine, 40, 900);
        engine.complete("work", r#"{"done":true}"#);
        engine.expect_completed(root);
        assert_eq!(engine.variable(root, "done").as_deref(), Some("true"));
        engine.expect_nothing_left();
    });
    with_small_stack(|| {
        let mut engine = Harness::forgetful();
        let root = begin(&mut engine, 5, 200);
        engine.complete("work", "{}");
        engine.expect_completed(root);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_event_at_the_top_ends_everything_below_and_goes_on() {
    with_small_stack(|| {
        let mut engine = Harness::new();
        engine.deploy(&calls_itself(20));
        let top = ModelBuilder::process("top")
            .start("s")
            .call_activity("first", "again", |c| c)
            .end("e")
            .boundary_timer("late", "first", Timer::duration("PT1M"))
            .end("late_end");
        engine.deploy(&top);
        let top = engine.start("top", r#"{"id":"again","left":500}"#);
        engine.advance(60_000);
        assert_eq!(engine.count("again Terminated"), 501);
        engine.expect(&["again Terminated", "first Terminated", "late_end Completed"]);
        engine.expect_completed(top);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_error_at_the_bottom_is_caught_at_the_top() {
    with_small_stack(|| {
        let mut engine = Harness::new();
        engine.deploy(&calls_itself(20));
        let top = ModelBuilder::process("top")
            .start("s")
            .call_activity("first", "again", |c| c)
            .end("e")
            .boundary_error("caught", "first", Some("E"))
            .end("caught_end");
        engine.deploy(&top);
        let top = engine.start("top", r#"{"id":"again","left":500}"#);
        engine.throw("work", "E", "{}");
        engine.expect(&["first Terminated", "caught_end Completed"]);
        engine.expect_completed(top);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_incident_at_the_bottom_is_counted_and_resolved_up_to_the_top() {
    with_small_stack(|| {
        let mut engine = Harness::new();
        let root = begin(&mut engine, 10, 900);
        engine.fail("work", 0, 0);
        engine.incident();
        cancel_and_look(&mut engine, root, 901);
    });
}

#[test]
fn as_many_nested_subprocesses_as_a_file_may_have_run_and_end() {
    let many = |model: ModelBuilder| {
        model.service_task("each", |t| t.job_type("each").multi_instance("=for n in 1..50 return n", "n"))
    };
    let model = nested(ModelBuilder::process("p").start("s"), 190, &many).end("e");
    with_small_stack(move || {
        for mut engine in [Harness::new(), Harness::forgetful()] {
            engine.deploy(&model);
            let first = engine.start("p", "{}");
            engine.cancel(first).expect("it lives");
            engine.expect_terminated(first);
            engine.expect_nothing_left();
            let second = engine.start("p", "{}");
            for _ in 0..50 {
                engine.complete("each", "{}");
            }
            engine.expect_completed(second);
            engine.expect_nothing_left();
        }
    });
}

#[test]
fn an_instance_that_ends_after_an_element_ends_its_deep_insides() {
    with_small_stack(|| {
        let mut engine = Harness::new();
        engine.deploy(&calls_itself(20));
        let top = ModelBuilder::process("top")
            .start("s")
            .parallel("fork")
            .call_activity("first", "again", |c| c)
            .end("e")
            .move_to("fork")
            .service_task("stop", |t| t.job_type("stop"))
            .end("e2");
        engine.deploy(&top);
        let created = engine.create("top").variables(r#"{"id":"again","left":300}"#).terminate_after("stop");
        let top = created.go();
        engine.complete("stop", "{}");
        engine.expect_terminated(top);
        engine.expect_nothing_left();
    });
}
