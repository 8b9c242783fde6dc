//! Commits that fail: whatever becomes of a batch, each command is answered once and runs once.

use crate::support::*;
use tidemill_bpmn::builder::ModelBuilder;
use tidemill_model::command::{Deploy, ResourceFile};
use tidemill_model::entity::TimerPurpose;
use tidemill_model::{Command, RejectionCode, TenantId};
use tidemill_partition::{CommandError, Effect, Envelope, Read};

#[test]
fn nothing_is_answered_before_its_commit_has_landed() {
    let mut bench = Bench::with(&[quick()]);
    let call = bench.send(create("quick"));
    bench.settle_unwritten();
    assert!(bench.closed.is_some() && bench.answer(call).is_none());
    bench.land(Fate::Written);
    bench.answered(call);
}

#[test]
fn a_batch_whose_fate_is_unknown_is_answered_once_and_runs_once() {
    for fate in [Fate::LostBefore, Fate::LostAfter] {
        let mut bench = Bench::with(&[quick()]);
        let calls: Vec<_> = (0..3).map(|_| bench.send(create("quick"))).collect();
        bench.settle_unwritten();
        let open = bench.send(create("quick"));
        bench.settle_unwritten();
        bench.land(fate);
        bench.settle();
        for call in calls.iter().chain([&open]) {
            bench.answered(*call);
        }
        assert_eq!(bench.times_logged(is_create), 4, "after {fate:?}");
        assert_eq!(bench.instance_count(), 4, "after {fate:?}");
    }
}

#[test]
fn a_batch_that_is_lost_again_and_again_still_runs_once() {
    let mut bench = Bench::with(&[quick(), sleep()]);
    let call = bench.send(create("quick"));
    bench.append(create("sleep"));
    for fate in [Fate::LostBefore, Fate::LostBefore, Fate::LostAfter] {
        bench.settle_then(fate);
    }
    bench.settle();
    bench.answered(call);
    assert_eq!(bench.instance_count(), 2);
}

#[test]
fn a_new_owner_elsewhere_gets_what_was_not_written() {
    for (fate, is_there) in
        [(Fate::LostBefore, Some(false)), (Fate::LostAfter, Some(true)), (Fate::Fenced, Some(false))]
    {
        let mut bench = Bench::with(&[quick()]);
        let call = bench.send(create("quick"));
        bench.settle_unwritten();
        let behind = bench.send(create("quick"));
        bench.settle_unwritten();
        bench.land(fate);
        bench.recovery_is_in_vain(is_there);
        assert!(bench.core.is_finished());
        bench.give_up();
        assert_eq!(bench.refused(behind), CommandError::Moved);
        match is_there {
            Some(true) => drop(bench.answered(call)),
            _ => assert_eq!(bench.refused(call), CommandError::Moved),
        }
    }
}

#[test]
fn nobody_is_told_anything_where_nobody_knows() {
    let mut bench = Bench::with(&[quick()]);
    let call = bench.send(create("quick"));
    bench.settle_unwritten();
    let behind = bench.send(create("quick"));
    bench.land(Fate::LostBefore);
    bench.recovery_is_in_vain(None);
    bench.give_up();
    assert!(bench.answer(call).is_none(), "it may have been run");
    assert_eq!(bench.refused(behind), CommandError::Moved, "it was surely not run");
}

#[test]
fn a_damaged_store_ends_the_partition() {
    let mut bench = Bench::with(&[quick()]);
    let call = bench.send(create("quick"));
    bench.settle_then(Fate::Fatal);
    assert!(bench.core.is_finished());
    bench.give_up();
    assert!(bench.answer(call).is_none());
    assert!(bench.core.take_failure().is_some());
}

/// A deployment, which tests have the store refuse.
fn deployment() -> Command {
    deployment_of(&work())
}

fn deployment_of(model: &ModelBuilder) -> Command {
    let content = model.xml();
    let files = vec![ResourceFile { name: "w.bpmn".into(), content: content.as_bytes().into() }];
    Command::Deploy(Deploy { tenant: TenantId::default(), files })
}

