//! The rules of the protocol, one by one: each answers a way in which a timer would be lost, doubled or fired after its
//! cancellation.

use crate::world::{State, World, scope};
use tidemill_timers::block::{Kind, PlaceId};
use tidemill_timers::shard::{Address, Answer, Config, Fence, Mode, Need, Request, Supply};
use tidemill_timers::slot::length_ms;
use tidemill_timers::{Position, Slot};

pub(crate) fn world() -> World {
    let mut world = World::new(Config::default());
    world.pump(8);
    world
}

/// A shard that takes five entries at a time and holds few.
/// Timers that carry something take more of the memory than others.
const PAYLOAD_BYTES: usize = 40;

pub(crate) fn small_world() -> World {
    let config = Config { memory_bytes_max: 24_000, block_entries_max: 5, ..Config::default() };
    let mut world = World::new(config);
    world.pump(8);
    world
}

pub(crate) fn create(world: &mut World, in_ms: i64) -> i64 {
    world.create(world.now_ms + in_ms, None, Mode::Fail, scope(0), 0);
    world.pump(1);
    match world.answers.last() {
        Some((_, Answer::Created { key, .. })) => *key,
        other => panic!("{other:?}"),
    }
}

pub(crate) fn ask(world: &mut World, request: Request) -> Answer {
    let ticket = world.send(request).expect("there is room");
    for _ in 0..50 {
        world.pump(1);
        if let Some((_, answer)) = world.answers.iter().find(|(of, _)| *of == ticket) {
            return answer.clone();
        }
    }
    panic!("no answer")
}

fn address(world: &World, key: i64) -> Address {
    world.timers[&key].address
}

fn state(world: &World, key: i64) -> State {
    world.timers[&key].state
}

fn cancel(world: &mut World, key: i64) -> Answer {
    let (address, scope) = (address(world, key), world.timers[&key].scope.clone());
    ask(world, Request::Cancel { address, scope })
}

pub(crate) fn pass(world: &mut World, ms: i64) {
    world.now_ms += ms;
    world.pump(12);
}

#[test]
fn rule_1_nothing_is_created_behind_the_mark_of_the_commit_in_flight() {
    let mut world = world();
    let first = create(&mut world, 500);
    world.now_ms += 600;
    world.close();
    let mark = world.in_flight.as_ref().expect("a timer fires").mark;
    world.create(mark.due_ms - 300, None, Mode::Fail, scope(0), 0);
    world.land();
    world.pump(1);
    let Some((_, Answer::Created { key, due_ms })) = world.answers.last().cloned() else { panic!() };
    assert!(Position::new(due_ms, key) > mark, "the id carries the stored due time");
    pass(&mut world, 10);
    assert_eq!((state(&world, first), state(&world, key)), (State::Fired, State::Fired));
    let late = world.delivered.last().expect("it was delivered");
    assert_eq!(late.scheduled_ms, mark.due_ms - 300, "the scheduled time is kept");
}

#[test]
fn rule_1_an_old_key_that_comes_back_is_not_stored_behind_the_mark_either() {
    let mut world = world();
    let (old, newer) = (create(&mut world, 5_000), create(&mut world, 100));
    pass(&mut world, 100);
    assert_eq!(state(&world, newer), State::Fired);
    let mark = world.shard.mark();
    assert!(mark.key > old, "the newer key is the mark's");
    let address = address(&world, old);
    assert_eq!(ask(&mut world, Request::Move { address, due_ms: mark.due_ms }), Answer::Done);
    pass(&mut world, 10);
    assert_eq!(state(&world, old), State::Fired);
}

#[test]
fn rule_2_a_tombstone_kills_only_older_generations() {
    let mut world = world();
    let key = create(&mut world, 90_000);
    let (address, home_ms) = (address(&world, key), world.now_ms + 90_000);
    for due_ms in [home_ms + 500_000, home_ms] {
        assert_eq!(ask(&mut world, Request::Move { address, due_ms }), Answer::Done);
    }
    pass(&mut world, 80_000);
    pass(&mut world, 11_000);
    assert_eq!(state(&world, key), State::Fired, "it has come back to where its own tombstone lies");
}

