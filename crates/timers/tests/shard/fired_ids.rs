//! Own ids of timers that have fired: known for a while, free for others, and forgotten in time.

use crate::world::{World, scope};
use tidemill_timers::block::PlaceId;
use tidemill_timers::shard::{Address, Answer, Config, Mode, Request};

const KEPT_MS: i64 = 600_000;

fn world() -> World {
    World::new(Config { fired_kept_ms: KEPT_MS, ..Config::default() })
}

fn own() -> PlaceId {
    PlaceId::of_own_id(7)
}

fn cancel(world: &mut World) -> Answer {
    let ticket = world.send(Request::Cancel { address: Address::Own(own()), scope: scope(0) });
    world.pump(6);
    let found = world.answers.iter().find(|(answered, _)| Some(*answered) == ticket);
    found.expect("it is answered").1.clone()
}

fn fire_one(world: &mut World) {
    world.create(world.now_ms + 1_000, Some(own()), Mode::Fail, scope(0), 0);
    world.pump(6);
    let fired = world.fired;
    world.now_ms += 1_001;
    world.pump(6);
    assert_eq!(world.fired, fired + 1);
}

#[test]
fn a_cancellation_hears_that_the_timer_has_fired_for_a_while() {
    let mut world = world();
    assert_eq!(cancel(&mut world), Answer::NotFound);
    fire_one(&mut world);
    for _ in 0..2 {
        assert_eq!(cancel(&mut world), Answer::Gone);
    }
    world.crash(true);
    world.now_ms += KEPT_MS - 10_000;
    world.pump(20);
    assert_eq!(cancel(&mut world), Answer::Gone, "another owner knows it, too");
    world.now_ms += 20_000;
    world.pump(20);
    assert_eq!(cancel(&mut world), Answer::NotFound);
    assert!(world.store.places.is_empty(), "{:?}", world.store.places);
    world.finish();
    assert_eq!(world.fired, 1, "what forgets is no timer");
}

#[test]
fn the_id_is_free_again_at_once_and_its_new_timer_is_not_forgotten() {
    let mut world = world();
    fire_one(&mut world);
    // Its place is taken over by another timer, before the first one is forgotten.
    world.create(world.now_ms + 2 * KEPT_MS, Some(own()), Mode::Fail, scope(0), 0);
    world.pump(6);
    assert_eq!(world.timers.len(), 2);
    world.now_ms += KEPT_MS + 10_000;
    world.pump(20);
    assert_eq!(world.fired, 1);
    assert_eq!(cancel(&mut world), Answer::Done);
    world.finish();
    assert_eq!(world.fired, 1);
}