#[test]
fn a_refused_batch_is_written_one_by_one_and_the_culprit_is_put_aside_alone() {
    let mut bench = Bench::with(&[quick()]);
    let before = bench.send(create("quick"));
    let culprit = bench.send(deployment());
    let after = bench.send(create("quick"));
    bench.append(create("quick"));
    let mut batches = 0;
    for _ in 0..20 {
        bench.settle_unwritten();
        let Some(commands) = bench.commands_in_flight() else { break };
        batches += 1;
        let is_culprit = commands.iter().any(|command| matches!(command, Command::Deploy(_)));
        bench.land(if is_culprit { Fate::Refused } else { Fate::Written });
    }
    bench.settle();
    assert!(batches >= 4, "each has a batch of its own: {batches}");
    bench.answered(before);
    bench.answered(after);
    let refusal = bench.refused(culprit);
    assert!(
        matches!(&refusal, CommandError::Rejected(rejection) if rejection.code == RejectionCode::ProcessingError),
        "{refusal:?}"
    );
    assert_eq!(bench.instance_count(), 3);
    assert_eq!((bench.inbox_len(), bench.letters().len()), (0, 0));
}

#[test]
fn an_entry_of_the_inbox_that_the_store_refuses_becomes_a_dead_letter() {
    let mut bench = Bench::with(&[quick()]);
    let position = bench.append(deployment());
    bench.append(create("quick"));
    for _ in 0..20 {
        bench.settle_unwritten();
        let Some(commands) = bench.commands_in_flight() else { break };
        let is_culprit = commands.iter().any(|command| matches!(command, Command::Deploy(_)));
        // Put aside, it changes nothing but the inbox and the letters.
        let writes_definition = is_culprit && bench.letters_in_flight() == 0;
        bench.land(if writes_definition { Fate::Refused } else { Fate::Written });
    }
    bench.settle();
    assert_eq!(bench.letters().len(), 1);
    assert_eq!(bench.letters()[0].position, Some(position));
    assert_eq!((bench.inbox_len(), bench.instance_count()), (0, 1));
}

#[test]
fn a_letter_runs_under_the_idempotency_key_of_its_command() {
    let mut bench = Bench::with(&[quick()]);
    let options = keyed("order 7", 1);
    bench.append_bytes(Envelope::from_client(create("quick"), options.stored_idempotency()).pack());
    bench.settle_then(Fate::Refused);
    bench.settle();
    let letter = bench.letters()[0].number;
    let call = bench.send_keyed(create("quick"), "order 7", 1);
    bench.settle();
    bench.answered(call);
    bench.retry_letter(letter);
    bench.settle();
    assert_eq!((bench.instance_count(), bench.inbox_len(), bench.letters().len()), (1, 0, 0));
}

