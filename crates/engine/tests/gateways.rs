//! Exclusive, parallel, inclusive and event-based gateways.

mod support;

use support::{Harness, ModelBuilder, Timer, scenario};
use tidemill_model::entity::IncidentKind;

fn choice(has_default: bool) -> ModelBuilder {
    let model = ModelBuilder::process("p")
        .start("start")
        .exclusive("choice")
        .when("=n > 5")
        .end("middle")
        .move_to("choice")
        .when("=n > 10")
        .end("large");
    if has_default { model.move_to("choice").otherwise().end("small") } else { model }
}

/// Flows are tried from the last in the file to the first, as Camunda does it.
#[test]
fn the_last_true_condition_wins_then_the_default() {
    scenario(|engine| {
        engine.deploy(&choice(true));
        for (n, end) in [(11, "large Completed"), (6, "middle Completed"), (1, "small Completed")] {
            let before = engine.count(end);
            let instance = engine.start("p", &format!("{{\"n\":{n}}}"));
            assert_eq!(engine.count(end), before + 1, "{n}\n{}", engine.log());
            engine.expect_completed(instance);
        }
        engine.expect_nothing_left();
    });
}

#[test]
fn branches_start_from_the_last_flow_to_the_first() {
    // An activity with several flows takes all of them.
    for split in ["parallel", "inclusive", "manual"] {
        scenario(|engine| {
            let model = ModelBuilder::process("p").start("start");
            let mut model = match split {
                "parallel" => model.parallel("split"),
                "inclusive" => model.inclusive("split"),
                _ => model.manual_task("split"),
            };
            for end in ["first", "second", "third"] {
                model = model.move_to("split");
                model = if split == "inclusive" { model.when("=true").end(end) } else { model.end(end) };
            }
            engine.deploy(&model);
            let instance = engine.start("p", "{}");
            engine.expect(&["third Activating", "second Activating", "first Activating"]);
            engine.expect_completed(instance);
        });
    }
}

#[test]
fn an_event_based_gateway_opens_its_last_event_first() {
    scenario(|engine| {
        let mut model = ModelBuilder::process("p").start("start").event_based("wait");
        for event in ["first", "second", "third"] {
            let timer = Timer::duration("PT1M");
            model = model.move_to("wait").catch_timer(event, timer).end(&format!("after_{event}"));
        }
        engine.deploy(&model);
        engine.start("p", "{}");
        engine.expect(&["timer third Created", "timer second Created", "timer first Created"]);
    });
}