#[test]
fn rule_2_a_tombstone_spares_the_generation_that_was_written_with_it() {
    let mut world = world();
    let home_ms = Slot::of(world.now_ms + 90_000, 0).begin_ms();
    let in_ms = home_ms - world.now_ms;
    let key = create(&mut world, in_ms);
    let address = address(&world, key);
    // Within the same second, so that timer and tombstone are loaded together.
    assert_eq!(ask(&mut world, Request::Move { address, due_ms: home_ms + 5 }), Answer::Done);
    world.now_ms = home_ms + 5;
    world.pump(12);
    assert_eq!(state(&world, key), State::Fired);
}

#[test]
fn rule_2_cancel_finds_a_timer_that_was_moved_by_its_place() {
    let mut world = world();
    let key = create(&mut world, 90_000);
    let (address, due_ms) = (address(&world, key), world.now_ms + 5_000);
    assert_eq!(ask(&mut world, Request::Move { address, due_ms }), Answer::Done);
    world.crash(false);
    world.pump(8);
    assert_eq!(cancel(&mut world, key), Answer::Done);
    pass(&mut world, 100_000);
    assert_eq!(state(&world, key), State::Cancelled);
}

#[test]
fn rule_2_a_timer_that_fired_early_by_a_move_is_not_cancelled_by_its_old_id() {
    let mut world = world();
    let key = create(&mut world, 9_000_000);
    let (address, due_ms) = (address(&world, key), world.now_ms + 100);
    assert_eq!(ask(&mut world, Request::Move { address, due_ms }), Answer::Done);
    pass(&mut world, 200);
    assert_eq!(state(&world, key), State::Fired);
    assert_eq!(cancel(&mut world, key), Answer::Gone);
    world.crash(false);
    world.pump(8);
    assert_eq!(cancel(&mut world, key), Answer::Gone);
}

#[test]
fn rule_3_the_same_timer_may_be_cancelled_twice() {
    let mut world = world();
    let key = create(&mut world, 90_000);
    assert_eq!(cancel(&mut world, key), Answer::Done);
    assert_eq!(cancel(&mut world, key), Answer::Done);
    let tombstones = world.store.blocks.keys().filter(|id| id.kind == Kind::Tombstones);
    assert_eq!(tombstones.count(), 2, "each has a primary key of its own");
    world.finish();
    assert_eq!(state(&world, key), State::Cancelled);
}

#[test]
fn rule_4_the_mark_never_passes_a_parent_slot_that_is_not_empty() {
    let mut world = world();
    let key = create(&mut world, 10_000_000);
    let parent = *world.store.blocks.keys().next().expect("it is stored");
    assert!(parent.slot.level >= 2);
    world.now_ms += 10_000_100;
    for _ in 0..200 {
        world.ask();
        world.look(0);
        world.arrive(0);
        world.close();
        world.land();
        let is_split = !world.store.blocks.contains_key(&parent);
        assert!(is_split || world.shard.mark().due_ms < parent.slot.begin_ms());
        if state(&world, key) == State::Fired {
            return;
        }
    }
    panic!("it never fired");
}

#[test]
fn rule_4_once_a_split_has_begun_new_timers_and_tombstones_go_to_the_lower_level() {
    let mut world = world();
    let due_ms = (Slot::of(world.now_ms, 2).number + 3) * length_ms(2) + 70_000;
    let in_ms = due_ms - world.now_ms;
    let key = create(&mut world, in_ms);
    let parent = *world.store.blocks.keys().next().expect("it is stored");
    world.now_ms = parent.slot.begin_ms() - 1_000;
    // The split begins, and its read is under way.
    for _ in 0..20 {
        world.ask();
        let reads_parent = |need: &Need| matches!(need, Need::Blocks { slot, .. } if *slot == parent.slot);
        if world.reads.iter().any(|(_, need, _)| reads_parent(need)) {
            break;
        }
        world.look(0);
        world.arrive(0);
        world.close();
        world.land();
    }
    world.look(0);
    let (address, of) = (address(&world, key), scope(0));
    world.send(Request::Cancel { address, scope: of });
    world.create(due_ms, None, Mode::Fail, scope(0), 0);
    world.close();
    world.land();
    let below = world.store.blocks.keys().filter(|id| id.slot.level < parent.slot.level);
    assert_eq!(below.count(), 2, "a tombstone and a timer");
    assert!(world.store.blocks.contains_key(&parent), "the page has not come yet");
    world.finish();
    assert_eq!(state(&world, key), State::Cancelled);
    assert_eq!(world.fired, 1);
}

