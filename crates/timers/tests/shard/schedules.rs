//! Timers that repeat: the commit that fires one occurrence writes the next, and what fails is tried beside it.

use crate::world::{State, World, repeat, scope};
use tidemill_timers::block::{Entry, Flags};
use tidemill_timers::shard::{Address, Answer, Config, FailureId, Firing, Next, Request, Settle};

fn world() -> World {
    let mut world = World::new(Config { on_fire: repeat, ..Config::default() });
    world.pump(8);
    world
}

fn ask(world: &mut World, request: Request) -> Answer {
    let ticket = world.send(request).expect("there is room");
    for _ in 0..50 {
        world.pump(1);
        if let Some((_, answer)) = world.answers.iter().find(|(of, _)| *of == ticket) {
            return answer.clone();
        }
    }
    panic!("no answer")
}

/// One that comes every 5 seconds, first in one second.
fn schedule(world: &mut World, left: u8) -> (i64, Address) {
    world.create_schedule(world.now_ms + 1_000, left, 2, scope(0));
    world.pump(2);
    let (key, timer) = world.timers.last_key_value().expect("it was created");
    (*key, timer.address)
}

fn get(world: &mut World, address: Address) -> Answer {
    ask(world, Request::Get { address, scope: scope(0) })
}

fn found(answer: Answer) -> (Entry, bool) {
    match answer {
        Answer::Found { entry, is_paused } => (*entry, is_paused),
        other => panic!("{other:?}"),
    }
}

#[test]
fn the_firing_commit_writes_the_next_occurrence_and_the_cadence_does_not_drift() {
    let mut world = world();
    let began_ms = world.now_ms + 1_000;
    let (key, address) = schedule(&mut world, 3);
    for n in 0..4 {
        // An owner that looks 40 ms late each time delivers late, but plans nothing late.
        world.now_ms = began_ms + n * 5_000 + 40;
        world.crash(false);
        world.pump(12);
        let last = world.delivered.last().expect("an occurrence is due");
        assert_eq!((last.key, last.scheduled_ms), (key, began_ms + n * 5_000));
        assert_eq!(world.delivered.len() as i64, n + 1, "each fires once");
    }
    assert_eq!(world.timers[&key].state, State::Fired);
    assert!(matches!(get(&mut world, address), Answer::Gone));
    world.finish();
}

#[test]
fn a_schedule_is_found_moved_paused_and_cancelled_between_its_occurrences() {
    let mut world = world();
    let (_, address) = schedule(&mut world, 9);
    world.now_ms += 2_000;
    world.pump(4);
    assert_eq!(world.delivered.len(), 1);
    let (entry, is_paused) = found(get(&mut world, address));
    assert_eq!((entry.payload[0], entry.generation, is_paused), (8, 1, false));
    assert_eq!(ask(&mut world, Request::Pause { address }), Answer::Done);
    world.now_ms += 60_000;
    world.pump(4);
    assert_eq!(world.delivered.len(), 1, "it is paused");
    assert!(found(get(&mut world, address)).1);
    assert!(found(get(&mut world, address)).1, "a look takes nothing away");
    assert_eq!(ask(&mut world, Request::Trigger { address }), Answer::Done);
    assert_eq!(world.delivered.len(), 2);
    assert!(found(get(&mut world, address)).1, "a paused schedule stays paused when it is triggered");
    assert_eq!(ask(&mut world, Request::Resume { address }), Answer::Done);
    assert_eq!(ask(&mut world, Request::Cancel { address, scope: scope(0) }), Answer::Done);
    world.finish();
}

#[test]
fn an_occurrence_that_was_given_up_is_tried_again_beside_the_next_ones_under_the_id_of_the_schedule() {
    let mut world = world();
    let (key, _) = schedule(&mut world, 1);
    world.now_ms += 2_000;
    world.pump(4);
    let entry = Box::new(world.delivered[0].clone());
    let due_ms = world.now_ms + 100;
    assert_eq!(ask(&mut world, Request::Revive { entry: entry.clone(), due_ms }), Answer::Done);
    world.now_ms += 200;
    world.pump(4);
    let retried = world.delivered[1].clone();
    assert!(retried.key != key && retried.flags.has(Flags::DETACHED));
    assert_eq!((retried.attempt, retried.scheduled_ms), (0, entry.scheduled_ms));
    assert_eq!(retried.place_id(), entry.place_id(), "the receiver knows it by the same id");
    world.now_ms += 10_000;
    world.pump(4);
    assert_eq!(world.delivered[2].key, key, "the next occurrence came in its time");
    world.finish();
}

#[test]
fn an_occurrence_that_is_left_out_is_followed_by_the_next() {
    fn skip(entry: &Entry, now_ms: i64) -> Firing {
        let payload = entry.payload.clone();
        let next = Next { due_ms: now_ms + 700, scheduled_ms: now_ms + 700, payload };
        let told_ms = Some(entry.scheduled_ms).filter(|told_ms| now_ms - told_ms < 1_000);
        Firing { told_ms, next: Some(next) }
    }
    let mut world = World::new(Config { on_fire: skip, ..Config::default() });
    world.pump(8);
    let (_, address) = schedule(&mut world, 9);
    world.now_ms += 60_000;
    world.pump(4);
    assert!(world.delivered.is_empty(), "it is too late");
    assert_eq!(found(get(&mut world, address)).0.generation, 1);
}

#[test]
fn a_timer_of_a_paused_namespace_can_be_looked_at_where_it_is_parked() {
    let mut world = world();
    let (_, address) = schedule(&mut world, 2);
    assert_eq!(ask(&mut world, Request::PauseNamespace(scope(0))), Answer::Done);
    world.now_ms += 60_000;
    world.pump(4);
    assert!(found(get(&mut world, address)).1);
    let other = Request::Get { address, scope: scope(1) };
    assert_eq!(ask(&mut world, other), Answer::Gone, "of another namespace nothing is told");
    world.finish();
}

#[test]
fn a_timer_that_was_given_up_is_tried_again_or_forgotten() {
    let mut world = world();
    world.create_all((0..2).map(|n| 1_700_000_000_500 + 3 * n), scope(0));
    world.now_ms += 2_000;
    world.pump(4);
    let row = *world.store.deliveries.first_key_value().expect("they have fired").0;
    let failures = world.delivered.iter().map(|entry| (entry.clone(), "nobody answers".into())).collect();
    let given_up = Settle { row, retries: Vec::new(), failures, returned: Vec::new() };
    assert_eq!(ask(&mut world, Request::Settle(given_up.into())), Answer::All(Vec::new()));
    let [first, second] = [0, 1].map(|n| world.delivered[n].clone());
    let id = FailureId { key: second.key, generation: second.generation };
    assert_eq!(ask(&mut world, Request::Bury(id)), Answer::Done);
    assert_eq!(world.store.failures.len(), 1);
    let tried = Entry { attempt: 7, ..first };
    let revive = Request::Revive { entry: Box::new(tried), due_ms: world.now_ms };
    let ticket = world.tickets + 1;
    world.shard.offer(ticket, revive).expect("there is room");
    let batch = world.shard.close(world.now_ms).expect("it is written");
    assert_eq!(batch.failure_deletes.len(), 1);
    world.store.commit(&batch);
    world.shard.landed(tidemill_timers::shard::Commit::Written);
    assert!(world.store.failures.is_empty());
    world.now_ms += 10;
    world.ask();
    let live = world.store.live();
    let again = crate::store::delivered(&batch).into_iter().chain(live.into_values());
    assert_eq!(again.map(|entry| entry.attempt).collect::<Vec<_>>(), [0], "it begins with its first attempt");
}
