//! After an owner that died: what it had in hand is found, runs alone, and is put aside if it kills again.

use crate::support::*;
use tidemill_model::{Command, RejectionCode};
use tidemill_partition::{CommandError, Effect, Read};

fn note(read: &Read) -> bool {
    matches!(read, Read::Note { .. })
}

/// The owner dies when the command of this process is about to run, having noted it.
fn dies_of(bench: &mut Bench, kills: impl Fn(&Command) -> bool) {
    take_ran();
    for _ in 0..1_000 {
        bench.turn();
        if take_ran().iter().any(&kills) {
            return bench.die();
        }
        if !bench.answer_read(|_| true) && bench.closed.is_some() {
            bench.land(Fate::Written);
        }
    }
    panic!("the command never ran");
}

fn is_killer(command: &Command) -> bool {
    matches!(command, Command::CreateInstance(create) if create.variables == variables(r#"{"kills":true}"#))
}

fn killer() -> Command {
    create_with("quick", r#"{"kills":true}"#)
}

#[test]
fn a_command_that_kills_is_put_aside_and_the_others_run() {
    let mut bench = Bench::with(&[quick()]);
    for _ in 0..3 {
        bench.append(create("quick"));
    }
    let position = bench.append(killer());
    bench.append(create("quick"));
    // The first death was not noted, the second one with others in hand, the third one alone.
    for _ in 0..3 {
        dies_of(&mut bench, is_killer);
    }
    bench.settle();
    let letters = bench.letters();
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(letters[0].position, Some(position));
    assert_eq!(bench.instance_count(), 4, "the others have run once");
}

#[test]
fn a_suspect_runs_alone() {
    let mut bench = Bench::with(&[quick()]);
    bench.append(killer());
    bench.append(create("quick"));
    dies_of(&mut bench, is_killer);
    dies_of(&mut bench, is_killer);
    bench.keep_back(note);
    bench.settle();
    let is_alone = |read: &Read| matches!(read, Read::Note { is_alone: Some(true), .. });
    assert!(bench.is_reading(is_alone), "{:?}", bench.reads);
    take_ran();
    // It waits for rows once, and its note is taken back and written again.
    while bench.commands_in_flight().is_none() {
        bench.settle_unwritten();
        assert!(bench.answer_read(note) || bench.commands_in_flight().is_some(), "{:?}", bench.reads);
    }
    let ran = take_ran();
    assert!(ran.iter().all(is_killer), "nothing runs beside it: {ran:?}");
    assert!(!ran.is_empty());
}

#[test]
fn a_suspect_that_does_no_harm_is_not_put_aside() {
    let mut bench = Bench::with(&[quick()]);
    bench.append(killer());
    dies_of(&mut bench, is_killer);
    dies_of(&mut bench, is_killer);
    bench.settle();
    assert!(bench.letters().is_empty());
    assert_eq!(bench.instance_count(), 1);
    let done = bench.effects.iter().filter(|effect| matches!(effect, Effect::SuspectsAreDone)).count();
    assert!(done > 0, "others may run beside this partition again");
}

#[test]
fn deaths_by_chance_while_a_suspect_is_written_are_not_held_against_it() {
    let mut bench = Bench::with(&[quick()]);
    bench.append(killer());
    for _ in 0..2 {
        dies_of(&mut bench, is_killer);
    }
    // It has run alone and is being written, which takes long, when the machine dies.
    take_ran();
    bench.settle_unwritten();
    assert!(take_ran().iter().any(is_killer));
    assert!(bench.commands_in_flight().is_some_and(|commands| commands.iter().any(is_killer)));
    bench.die();
    bench.settle();
    assert!(bench.letters().is_empty(), "{:?}", bench.letters());
    assert_eq!(bench.instance_count(), 1);
}

#[test]
fn deaths_by_chance_while_a_suspect_waits_for_rows_are_not_held_against_it() {
    let mut bench = Bench::with(&[quick()]);
    bench.append(killer());
    for _ in 0..2 {
        dies_of(&mut bench, is_killer);
    }
    bench.keep_back(|read| matches!(read, Read::Rows(_)));
    bench.settle();
    assert!(bench.is_reading(|read| matches!(read, Read::Rows(_))), "{:?}", bench.reads);
    bench.keep_back(|_| false);
    bench.die();
    bench.settle();
    assert!(bench.letters().is_empty(), "{:?}", bench.letters());
    assert_eq!(bench.instance_count(), 1);
}

#[test]
fn a_suspect_that_has_run_well_is_a_suspect_no_more() {
    let mut bench = Bench::with(&[quick()]);
    for _ in 0..2 {
        bench.send(killer());
        dies_of(&mut bench, is_killer);
    }
    bench.done(killer());
    bench.keep_back(note);
    bench.send(killer());
    bench.settle();
    assert!(bench.is_reading(|read| matches!(read, Read::Note { is_alone: Some(false), .. })));
}

#[test]
fn a_client_that_sends_a_killer_again_is_refused() {
    let mut bench = Bench::with(&[quick()]);
    for _ in 0..3 {
        bench.send(killer());
        dies_of(&mut bench, is_killer);
    }
    let call = bench.send(killer());
    let other = bench.send(create("quick"));
    bench.settle();
    let refusal = bench.refused(call);
    assert!(
        matches!(&refusal, CommandError::Rejected(rejection) if rejection.code == RejectionCode::ProcessingError),
        "{refusal:?}"
    );
    bench.answered(other);
}

#[test]
fn a_worker_that_comes_with_a_killer_does_not_wait_for_something_else_to_happen() {
    let mut bench = Bench::with(&[quick()]);
    for _ in 0..3 {
        bench.send(killer());
        dies_of(&mut bench, is_killer);
    }
    // The inbox was read, and it is known that there are no jobs.
    bench.poll_for(activate(1_000), None);
    bench.settle();
    let worker = bench.poll_for(activate(1_000), None);
    let call = bench.send(killer());
    bench.settle();
    bench.refused(call);
    assert_eq!(bench.job_count(worker), Some(0));
}

#[test]
fn the_note_is_taken_back_when_the_caution_is_over() {
    let mut bench = Bench::with(&[quick()]);
    bench.die();
    bench.started("quick");
    assert!(bench.stored_note().is_some());
    bench.pass(11 * 60 * 1_000);
    bench.settle();
    bench.started("quick");
    bench.settle();
    assert!(bench.stored_note().is_none());
    bench.keep_back(note);
    bench.started("quick");
    assert!(!bench.is_reading(note), "nothing is noted any more");
}

#[test]
fn a_note_is_taken_back_when_what_was_noted_has_changed_nothing() {
    let mut bench = Bench::with(&[quick()]);
    bench.die();
    let call = bench.send(create("nothing"));
    bench.settle();
    bench.refused(call);
    bench.die();
    bench.keep_back(note);
    bench.send(create("nothing"));
    bench.settle();
    assert!(
        !bench.is_reading(|read| matches!(read, Read::Note { is_alone: Some(true), .. })),
        "it did no harm"
    );
}

#[test]
fn workers_are_served_under_a_note_of_their_own() {
    let mut bench = Bench::with(&[work()]);
    bench.started("work");
    bench.die();
    bench.keep_back(note);
    let worker = bench.poll(60_000);
    bench.settle();
    assert!(bench.is_reading(note));
    take_ran();
    bench.keep_back(|_| false);
    bench.settle();
    assert_eq!(bench.job_count(worker), Some(1));
}

#[test]
fn a_worker_that_comes_while_a_command_runs_under_a_note_is_served_after_it() {
    let mut bench = Bench::with(&[work(), quick()]);
    bench.started("work");
    bench.die();
    // Whether there are jobs is read and known.
    let first = bench.poll(60_000);
    bench.settle();
    assert_eq!(bench.job_count(first), Some(1));
    bench.keep_back(note);
    let rejected = bench.send(create("nothing"));
    bench.settle();
    let worker = bench.poll_for(activate(10_000), None);
    bench.settle();
    bench.keep_back(|_| false);
    bench.settle();
    bench.refused(rejected);
    assert_eq!(bench.job_count(worker), Some(0), "nothing else has to happen before it is told");
}

#[test]
fn many_cold_commands_under_one_note_do_not_wait_for_each_other_for_ever() {
    let mut bench = Bench::with(&[work()]);
    let instances: Vec<_> = (0..12).map(|_| bench.started("work")).collect();
    bench.die();
    let calls: Vec<_> = instances.iter().map(|instance| bench.send(cancel(*instance))).collect();
    bench.settle();
    for call in calls {
        bench.answered(call);
    }
}

#[test]
fn a_refused_batch_is_written_one_by_one_under_notes_as_well() {
    let mut bench = Bench::with(&[quick(), work()]);
    let instance = bench.started("work");
    bench.die();
    bench.append(create("quick"));
    let calls: Vec<_> =
        (0..4).map(|number| bench.send(set_variables(instance, &format!(r#"{{"x":{number}}}"#)))).collect();
    for _ in 0..40 {
        bench.settle_unwritten();
        let Some(commands) = bench.commands_in_flight() else { break };
        let is_culprit = |command: &Command| matches!(command, Command::SetVariables(set) if set.variables == variables(r#"{"x":2}"#));
        let is_put_aside = bench.letters_in_flight() > 0;
        let fate =
            if commands.iter().any(is_culprit) && !is_put_aside { Fate::Refused } else { Fate::Written };
        bench.land(fate);
    }
    bench.settle();
    for (number, call) in calls.into_iter().enumerate() {
        match number {
            2 => drop(bench.refused(call)),
            _ => drop(bench.answered(call)),
        }
    }
    assert_eq!(bench.instance_count(), 2);
}