#[test]
fn rule_4_a_split_deletes_exactly_the_blocks_that_it_has_read() {
    let mut world = small_world();
    let due_ms = (Slot::of(world.now_ms, 2).number + 3) * length_ms(2) + 70_000;
    for n in 0..20 {
        let in_ms = due_ms + n - world.now_ms;
        create(&mut world, in_ms);
    }
    // The model compares the store with what was answered after each of the many commits that this takes.
    world.now_ms = due_ms - 2_000;
    world.pump(3);
    world.lose_sight(true);
    world.crash(true);
    world.finish();
    assert_eq!(world.fired, 20);
}

#[test]
fn rule_5_a_slot_larger_than_memory_is_fired_block_by_block() {
    let mut world = small_world();
    let due_ms = (Slot::of(world.now_ms, 0).number + 5) * length_ms(0);
    for n in 0..300 {
        world.create(due_ms + n, None, Mode::Fail, scope(0), PAYLOAD_BYTES);
        world.pump(1);
    }
    assert_eq!(world.timers.len(), 300);
    world.now_ms = due_ms + length_ms(0) + 1;
    let (mut commits, mut partly) = (0, 0);
    while world.fired < 300 && commits < 1_000 {
        world.pump(1);
        commits += 1;
        if 0 < world.fired && world.fired < 300 {
            partly += 1;
            assert!(world.shard.mark().due_ms < due_ms, "the mark moves only when the slot is empty");
        }
        if world.fired > 100 && partly > 3 {
            world.crash(false);
            partly = i32::MIN;
        }
    }
    assert_eq!(world.fired, 300, "each once, though the owner died in between");
    world.finish();
}

#[test]
fn rule_5_nothing_is_created_or_cancelled_in_a_slot_that_is_being_fired() {
    let mut world = small_world();
    let due_ms = (Slot::of(world.now_ms, 0).number + 5) * length_ms(0);
    for n in 0..300 {
        world.create(due_ms + n, None, Mode::Fail, scope(0), PAYLOAD_BYTES);
        world.pump(1);
    }
    world.now_ms = due_ms + length_ms(0) + 1;
    while world.fired == 0 {
        world.pump(1);
    }
    assert!(world.fired < 300);
    let live = world.timers.iter().rev().find(|(_, timer)| timer.state == State::Live);
    let (key, _) = live.map(|(key, timer)| (*key, timer.clone())).expect("some have not fired yet");
    let (address, of) = (address(&world, key), scope(0));
    world.send(Request::Cancel { address, scope: of });
    world.create(due_ms + 400, None, Mode::Fail, scope(0), 0);
    world.close();
    world.land();
    let Some((_, Answer::Created { due_ms: stored_ms, .. })) = world.answers.last().cloned() else {
        panic!()
    };
    world.pump(1);
    let told = world.answers.last().map(|(_, answer)| answer);
    assert_eq!(told, Some(&Answer::Gone), "it is too late");
    assert!(stored_ms >= due_ms + length_ms(0), "the new one is stored behind the slot");
    world.finish();
    assert_eq!(world.fired, 301);
}

#[test]
fn rule_6_timers_of_a_paused_namespace_are_parked_and_can_be_cancelled_there() {
    let mut world = world();
    let keys = [create(&mut world, 1_000), create(&mut world, 1_100)];
    assert_eq!(ask(&mut world, Request::PauseNamespace(scope(0))), Answer::Done);
    pass(&mut world, 2_000);
    let parked = world.store.blocks.keys().filter(|id| id.kind == Kind::Paused).count();
    assert_eq!((world.fired, parked), (0, 1));
    assert_eq!(cancel(&mut world, keys[0]), Answer::Done);
    world.crash(false);
    world.pump(8);
    assert_eq!(ask(&mut world, Request::ResumeNamespace(scope(0))), Answer::Done);
    world.pump(8);
    assert_eq!((state(&world, keys[0]), state(&world, keys[1])), (State::Cancelled, State::Fired));
}

