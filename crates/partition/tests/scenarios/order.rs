//! Commands that may run while another one waits for a read, and their order.

use crate::support::*;
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_model::{Command, Need};
use tidemill_partition::{Effect, Event, Read};

fn rows(read: &Read) -> bool {
    matches!(read, Read::Rows(_))
}

#[test]
fn while_a_command_waits_for_rows_others_run_and_those_of_its_instance_wait() {
    let mut bench = Bench::with(&[work(), quick()]);
    let (cold, warm) = (bench.started("work"), bench.started("work"));
    // The next owner has nothing in memory; what it needs of `warm` is read, what it needs of `cold` is kept back.
    bench.hand_over();
    let job = bench.job_of(warm).key;
    bench.done(fail(job));
    bench.started("quick");
    bench.keep_back(rows);
    take_ran();

    let first = bench.send(cancel(cold));
    let second = bench.send(cancel(cold));
    let other = bench.send(complete(job));
    let new = bench.send(create("quick"));
    bench.settle();
    assert!(bench.answer(other).is_none(), "nothing is written that the read may or may not see");
    let ran = take_ran();
    assert!(matches!(ran[..], [Command::CreateInstance(_), Command::CompleteJob(_)]), "{ran:?}");

    bench.keep_back(|_| false);
    bench.settle();
    for call in [first, other, new] {
        bench.answered(call);
    }
    bench.refused(second);
    let cancels = bench.log().into_iter().filter(|command| matches!(command, Command::CancelInstance(_)));
    assert_eq!(cancels.count(), 2);
}

