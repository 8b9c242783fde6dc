//! Streams: read by cursor, acknowledged, at least once.

use crate::world::{World, now_ms, scope, soon};
use serde_json::{Value, json};
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_server::timers::deliver::{StreamCursor, StreamPage};

const FIRST: PartitionId = PartitionId::FIRST;

async fn read(world: &World, namespace: &str, cursor: &StreamCursor, timers_max: usize) -> StreamPage {
    let streams = world.streams();
    streams.read(&[FIRST], &scope(namespace), cursor, timers_max, now_ms()).await.expect("readable")
}

/// Reads until there are so many.
async fn read_all(world: &World, namespace: &str, count: usize) -> StreamPage {
    let began = tokio::time::Instant::now();
    loop {
        let page = read(world, namespace, &StreamCursor::default(), usize::MAX).await;
        if page.timers.len() >= count {
            return page;
        }
        assert!(began.elapsed() < Duration::from_secs(30), "{} have come", page.timers.len());
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

fn numbers(page: &StreamPage) -> Vec<u64> {
    let number = |text: &String| {
        let timer: Value = serde_json::from_str(text).expect("JSON");
        timer["payload"]["nth"].as_u64().expect("a number")
    };
    page.timers.iter().map(number).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_consumer_reads_on_from_its_cursor_and_acknowledges() {
    let world = World::new().await;
    let stream = json!({"type": "stream"});
    world.fire_in("a", stream.clone(), soon(1), 10).await;
    world.fire_in("b", stream.clone(), soon(1), 2).await;
    assert_eq!(numbers(&read_all(&world, "a", 10).await), (0..10).collect::<Vec<_>>());
    assert_eq!(read_all(&world, "b", 2).await.timers.len(), 2, "namespaces have streams of their own");

    let first = read(&world, "a", &StreamCursor::default(), 4).await;
    let second = read(&world, "a", &first.cursor, 100).await;
    assert_eq!((numbers(&first), numbers(&second)), ((0..4).collect(), (4..10).collect()));
    assert!(read(&world, "a", &second.cursor, 100).await.timers.is_empty());

    let acknowledge = async |cursor: &StreamCursor| {
        let position = cursor.0[&FIRST.0];
        let streams = world.streams();
        let done =
            streams.acknowledge(FIRST, |request| world.timers.request(request), &scope("a"), position).await;
        done.expect("readable").expect("the loop runs");
    };
    acknowledge(&first.cursor).await;
    let rest = read(&world, "a", &StreamCursor::default(), 100).await;
    assert!(rest.timers.len() >= 6, "what was not acknowledged stays: {:?}", numbers(&rest));
    world.fire_in("a", stream, soon(1), 1).await;
    acknowledge(&second.cursor).await;
    let rest = read_all(&world, "a", 1).await;
    assert_eq!(numbers(&rest), [0], "only the new one");
    assert_eq!(read(&world, "b", &StreamCursor::default(), 100).await.timers.len(), 2);
    let read_on = read(&world, "a", &second.cursor, 100).await;
    assert_eq!(numbers(&read_on), [0], "the cursor leads behind what was deleted");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_not_acknowledged_survives_a_restart() {
    let world = World::new().await;
    world.fire_in("a", json!({"type": "stream"}), soon(1), 3).await;
    read_all(&world, "a", 3).await;
    let world = world.restart().await;
    assert_eq!(numbers(&read_all(&world, "a", 3).await), [0, 1, 2]);
}
