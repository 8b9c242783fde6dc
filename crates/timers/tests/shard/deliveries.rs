//! Lanes and deliveries: where timers go that fire, and how their rows are settled. Bulk creation, which fills lanes.

use crate::rules::{ask, create, pass, small_world, world};
use crate::world::{World, scope};
use tidemill_timers::block::{Entry, PlaceId};
use tidemill_timers::shard::{
    Address, Answer, Create, FIRST_KEPT_LANE, LANE_OF_COMMANDS, LANE_OF_NOBODY, Mode, Request, Retry, Settle,
    Target,
};

fn create_in_lane(world: &World, in_ms: i64, lane: u32) -> Create {
    let target = Target { lane, data: lane.to_le_bytes().to_vec().into() };
    let (flags, payload) = (tidemill_timers::block::Flags(0), Box::default());
    let due_ms = world.now_ms + in_ms;
    let (own_id, mode, scheduled_ms) = (None, Mode::Fail, None);
    Create { own_id, mode, scope: scope(0), due_ms, scheduled_ms, target, flags, payload }
}

#[test]
fn a_lane_says_what_becomes_of_timers_that_fire() {
    let mut world = world();
    let lanes = [LANE_OF_NOBODY, LANE_OF_COMMANDS, FIRST_KEPT_LANE, FIRST_KEPT_LANE + 1, LANE_OF_COMMANDS];
    let creates: Vec<Create> = lanes.iter().map(|lane| create_in_lane(&world, 500, *lane)).collect();
    let answer = ask(&mut world, Request::CreateAll(creates.into()));
    let Answer::All(answers) = answer else { panic!("{answer:?}") };
    assert!(answers.len() == 5 && answers.iter().all(|answer| matches!(answer, Answer::Created { .. })));
    world.now_ms += 1_000;
    world.ask();
    let batch = world.shard.close(world.now_ms).expect("timers are due");
    assert_eq!(batch.fired, 5);
    assert_eq!(batch.commands.len(), 2, "these become commands of the same commit");
    let rows: Vec<(u32, u32)> = batch.deliveries.iter().map(|row| (row.id.lane, row.count)).collect();
    assert_eq!(rows, [(FIRST_KEPT_LANE, 1), (FIRST_KEPT_LANE + 1, 1)]);
}

#[test]
fn a_bulk_that_is_too_large_is_refused_and_one_that_finds_no_room_waits() {
    let mut world = small_world();
    let creates: Vec<Create> = (0..1_000).map(|n| create_in_lane(&world, 500 + n, FIRST_KEPT_LANE)).collect();
    let answer = ask(&mut world, Request::CreateAll(creates.clone().into()));
    assert!(matches!(answer, Answer::Refused(_)), "{answer:?}");
    let bulk: std::sync::Arc<[Create]> = creates[..20].into();
    let taken = (0..100).take_while(|_| world.send(Request::CreateAll(bulk.clone())).is_some()).count();
    assert!((1..10).contains(&taken), "{taken} bulks were taken");
    world.pump(4);
    assert!(world.send(Request::CreateAll(bulk)).is_some(), "there is room again");
}

#[test]
fn deliveries_are_kept_until_they_were_taken_and_failures_after_that() {
    let mut world = world();
    let key = create(&mut world, 500);
    pass(&mut world, 1_000);
    let (&id, row) = world.store.deliveries.first_key_value().expect("it has fired");
    assert_eq!((row.count, row.first_key), (1, key));
    let entry = world.delivered[0].clone();
    world.crash(false);
    world.pump(8);
    assert!(world.store.deliveries.contains_key(&id), "nobody has taken it");
    let failures = vec![(entry, "nobody answers".into())];
    let settle = Settle { row: id, retries: Vec::new(), failures, returned: Vec::new() };
    assert_eq!(ask(&mut world, Request::Settle(settle.into())), Answer::All(Vec::new()));
    assert!(world.store.deliveries.is_empty());
    let failure = &world.store.failures[0];
    assert_eq!((failure.key, failure.reason.as_str()), (key, "nobody answers"));
    let kept = tidemill_timers::block::decode(&failure.data).expect("it can be read");
    assert_eq!(kept.len(), 1);
}

#[test]
fn what_became_of_a_row_is_written_with_its_deletion() {
    let mut world = world();
    let keys = create_in_one_lane(&mut world, 4);
    pass(&mut world, 1_000);
    let rows: Vec<_> = world.store.deliveries.values().cloned().collect();
    let row = rows.iter().find(|row| row.count == 4).expect("they fire together").id;
    let entry = |nth: usize| {
        world.delivered.iter().find(|entry| entry.key == keys[nth]).expect("it was delivered").clone()
    };
    let (taken_back, failed, again) = (entry(1), entry(2), entry(3));
    let settle = Settle {
        row,
        retries: vec![retry(&again, world.now_ms + 5_000)],
        failures: vec![(failed, "nobody answers".into())],
        returned: vec![taken_back],
    };
    world.send(Request::Settle(settle.into()));
    world.crash(false);
    world.pump(8);
    assert!(world.store.deliveries.contains_key(&row), "nothing of it without the rest");
    let settle = Settle {
        row,
        retries: vec![retry(&Entry { attempt: 1, ..again.clone() }, world.now_ms + 5_000)],
        failures: Vec::new(),
        returned: Vec::new(),
    };
    let Answer::All(answers) = ask(&mut world, Request::Settle(settle.into())) else { panic!() };
    let [Answer::Created { key, .. }] = answers[..] else { panic!("{answers:?}") };
    assert!(world.store.deliveries.is_empty());
    pass(&mut world, 6_000);
    let retried = world.delivered.last().expect("it came back");
    assert_eq!((retried.key, retried.attempt, retried.scheduled_ms), (key, 1, again.scheduled_ms));
}

