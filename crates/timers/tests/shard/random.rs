//! Random histories: everything that clients, time and failures can do, in any order.

use crate::world::{World, repeat, scope};
use proptest::prelude::*;
use tidemill_timers::block::{Block, Entry, Flags, PlaceId, decode};
use tidemill_timers::shard::{Config, Mode, Request, Retry, Settle};

#[derive(Clone, Debug)]
enum Action {
    Create { in_ms: i64, own: Option<u8>, mode: u8, scope: u8, bytes: usize },
    CreateMany { in_ms: i64, count: usize, scope: u8 },
    CreateSchedule { in_ms: i64, left: u8, period: u8, scope: u8 },
    Cancel(usize),
    CancelMany(usize),
    Get(usize),
    Move { nth: usize, in_ms: i64 },
    Pause(usize),
    Resume(usize),
    Trigger(usize),
    Revive { nth: usize, in_ms: i64 },
    Settle { nth: usize, in_ms: i64 },
    PauseNamespace(u8),
    ResumeNamespace(u8),
    Ask,
    Look(usize),
    Arrive(usize),
    Close,
    Land,
    Lose,
    LoseSight { was_written: bool },
    Crash { was_written: bool },
    TakeOver,
    Pump(usize),
    Pass { ms: i64 },
}

fn ahead() -> impl Strategy<Value = i64> {
    prop_oneof![
        -3_000..0i64,
        0..100i64,
        0..3_000i64,
        0..100_000i64,
        0..10_000_000i64,
        0..1_000_000_000i64,
        0..100_000_000_000i64,
    ]
}

fn requests() -> impl Strategy<Value = Action> {
    let own = prop_oneof![2 => Just(None), 1 => (0..4u8).prop_map(Some)];
    let create = (ahead(), own, 0..3u8, 0..4u8, 0..40usize);
    prop_oneof![
        8 => create.prop_map(|(in_ms, own, mode, scope, bytes)| Action::Create { in_ms, own, mode, scope, bytes }),
        2 => (ahead(), 1..120usize, 0..4u8)
            .prop_map(|(in_ms, count, scope)| Action::CreateMany { in_ms, count, scope }),
        2 => (ahead(), 0..4u8, 0..4u8, 0..4u8)
            .prop_map(|(in_ms, left, period, scope)| Action::CreateSchedule { in_ms, left, period, scope }),
        4 => any::<usize>().prop_map(Action::Cancel),
        1 => (2..9usize).prop_map(Action::CancelMany),
        4 => (any::<usize>(), ahead()).prop_map(|(nth, in_ms)| Action::Move { nth, in_ms }),
        2 => any::<usize>().prop_map(Action::Get),
        2 => any::<usize>().prop_map(Action::Pause),
        2 => any::<usize>().prop_map(Action::Resume),
        2 => any::<usize>().prop_map(Action::Trigger),
        2 => (any::<usize>(), ahead()).prop_map(|(nth, in_ms)| Action::Revive { nth, in_ms }),
        2 => (any::<usize>(), ahead()).prop_map(|(nth, in_ms)| Action::Settle { nth, in_ms }),
        1 => (0..4u8).prop_map(Action::PauseNamespace),
        1 => (0..4u8).prop_map(Action::ResumeNamespace),
    ]
}

fn events() -> impl Strategy<Value = Action> {
    prop_oneof![
        4 => Just(Action::Ask),
        5 => any::<usize>().prop_map(Action::Look),
        5 => any::<usize>().prop_map(Action::Arrive),
        6 => Just(Action::Close),
        6 => Just(Action::Land),
        1 => Just(Action::Lose),
        1 => any::<bool>().prop_map(|was_written| Action::LoseSight { was_written }),
        1 => any::<bool>().prop_map(|was_written| Action::Crash { was_written }),
        1 => Just(Action::TakeOver),
        6 => (1..8usize).prop_map(Action::Pump),
        4 => (0..2_000i64).prop_map(|ms| Action::Pass { ms }),
        1 => (-2_000..0i64).prop_map(|ms| Action::Pass { ms }),
        2 => ahead().prop_map(|ms| Action::Pass { ms: ms.max(0) }),
    ]
}

fn steps() -> impl Strategy<Value = Vec<Action>> {
    prop::collection::vec(prop_oneof![1 => requests(), 1 => events()], 1..150)
}