#[test]
fn commands_that_run_one_by_one_keep_their_order_over_a_lost_commit() {
    for fate in [Fate::LostBefore, Fate::LostAfter] {
        let mut bench = Bench::with(&[work(), sleep()]);
        for _ in 0..3 {
            bench.started("sleep");
        }
        let instance = bench.started("work");
        bench.pass(SLEEP_MS);
        let calls: Vec<_> = (0..3)
            .map(|number| bench.send(set_variables(instance, &format!(r#"{{"x":{number}}}"#))))
            .collect();
        bench.settle_then(Fate::Refused);
        // The first of those that run one by one is lost as well.
        bench.settle_then(fate);
        bench.settle();
        for call in calls {
            bench.answered(call);
        }
        assert_eq!(bench.times_logged(is_trigger), 3, "after {fate:?}");
        let log = bench.log();
        let values = log.iter().filter_map(|command| match command {
            Command::SetVariables(set) => Some(format!("{:?}", set.variables)),
            _ => None,
        });
        let values: Vec<_> = values.collect();
        assert!(values.is_sorted(), "after {fate:?}: {values:?}");
    }
}

#[test]
fn commands_that_run_one_by_one_keep_their_order_over_a_failed_read() {
    let mut bench = Bench::with(&[work(), sleep()]);
    for _ in 0..2 {
        bench.started("sleep");
    }
    let instance = bench.started("work");
    bench.pass(SLEEP_MS);
    let calls: Vec<_> =
        (0..3).map(|number| bench.send(set_variables(instance, &format!(r#"{{"x":{number}}}"#)))).collect();
    bench.settle_then(Fate::Refused);
    bench.turn();
    bench.answer_read(|read| matches!(read, Read::Recovery { .. }));
    for _ in 0..3 {
        // Until the first has run again and waits to be closed.
        bench.run_only();
        bench.answer_read(|read| matches!(read, Read::Rows(_)));
    }
    bench.run_only();
    bench.offer(failed_read());
    bench.settle();
    for call in calls {
        bench.answered(call);
    }
    let log = bench.log();
    let values = log.iter().filter_map(|command| match command {
        Command::SetVariables(set) => Some(format!("{:?}", set.variables)),
        _ => None,
    });
    let values: Vec<_> = values.collect();
    assert!(values.is_sorted() && values.len() == 3, "{values:?}");
    assert_eq!(bench.times_logged(is_trigger), 2);
}

#[test]
fn a_read_that_fails_waits_for_the_batch_in_flight_and_loses_nothing() {
    let mut bench = Bench::with(&[quick()]);
    let in_flight = bench.send(create("quick"));
    bench.settle_unwritten();
    let open = bench.send(create("quick"));
    bench.settle_unwritten();
    bench.offer(failed_read());
    bench.turn();
    assert!(
        !bench.is_reading(|read| matches!(read, Read::Recovery { .. })),
        "the fate of the batch comes first"
    );
    bench.land(Fate::Written);
    bench.settle();
    bench.answered(in_flight);
    bench.answered(open);
    assert_eq!(bench.instance_count(), 2);
}

#[test]
fn nothing_spins_while_the_store_is_away() {
    let mut bench = Bench::with(&[sleep(), work()]);
    bench.started("sleep");
    bench.poll(1_000);
    bench.settle();
    bench.offer(failed_read());
    bench.turn();
    bench.pass(60_000);
    assert!(!bench.core.has_work(&bench.moment));
    assert_eq!(bench.core.idle_ms(&bench.moment), None, "nothing can run before the store is back");
    bench.settle();
    assert_eq!(bench.times_logged(is_trigger), 1);
}

#[test]
fn without_a_lease_nothing_is_answered_from_memory_before_the_store_confirms() {
    let mut bench = Bench::with(&[quick()]);
    bench.moment.holds_lease = false;
    let call = bench.send(create("nothing"));
    bench.settle_unwritten();
    assert!(bench.answer(call).is_none());
    assert!(bench.commands_in_flight().is_none() && bench.closed.is_some(), "a confirmation is in flight");
    bench.land(Fate::Written);
    bench.refused(call);

    let call = bench.send(create("nothing"));
    bench.settle_then(Fate::Fenced);
    bench.recovery_is_in_vain(Some(false));
    bench.give_up();
    assert_eq!(bench.refused(call), CommandError::Moved);
}

#[test]
fn a_deployment_counts_before_its_sender_hears_of_it_although_the_commit_was_lost() {
    let mut bench = Bench::with(&[quick()]);
    let version = bench.moment.definitions_version;
    let call = bench.send(deployment());
    bench.settle_then(Fate::LostAfter);
    bench.settle();
    bench.answered(call);
    assert!(bench.moment.definitions_version > version, "the other partitions of the node know of it");
}

#[test]
fn other_partitions_are_woken_where_the_commit_could_not_do_it() {
    let mut bench = Bench::with_partitions(tidemill_model::PartitionCount(2));
    bench.deploy(&[listen()]);
    // The keys of these messages belong to both partitions.
    let calls: Vec<_> =
        (0..8).map(|key| bench.send(create_with("listen", &format!(r#"{{"key":"{key}"}}"#)))).collect();
    bench.settle_then(Fate::LostAfter);
    bench.settle();
    for call in calls {
        bench.answered(call);
    }
    assert!(bench.effects.iter().any(|effect| matches!(effect, Effect::Wake(partition) if partition.0 == 2)));
}

#[test]
fn a_deployment_counts_before_its_sender_hears_of_it_although_the_partition_was_lost() {
    let mut bench = Bench::with(&[quick()]);
    let version = bench.moment.definitions_version;
    let call = bench.send(deployment());
    bench.settle_then(Fate::LostAfter);
    bench.recovery_is_in_vain(Some(true));
    bench.answered(call);
    assert!(bench.moment.definitions_version > version, "the other partitions of the node know of it");
}

/// Refuses every batch that holds letters. Gives how many there were.
fn refuse_letters(bench: &mut Bench) -> usize {
    let mut refused = 0;
    for _ in 0..100 {
        bench.settle_unwritten();
        if bench.closed.is_none() {
            return refused;
        }
        let has_letters = bench.letters_in_flight() > 0;
        refused += usize::from(has_letters);
        bench.land(if has_letters { Fate::Refused } else { Fate::Written });
    }
    panic!("{refused} batches were refused, and there is no end of them");
}

#[test]
fn an_entry_whose_letter_the_store_refuses_stays_in_the_inbox_and_holds_up_nobody() {
    let mut bench = Bench::with(&[quick()]);
    let position = bench.append_bytes(vec![1, 2, 3]);
    bench.append(create("quick"));
    let call = bench.send(create("quick"));
    refuse_letters(&mut bench);
    bench.answered(call);
    assert_eq!((bench.inbox_len(), bench.letters().len(), bench.instance_count()), (1, 0, 2));
    bench.append(create("quick"));
    assert_eq!(refuse_letters(&mut bench), 0, "it is left alone");
    assert_eq!((bench.inbox_len(), bench.instance_count()), (1, 3));
    // The next owner tries again.
    bench.hand_over();
    bench.settle();
    assert_eq!(bench.letters()[0].position, Some(position));
    assert_eq!(bench.inbox_len(), 0);
}

#[test]
fn a_command_whose_letter_the_store_refuses_stays_where_it_came_from() {
    let mut bench = Bench::with(&[quick(), sleep()]);
    let (bad, good) = (bench.started("sleep"), bench.started("sleep"));
    bench.append(deployment());
    bench.pass(SLEEP_MS);
    let is_bad = |command: &Command| match command {
        Command::TriggerTimer(trigger) => {
            matches!(&trigger.timer.purpose, TimerPurpose::Catch { origin, .. } if origin.instance == bad)
        }
        Command::Deploy(_) => true,
        _ => false,
    };
    let mut refused = 0;
    for _ in 0..100 {
        bench.settle_unwritten();
        let Some(commands) = bench.commands_in_flight() else { break };
        let is_refused = commands.iter().any(is_bad);
        refused += usize::from(is_refused);
        bench.land(if is_refused { Fate::Refused } else { Fate::Written });
    }
    bench.settle();
    assert!(refused < 10, "{refused}");
    bench.started("quick");
    assert_eq!(bench.state_of(good).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.state_of(bad).as_deref(), Some("ACTIVE"));
    assert_eq!((bench.inbox_len(), bench.letters().len()), (1, 0), "nothing is lost");
    bench.hand_over();
    bench.settle();
    assert_eq!(bench.state_of(bad).as_deref(), Some("COMPLETED"));
    assert_eq!(bench.inbox_len(), 0);
}

#[test]
fn a_deployment_is_written_although_another_one_lands_while_it_waits_for_its_commit() {
    let version =
        |task: &str| ModelBuilder::process("work").start("s").service_task(task, |task| task.job_type("t"));
    let mut bench = Bench::with(&[version("one").end("e")]);
    let second = bench.send(deployment_of(&version("two").end("e")));
    bench.settle_unwritten();
    // It runs from memory while the second is in flight, and the second tells the node of new definitions when it lands.
    let third = bench.send(deployment_of(&version("three").end("e")));
    bench.settle_unwritten();
    bench.land(Fate::Written);
    bench.settle();
    bench.answered(second);
    bench.answered(third);
    bench.hand_over();
    let instance = bench.started("work");
    assert_eq!(bench.job_of(instance).element_id, "three");
}