#[test]
fn rule_7_who_was_fenced_off_writes_nothing_and_turns_everyone_away() {
    let mut world = world();
    let key = create(&mut world, 1_000);
    world.now_ms += 2_000;
    world.create(world.now_ms, None, Mode::Fail, scope(0), 0);
    // Fails its commit with the old epoch and checks what the old owner says then.
    world.take_over();
    assert_eq!(world.fired, 0);
    world.pump(12);
    assert_eq!((world.fired, state(&world, key)), (1, State::Fired));
}

#[test]
fn rule_7_who_settles_an_unknown_outcome_goes_on_under_a_new_epoch() {
    for was_written in [true, false] {
        let mut world = world();
        world.create(world.now_ms + 50_000, None, Mode::Fail, scope(0), 0);
        world.close();
        let before = world.store.fence();
        world.lose_sight(was_written);
        assert!(world.answers.is_empty(), "nobody knows yet");
        world.pump(12);
        assert_eq!(world.answers.len(), 1, "the answer goes out, or the request runs again");
        assert_eq!(world.store.fence(), Fence { epoch: before.epoch + 1, ..before });
        assert_eq!(world.timers.len(), 1);
        create(&mut world, 60_000);
        assert_eq!(world.fenced, 0, "it writes under the epoch that it was given");
    }
}

#[test]
fn own_ids_replace_keep_or_fail() {
    let mut world = world();
    let id = PlaceId::of_own_id(5);
    for (mode, timers) in [(Mode::Fail, 1), (Mode::Fail, 1), (Mode::Keep, 1), (Mode::Replace, 2)] {
        world.create(world.now_ms + 5_000, Some(id), mode, scope(0), 0);
        world.pump(3);
        assert_eq!(world.timers.len(), timers, "{mode:?}");
    }
    assert!(matches!(world.answers[1].1, Answer::Exists(_)));
    assert!(matches!(world.answers[2].1, Answer::Exists(_)));
    pass(&mut world, 6_000);
    assert_eq!((world.fired, world.store.places.len()), (1, 0));
}

#[test]
fn an_id_that_was_given_away_is_not_freed_by_the_timer_that_had_it() {
    let (mut world, id) = (world(), PlaceId::of_own_id(5));
    ask(&mut world, Request::PauseNamespace(scope(0)));
    world.create(world.now_ms, Some(id), Mode::Fail, scope(0), 0);
    world.pump(4);
    // Parked timers are about to be fired, but their blocks are not here yet.
    world.send(Request::ResumeNamespace(scope(0)));
    world.close();
    world.land();
    world.ask();
    let parked = world.reads.pop_front().expect("parked blocks are read");
    world.create(world.now_ms + 5_000, Some(id), Mode::Replace, scope(0), 0);
    world.pump(3);
    world.reads.push_back(parked);
    world.look(0);
    world.arrive(0);
    world.create(world.now_ms + 5_000, Some(id), Mode::Fail, scope(0), 0);
    world.pump(3);
    assert!(matches!(world.answers.last(), Some((_, Answer::Exists(_)))), "{:?}", world.answers);
    assert_eq!((world.fired, world.timers.len()), (1, 2));
}

#[test]
fn a_timer_that_is_due_when_it_is_created_never_becomes_a_block() {
    let mut world = world();
    create(&mut world, -5);
    assert_eq!((world.fired, world.store.blocks.len()), (1, 0));
}

#[test]
fn a_damaged_block_stops_its_slot_and_loses_nothing() {
    let mut world = world();
    let key = create(&mut world, 90_000);
    world.now_ms += 89_000;
    world.pump(2);
    world.crash(false);
    for _ in 0..20 {
        world.ask();
        if let Some(at) = world.reads.iter().position(|(_, need, _)| matches!(need, Need::Blocks { .. })) {
            let (id, need, _) = world.reads.remove(at).expect("just found");
            let good = world.store.read(need);
            let Supply::Blocks { mut rows, is_last } = good.clone() else { panic!() };
            rows[0].data[9] ^= 1;
            assert!(world.shard.supply(id, Supply::Blocks { rows, is_last }, world.now_ms).is_err());
            assert!(
                world.shard.supply(id, good, world.now_ms).is_ok(),
                "once it is mended, the work goes on"
            );
            break;
        }
        world.look(0);
        world.arrive(0);
        world.close();
        world.land();
    }
    pass(&mut world, 2_000);
    assert_eq!(state(&world, key), State::Fired);
}