#[test]
fn no_true_condition_and_no_default_is_a_condition_error() {
    scenario(|engine| {
        engine.deploy(&choice(false));
        let instance = engine.start("p", r#"{"n":1}"#);
        assert_eq!(engine.incident().kind, IncidentKind::ConditionError);
        engine.resolve().expect("it may be tried again");
        assert_eq!(engine.incident().kind, IncidentKind::ConditionError, "a new incident");
        engine.set_variables(instance.scope(), r#"{"n":7}"#, false);
        engine.resolve().expect("now it goes on");
        engine.expect(&[
            "incident choice CONDITION_ERROR",
            "resolved choice",
            "choice Completed",
            "middle Completed",
        ]);
        assert_eq!(engine.count("choice Activating"), 1);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn quirk_a_condition_on_a_missing_variable_is_an_incident_and_not_false() {
    scenario(|engine| {
        engine.deploy(&choice(true));
        let instance = engine.start("p", "{}");
        let incident = engine.incident();
        assert_eq!(incident.kind, IncidentKind::ExtractValueError);
        assert!(incident.message.contains("to be 'BOOLEAN', but was 'NULL'"), "{}", incident.message);
        engine.cancel(instance).expect("it lives");
        engine.expect_terminated(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_gateway_without_outgoing_flow_ends_the_path() {
    scenario(|engine| {
        for (id, model) in [
            ("x", ModelBuilder::process("x").start("start").exclusive("last")),
            ("o", ModelBuilder::process("o").start("start").inclusive("last")),
            ("a", ModelBuilder::process("a").start("start").parallel("last")),
        ] {
            engine.deploy(&model);
            let instance = engine.start(id, "{}");
            engine.expect_completed(instance);
        }
        engine.expect_nothing_left();
    });
}

fn work(builder: ModelBuilder, id: &str) -> ModelBuilder {
    builder.service_task(id, |t| t.job_type(id))
}

fn fork_and_join() -> ModelBuilder {
    let model = work(ModelBuilder::process("p").start("start").parallel("fork"), "a").parallel("join");
    work(model.end("end").move_to("fork"), "b").connect_to("join")
}

#[test]
fn a_parallel_join_waits_for_every_flow() {
    scenario(|engine| {
        engine.deploy(&fork_and_join());
        let instance = engine.start("p", "{}");
        engine.complete("b", "{}");
        engine.expect_never("join Activating");
        engine.complete("a", "{}");
        assert_eq!(engine.count("join Completed"), 1);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn a_token_that_waits_at_a_join_goes_with_its_instance() {
    scenario(|engine| {
        engine.deploy(&fork_and_join());
        let instance = engine.start("p", "{}");
        engine.complete("b", "{}");
        engine.cancel(instance).expect("it lives");
        engine.expect_terminated(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn surplus_tokens_wait_for_the_next_round_of_a_parallel_join() {
    // Two tokens come over one flow, and two over the other.
    let model = ModelBuilder::process("p").start("start").parallel("fork").exclusive("left").parallel("join");
    let model = work(model, "round").end("end").connect("fork", "left");
    let model = work(model.move_to("fork"), "b1").exclusive("right").connect_to("join");
    let model = work(model.move_to("fork"), "b2").connect_to("right");
    scenario(|engine| {
        engine.deploy(&model);
        let instance = engine.start("p", "{}");
        engine.expect_never("join Activating");
        engine.complete("b1", "{}");
        assert_eq!(engine.count("join Activating"), 1, "one token of each flow is used up");
        engine.complete("b2", "{}");
        assert_eq!(engine.count("join Activating"), 2);
        engine.complete("round", "{}");
        engine.complete("round", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

fn inclusive(engine: &mut Harness) {
    let model =
        work(ModelBuilder::process("p").start("start").inclusive("fork").when("=a"), "a").inclusive("join");
    let model = model.end("end").move_to("fork").when("=b");
    let model = work(model, "b").exclusive("turn").when("=leave").end("aside").move_to("turn");
    let model = model.otherwise().connect_to("join").move_to("fork").otherwise();
    engine.deploy(&work(model, "c").connect_to("join"));
}

#[test]
fn an_inclusive_gateway_takes_all_true_flows_and_joins_them_once() {
    scenario(|engine| {
        inclusive(engine);
        let instance = engine.start("p", r#"{"a":true,"b":true,"leave":false}"#);
        engine.complete("a", "{}");
        engine.expect_never("join Activating");
        engine.complete("b", "{}");
        engine.expect_never("c Activating");
        assert_eq!(engine.count("join Activating"), 1);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_inclusive_gateway_takes_its_default_when_nothing_is_true() {
    scenario(|engine| {
        inclusive(engine);
        let instance = engine.start("p", r#"{"a":false,"b":false}"#);
        engine.complete("c", "{}");
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_inclusive_join_goes_on_when_the_token_it_waits_for_goes_elsewhere() {
    scenario(|engine| {
        inclusive(engine);
        let instance = engine.start("p", r#"{"a":true,"b":true,"leave":true}"#);
        engine.complete("a", "{}");
        engine.expect_never("join Activating");
        engine.complete("b", "{}");
        engine.expect(&["aside Completed", "join Activating"]);
        engine.expect_completed(instance);
        engine.expect_nothing_left();
    });
}

#[test]
fn an_inclusive_fork_with_a_wrong_condition_can_be_resolved_or_cancelled() {
    scenario(|engine| {
        inclusive(engine);
        let first = engine.start("p", r#"{"a":true}"#);
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        engine.expect_never("a Activating");
        engine.set_variables(first.scope(), r#"{"b":false}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.complete("a", "{}");
        engine.expect_completed(first);
        let second = engine.start("p", r#"{"a":true}"#);
        engine.cancel(second).expect("it lives");
        engine.expect_terminated(second);
        engine.expect_nothing_left();
    });
}

fn race() -> ModelBuilder {
    ModelBuilder::process("p")
        .start("start")
        .event_based("race")
        .catch_message("paid", ("paid", "=order"))
        .end("thanks")
        .move_to("race")
        .catch_timer("late", Timer::duration("PT1H"))
        .end("reminder")
        .move_to("race")
        .catch_signal("stop", "stop")
        .end("stopped")
}

#[test]
fn the_first_event_behind_an_event_based_gateway_wins() {
    type Event = fn(&mut Harness);
    let events: [(Event, &str); 3] = [
        (|e| _ = e.publish("paid", "k", r#"{"x":1}"#), "thanks Completed"),
        (|e| e.advance(3_600_000), "reminder Completed"),
        (|e| e.broadcast("stop", "{}"), "stopped Completed"),
    ];
    for (event, end) in events {
        scenario(|engine| {
            engine.deploy(&race());
            let instance = engine.start("p", r#"{"order":"k"}"#);
            event(engine);
            engine.expect(&["race Completing", "race Completed", end]);
            assert!(!engine.brief().iter().any(|line| line.starts_with("flow f_race")), "{}", engine.log());
            engine.expect_completed(instance);
            engine.expect_nothing_left();
        });
    }
}

#[test]
fn an_event_based_gateway_fails_as_a_whole_and_can_be_resolved_or_cancelled() {
    scenario(|engine| {
        engine.deploy(&race());
        let first = engine.start("p", "{}");
        assert_eq!(engine.incident().kind, IncidentKind::ExtractValueError);
        assert!(engine.timers().is_empty(), "nothing is armed");
        engine.set_variables(first.scope(), r#"{"order":"k"}"#, false);
        engine.resolve().expect("it can be resolved");
        engine.publish("paid", "k", "{}");
        engine.expect_completed(first);
        let second = engine.start("p", r#"{"order":"k"}"#);
        engine.cancel(second).expect("it lives");
        engine.expect_terminated(second);
        engine.expect_nothing_left();
    });
}
