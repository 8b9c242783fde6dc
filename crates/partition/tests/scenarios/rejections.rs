//! Commands that nobody waits for: what becomes of their rejections.

use crate::support::*;
use tidemill_model::command::{CompleteJob, SetVariables};
use tidemill_model::{Command, JobKey, LeaseKey, ProcessInstanceKey, Variables};

#[test]
fn a_command_of_the_engine_whose_target_is_gone_leaves_no_letter() {
    let mut bench = Bench::with(&[work()]);
    let instance = bench.started("work");
    bench.done(cancel(instance));
    bench.append(cancel(instance));
    bench.settle();
    assert_eq!(bench.inbox_len(), 0, "it has run");
    assert!(bench.letters().is_empty());
}

#[test]
fn a_command_of_the_engine_that_is_rejected_otherwise_becomes_a_dead_letter() {
    let mut bench = Bench::with(&[work()]);
    let instance = bench.started("work");
    let job = bench.job_of(instance).key;
    // A lease that nobody has: the job is there, but the report does not count.
    let command =
        CompleteJob { business_id: None, job, variables: Variables::default(), lease: Some(LeaseKey(7)) };
    let position = bench.append(Command::CompleteJob(command));
    bench.settle();
    let letters = bench.letters();
    assert_eq!(letters.len(), 1, "{letters:?}");
    assert_eq!(letters[0].position, Some(position));
    assert_eq!(bench.inbox_len(), 0);
}

#[test]
fn the_rejection_of_a_client_command_goes_to_the_client_alone() {
    let mut bench = Bench::with(&[work()]);
    let nobody = bench.send(complete(JobKey(1)));
    let scope = ProcessInstanceKey(1).scope();
    let variables = variables("{}");
    let instance = bench.started("work");
    let lease = Some(LeaseKey(7));
    let job = bench.job_of(instance).key;
    let other_lease = bench.send(Command::CompleteJob(CompleteJob {
        business_id: None,
        job,
        variables: variables.clone(),
        lease,
    }));
    let nothing = bench.send(Command::SetVariables(SetVariables { scope, variables, is_local: true }));
    bench.settle();
    bench.refused(nobody);
    bench.refused(nothing);
    bench.refused(other_lease);
    assert!(bench.letters().is_empty());
}

#[test]
fn an_entry_that_cannot_be_read_is_put_aside_once_although_a_read_fails_beside_it() {
    let mut bench = Bench::new();
    bench.settle();
    bench.append_bytes(vec![1, 2, 3]);
    bench.turn();
    // One read of the partition fails, and the one of the inbox comes right after it.
    let page = bench.take_answer(|read| matches!(read, tidemill_partition::Read::Inbox { .. }));
    bench.offer(failed_read());
    bench.offer(page);
    bench.settle();
    assert_eq!(bench.letters().len(), 1);
    assert_eq!(bench.inbox_len(), 0);
}