#[test]
fn recovery_reads_little_however_many_timers_wait() {
    let mut world = world();
    for n in 0..2_000 {
        world.create(world.now_ms + 100_000 + n * 500_000, None, Mode::Fail, scope(0), 0);
    }
    world.pump(2);
    assert_eq!(world.timers.len(), 2_000);
    let key = create(&mut world, 400);
    world.crash(false);
    world.now_ms += 500;
    let mut reads = 0;
    while state(&world, key) != State::Fired {
        world.ask();
        reads += world.reads.len();
        while !world.reads.is_empty() {
            world.look(0);
            world.arrive(0);
        }
        world.close();
        world.land();
        assert!(reads < 20, "{reads} reads");
    }
}

#[test]
fn memory_keeps_to_its_budget_of_a_megabyte_and_clients_are_told_to_wait() {
    let config = Config { memory_bytes_max: 1 << 20, ..Config::default() };
    let mut world = World::new(config);
    world.pump(8);
    let (mut told_to_wait, mut created) = (0, 0);
    while created < 20_000 {
        let before = world.tickets - world.asked.len() as u64;
        world.create(world.now_ms + 3_000 + created % 4_000, None, Mode::Fail, scope(0), 30);
        let is_taken = world.tickets - world.asked.len() as u64 == before;
        created += i64::from(is_taken);
        if !is_taken {
            told_to_wait += 1;
            world.pump_quickly();
        }
    }
    assert!(told_to_wait > 5);
    for _ in 0..3_000 {
        world.pump_quickly();
        world.now_ms += 5;
    }
    assert_eq!(world.fired, 20_000);
    assert!(world.bytes_highest <= 1 << 20, "{} bytes", world.bytes_highest);
}

#[test]
fn rule_6_in_a_slot_that_is_being_fired_block_by_block_a_cancelled_timer_does_not_fire_after_a_resume() {
    let config = Config {
        memory_bytes_max: 24_000,
        block_entries_max: 4,
        fired_per_batch_max: 5,
        ..Config::default()
    };
    let mut world = World::new(config);
    let due_ms = world.now_ms + 1_024;
    let create_some = |world: &mut World, due_ms: i64, of: u8| {
        // Few at a time, because more would find no room.
        for n in 0..12 {
            world.create(due_ms + n, None, Mode::Fail, scope(of), PAYLOAD_BYTES);
            world.pump(1);
        }
    };
    for _ in 0..3 {
        create_some(&mut world, due_ms, 0);
    }
    assert_eq!(ask(&mut world, Request::PauseNamespace(scope(0))), Answer::Done);
    for _ in 0..5 {
        create_some(&mut world, due_ms, 1);
    }
    world.now_ms += 10_000;
    world.pump(4);
    assert!(world.shard.mark().due_ms < due_ms, "the slot is being fired");
    for (_, timer) in world.timers.clone() {
        world.send(Request::Cancel { address: timer.address, scope: timer.scope });
    }
    world.send(Request::ResumeNamespace(scope(0)));
    // A timer whose cancellation was answered by `Done` must not fire: the model of the world looks at every delivery.
    world.finish();
}

#[test]
fn after_a_stop_that_crosses_a_slot_of_three_days_all_fire_and_none_too_soon() {
    let (mut world, day_ms) = (world(), 86_400_000);
    // From within the first slot of three days up to the third one, and one far behind.
    let days = [1, 2, 3, 4, 5, 6, 7, 40];
    let keys = days.map(|days| create(&mut world, days * day_ms));
    let cancelled = create(&mut world, 5 * day_ms);
    assert_eq!(cancel(&mut world, cancelled), Answer::Done);
    world.crash(false);
    world.now_ms += 5 * day_ms + 1;
    assert!(Slot::of(world.now_ms, 3) > Slot::of(world.now_ms - 5 * day_ms, 3), "it was over meanwhile");
    world.pump(60);
    let has_fired = |world: &World, key: i64| state(world, key) == State::Fired;
    for (key, days) in keys.into_iter().zip(days) {
        assert_eq!(has_fired(&world, key), days <= 5, "due after {days} days");
    }
    world.finish();
    assert_eq!((world.fired, state(&world, cancelled)), (days.len(), State::Cancelled));
}