fn run(world: &mut World, step: &Action) {
    match *step {
        Action::Create { in_ms, own, mode, scope: of, bytes } => {
            let mode = [Mode::Replace, Mode::Keep, Mode::Fail][usize::from(mode)];
            // An own id is of one namespace, because that is part of its hash.
            let of = own.map_or(of, |id| id % 4);
            let own = own.map(|id| PlaceId::of_own_id(u128::from(id)));
            world.create(world.now_ms + in_ms, own, mode, scope(of), bytes);
        }
        Action::CreateMany { in_ms, count, scope: of } => {
            let first_ms = world.now_ms + in_ms;
            world.create_all((0..count as i64).map(|n| first_ms + n * n % 50), scope(of));
        }
        Action::CreateSchedule { in_ms, left, period, scope: of } => {
            world.create_schedule(world.now_ms + in_ms, left, period, scope(of));
        }
        Action::Cancel(nth) => cancel(world, nth),
        Action::CancelMany(every) => {
            (0..world.timers.len()).step_by(every).for_each(|nth| cancel(world, nth))
        }
        Action::Get(nth) => {
            if let Some((_, timer)) = world.nth(nth) {
                world.send(Request::Get { address: timer.address, scope: timer.scope });
            }
        }
        Action::Move { nth, in_ms } => {
            if let Some((_, timer)) = world.nth(nth) {
                world.send(Request::Move { address: timer.address, due_ms: world.now_ms + in_ms });
            }
        }
        Action::Pause(nth) => about(world, nth, |address| Request::Pause { address }),
        Action::Resume(nth) => about(world, nth, |address| Request::Resume { address }),
        Action::Trigger(nth) => about(world, nth, |address| Request::Trigger { address }),
        Action::Revive { nth, in_ms } => {
            if let Some(at) = nth.checked_rem(world.delivered.len()) {
                let entry = Box::new(world.delivered.remove(at));
                world.send(Request::Revive { entry, due_ms: world.now_ms + in_ms });
            }
        }
        Action::Settle { nth, in_ms } => settle(world, nth, in_ms),
        Action::PauseNamespace(of) => drop(world.send(Request::PauseNamespace(scope(of)))),
        Action::ResumeNamespace(of) => drop(world.send(Request::ResumeNamespace(scope(of)))),
        Action::Ask => world.ask(),
        Action::Look(nth) => world.look(nth),
        Action::Arrive(nth) => world.arrive(nth),
        Action::Close => world.close(),
        Action::Land => world.land(),
        Action::Lose => world.lose(),
        Action::LoseSight { was_written } => world.lose_sight(was_written),
        Action::Crash { was_written } => world.crash(was_written),
        Action::TakeOver => world.take_over(),
        Action::Pump(rounds) => world.pump(rounds),
        Action::Pass { ms } => world.now_ms += ms,
    }
}

fn cancel(world: &mut World, nth: usize) {
    if let Some((_, timer)) = world.nth(nth) {
        world.send(Request::Cancel { address: timer.address, scope: timer.scope });
    }
}

fn about(world: &mut World, nth: usize, request: impl Fn(tidemill_timers::shard::Address) -> Request) {
    if let Some((_, timer)) = world.nth(nth) {
        world.send(request(timer.address));
    }
}

fn cases() -> u32 {
    std::env::var("TIDEMILL_RANDOM_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(150)
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: cases(), failure_persistence: None, max_shrink_iters: 200, max_shrink_time: 10_000, ..ProptestConfig::default()
    })]
    #[test]
    fn no_timer_is_lost_early_doubled_or_fired_after_its_cancellation(
        steps in steps(),
        memory_bytes_max in prop_oneof![Just(24_000usize), 40_000..200_000usize, Just(1 << 20)],
        look_ahead_ms_max in prop_oneof![Just(1_000i64), Just(60_000i64)],
        block_entries_max in prop_oneof![2..8usize, Just(1_000usize)],
        fired_per_batch_max in prop_oneof![2..10usize, Just(10_000usize)],
        merge_blocks_min in prop_oneof![2..4usize, Just(64usize)],
        fired_kept_ms in prop_oneof![Just(0i64), Just(700i64), Just(90_000i64)],
    ) {
        let config =
            Config {
                memory_bytes_max, look_ahead_ms_max, block_entries_max, fired_per_batch_max, merge_blocks_min,
                fired_kept_ms, on_fire: repeat,
            };
        let mut world = World::new(config);
        for step in &steps {
            run(&mut world, step);
        }
        world.finish();
        prop_assert_eq!(world.fenced, 0, "an owner was fenced off by itself");
        prop_assert!(
            world.bytes_highest <= memory_bytes_max || memory_bytes_max < 1 << 20,
            "{} bytes of {memory_bytes_max}", world.bytes_highest
        );
    }
}

/// A schedule goes on beside its occurrences; what was revived or tried again is beside the timer that had its id.
fn is_beside(entry: &Entry) -> bool {
    [Flags::REPEATS, Flags::DETACHED, Flags::TRIED].into_iter().any(|flag| entry.flags.has(flag))
        || entry.attempt > 0
}

/// A row whose entries nobody has asked for otherwise: some of it goes back, some is tried again, the rest was taken.
fn settle(world: &mut World, nth: usize, in_ms: i64) {
    let Some(at) = nth.checked_rem(world.store.deliveries.len()) else { return };
    let Some((&row, kept)) = world.store.deliveries.iter().nth(at) else { return };
    let Ok(Block::Entries(entries)) = decode(&kept.data) else { panic!("a row cannot be read") };
    let places: Vec<_> = entries.iter().filter_map(|e| world.delivered.iter().position(|d| d == e)).collect();
    // Schedules go on meanwhile, and are followed by another part of the model.
    if places.len() < entries.len() || entries.iter().any(is_beside) {
        return;
    }
    let (mut retries, mut returned) = (Vec::new(), Vec::new());
    for (nth, entry) in entries.into_iter().enumerate() {
        world.delivered.retain(|delivered| *delivered != entry);
        match nth % 3 {
            0 => {
                let of = entry.place_id();
                retries.push(Retry { entry, due_ms: world.now_ms + in_ms, of });
            }
            1 => returned.push(entry),
            _ => {}
        }
    }
    world.send(Request::Settle(Settle { row, retries, failures: Vec::new(), returned }.into()));
}