#[test]
fn a_delivery_that_nobody_has_begun_goes_to_the_end_of_its_lane() {
    let mut world = world();
    let keys = create_in_one_lane(&mut world, 2);
    let second = keys[1];
    pass(&mut world, 1_000);
    let row = *world.store.deliveries.first_key_value().expect("they fire together").0;
    let entry = world.delivered.iter().find(|entry| entry.key == second).expect("it was delivered").clone();
    let settle = Settle { row, retries: Vec::new(), failures: Vec::new(), returned: vec![entry] };
    assert_eq!(ask(&mut world, Request::Settle(settle.into())), Answer::All(Vec::new()));
    let rows: Vec<_> = world.store.deliveries.values().collect();
    assert_eq!((rows.len(), rows[0].count, rows[0].first_key), (1, 1, second));
    assert!(rows[0].id > row);
}

fn retry(entry: &Entry, due_ms: i64) -> Retry {
    Retry { entry: entry.clone(), due_ms, of: entry.place_id() }
}

/// A timer whose delivery has failed and waits to be tried again.
fn failed(world: &mut World, own_id: Option<PlaceId>) -> (Address, Entry) {
    let due_ms = world.now_ms + 500;
    let answer =
        ask(world, Request::Create(Create { own_id, ..create_in_lane(world, 500, FIRST_KEPT_LANE) }));
    let Answer::Created { key, .. } = answer else { panic!("{answer:?}") };
    pass(world, 1_000);
    let row = *world.store.deliveries.last_key_value().expect("it has fired").0;
    let entry = world.delivered.iter().find(|entry| entry.key == key).expect("it was delivered").clone();
    let retries = vec![retry(&Entry { attempt: 1, ..entry.clone() }, world.now_ms + 90_000)];
    let settle = Settle { row, retries, failures: Vec::new(), returned: Vec::new() };
    assert!(matches!(ask(world, Request::Settle(settle.into())), Answer::All(_)));
    (own_id.map_or(Address::Generated { key, due_ms }, Address::Own), entry)
}

#[test]
fn a_delivery_that_waits_to_be_tried_again_is_found_and_cancelled_by_the_id_of_its_timer() {
    let mut world = world();
    for own_id in [None, Some(PlaceId::of_own_id(77))] {
        let (address, entry) = failed(&mut world, own_id);
        world.crash(false);
        world.pump(8);
        let answer = ask(&mut world, Request::Get { address, scope: scope(0) });
        let Answer::Found { entry: found, .. } = answer else { panic!("{answer:?}") };
        assert_eq!((found.attempt, found.scheduled_ms), (1, entry.scheduled_ms));
        let cancel = Request::Cancel { address, scope: scope(0) };
        assert_eq!(ask(&mut world, cancel.clone()), Answer::Done);
        let otherwise = if own_id.is_some() { Answer::NotFound } else { Answer::Gone };
        assert_eq!(ask(&mut world, cancel), otherwise, "it was taken back already");
        pass(&mut world, 100_000);
        assert_eq!(world.delivered.iter().filter(|entry| entry.attempt == 1).count(), 0);
    }
    assert!(world.store.places.is_empty(), "{:?}", world.store.places);
}

#[test]
fn a_delivery_that_was_tried_again_is_gone_and_leaves_no_place() {
    let mut world = world();
    let (address, _) = failed(&mut world, None);
    let move_it = Request::Move { address, due_ms: world.now_ms };
    assert_eq!(ask(&mut world, move_it), Answer::Gone, "the timer itself has fired");
    pass(&mut world, 100_000);
    assert_eq!(world.delivered.iter().filter(|entry| entry.attempt == 1).count(), 1);
    assert_eq!(ask(&mut world, Request::Cancel { address, scope: scope(0) }), Answer::Gone);
    assert!(world.store.places.is_empty(), "{:?}", world.store.places);
}

#[test]
fn an_id_that_was_given_to_another_timer_names_that_one() {
    let mut world = world();
    let own_id = Some(PlaceId::of_own_id(5));
    let (address, _) = failed(&mut world, own_id);
    let other = Create { own_id, ..create_in_lane(&world, 10_000, FIRST_KEPT_LANE) };
    ask(&mut world, Request::Create(other));
    let cancel = Request::Cancel { address, scope: scope(0) };
    assert_eq!(ask(&mut world, cancel), Answer::Done);
    pass(&mut world, 100_000);
    let attempts: Vec<u32> = world.delivered.iter().map(|entry| entry.attempt).collect();
    assert_eq!(attempts, [0, 1], "the old one is tried again all the same");
}

fn create_in_one_lane(world: &mut World, count: i64) -> Vec<i64> {
    let creates: Vec<Create> = (0..count).map(|_| create_in_lane(world, 500, FIRST_KEPT_LANE)).collect();
    let Answer::All(answers) = ask(world, Request::CreateAll(creates.into())) else { panic!() };
    let key = |answer: &Answer| match answer {
        Answer::Created { key, .. } => *key,
        other => panic!("{other:?}"),
    };
    answers.iter().map(key).collect()
}