#[test]
fn commands_of_one_instance_run_in_the_order_in_which_they_came() {
    let mut bench = Bench::with(&[work()]);
    let instance = bench.started("work");
    bench.hand_over();
    let calls: Vec<_> =
        (0..20).map(|number| bench.send(set_variables(instance, &format!(r#"{{"x":{number}}}"#)))).collect();
    let end = bench.send(cancel(instance));
    let late = bench.send(set_variables(instance, r#"{"x":99}"#));
    bench.settle();
    for call in calls {
        bench.answered(call);
    }
    bench.answered(end);
    bench.refused(late);
}

#[test]
fn a_command_that_could_run_waits_for_the_one_before_it_of_the_same_instance() {
    let calls = ModelBuilder::process("work").start("s").service_task("t", |task| task.job_type("t"));
    let calls = calls.call_activity("c", "quick", |call| call).end("e");
    let mut bench = Bench::with(&[calls, quick()]);
    let instance = bench.started("work");
    let job = bench.job_of(instance).key;
    bench.hand_over();
    bench.done(fail(job));
    bench.keep_back(rows);

    // To complete the job, the called process must be read; to cancel the instance, nothing.
    let first = bench.send(complete(job));
    bench.settle();
    let second = bench.send(cancel(instance));
    bench.settle();
    assert!(bench.is_reading(rows));
    bench.keep_back(|_| false);
    bench.settle();
    bench.answered(first);
    bench.refused(second);
}

#[test]
fn what_many_cold_commands_need_is_read_together() {
    let mut bench = Bench::with(&[work()]);
    let instances: Vec<_> = (0..30).map(|_| bench.started("work")).collect();
    let jobs: Vec<_> = instances.iter().map(|instance| bench.job_of(*instance).key).collect();
    bench.hand_over();
    bench.keep_back(rows);
    let calls: Vec<_> = jobs.into_iter().map(|job| bench.send(complete(job))).collect();
    let mut reads = 0;
    while calls.iter().any(|call| bench.answer(*call).is_none()) {
        bench.settle();
        reads += usize::from(bench.answer_read(rows));
        assert!(reads < 100);
    }
    assert!(reads <= 4, "thirty commands took {reads} reads, one after the other");
}

#[test]
fn a_definition_that_changes_during_a_read_is_read_again() {
    let mut bench = Bench::with(&[quick()]);
    bench.hand_over();
    bench.keep_back(rows);
    let call = bench.send(create("quick"));
    bench.settle();
    let old = bench.take_answer(rows);
    // Another partition of the node has deployed a second version meanwhile.
    bench.moment.definitions_version += 1;
    bench.turn();
    bench.offer(old);
    bench.settle();
    let process = |need: &Need| matches!(need, Need::Process { .. });
    let is_read_again = |read: &Read| matches!(read, Read::Rows(needs) if needs.iter().any(process));
    assert!(bench.is_reading(is_read_again), "what the read brought may be old: {:?}", bench.reads);
    bench.keep_back(|_| false);
    bench.settle();
    bench.answered(call);
}

fn definitions(read: &Read) -> bool {
    matches!(read, Read::Rows(needs) if needs.iter().any(|need| matches!(need, Need::Definition(_))))
}

#[test]
fn what_a_deployment_has_compiled_is_there_for_the_first_start_and_then_shared_by_all() {
    let mut bench = Bench::with(&[work()]);
    let held = bench.core.compiled_definitions();
    assert_eq!(held.len(), 1);
    let is_told = |effect: &Effect| matches!(effect, Effect::Deployed(keys) if *keys == held);
    assert_eq!(bench.effects.iter().filter(|effect| is_told(effect)).count(), 1);
    bench.keep_back(definitions);
    let first = bench.send(create("work"));
    bench.settle();
    bench.answered(first);
    // The node could not get it: then the core does not keep it alone.
    bench.keep_back(|_| false);
    bench.offer(Event::ProcessesShared(vec![(held[0], None)]));
    bench.turn();
    assert!(bench.core.compiled_definitions().is_empty());
    bench.started("work");
}

#[test]
fn processes_that_the_cache_has_let_go_of_leave_and_are_asked_for_again() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    let held = bench.core.compiled_definitions();
    assert_eq!(held.len(), 1);
    bench.keep_back(rows);
    let waiting = bench.send(create("work"));
    bench.offer(Event::ProcessesEvicted(held.clone()));
    bench.keep_back(|_| false);
    bench.settle();
    bench.answered(waiting);
    bench.turn();
    assert!(bench.core.compiled_definitions().is_empty(), "the batch was the last that needed it");
    bench.started("work");
    assert_eq!(bench.core.compiled_definitions(), held, "it was read again");
    bench.offer(Event::ProcessesEvicted(held));
    bench.turn();
    assert!(bench.core.compiled_definitions().is_empty(), "nothing waits that could need it");
}

#[test]
fn variables_of_an_instance_in_memory_are_set_while_a_command_of_another_instance_waits_for_rows() {
    let mut bench = Bench::with(&[work()]);
    let (elsewhere, here) = (bench.started("work"), bench.started("work"));
    bench.hand_over();
    bench.done(set_variables(here, r#"{"x":1}"#));
    bench.keep_back(|read| matches!(read, Read::Rows(_)));
    bench.send(cancel(elsewhere));
    bench.send(set_variables(here, r#"{"x":2}"#));
    take_ran();
    bench.settle();
    let ran = take_ran();
    assert!(ran.iter().any(|command| matches!(command, Command::SetVariables(_))), "{ran:?}");
}

/// Takes a job, works so hard that what follows finds no room in the batch, and waits for a message.
fn toil() -> ModelBuilder {
    let model = ModelBuilder::process("toil").start("s").service_task("t", |task| task.job_type("t"));
    let model = model.script("hard", "=count(for i in 1..200000 return i + 1)", "done");
    model.catch_message("c", ("news", "=key")).end("e")
}

#[test]
fn a_subscription_that_went_through_the_inbox_is_opened_before_it_is_closed() {
    for fate in [Fate::Written, Fate::LostBefore, Fate::LostAfter] {
        let mut bench = Bench::with(&[toil()]);
        let instance = bench.started_with(create_with("toil", r#"{"key": "k"}"#));
        let job = bench.job_of(instance).key;
        let (completed, cancelled) = (bench.send(complete(job)), bench.send(cancel(instance)));
        bench.settle_then(fate);
        bench.settle();
        bench.answered(completed);
        bench.answered(cancelled);
        let is_open = |command: &Command| matches!(command, Command::OpenBoxSubscription(_));
        let is_close = |command: &Command| matches!(command, Command::CloseBoxSubscription(_));
        let log = bench.log();
        let (opened, closed) = (log.iter().position(is_open), log.iter().position(is_close));
        assert!(opened.is_some() && opened < closed, "after {fate:?}: {opened:?}, {closed:?}");
        assert_eq!(bench.inbox_len(), 0);
    }
}
