//! A correlation is answered when the instance has answered, by whoever owns the message's partition then.

use crate::world::{PARTITIONS, World, eventually, key, process};
use serde_json::json;
use std::time::Duration;

const CORRELATE: &str = "/v2/messages/correlation";
/// Enough that their boxes lie on partitions of both servers.
const ORDERS: usize = 16;

/// Takes the message as often as it comes.
fn model() -> String {
    let elements = r#"<serviceTask id="a"><extensionElements><zeebe:taskDefinition type="work"/></extensionElements></serviceTask>
<boundaryEvent id="b" attachedToRef="a" cancelActivity="false"><messageEventDefinition messageRef="m"/></boundaryEvent>
<sequenceFlow id="f3" sourceRef="b" targetRef="e2"/><endEvent id="e2"/>"#;
    process("order", elements)
}

fn message(number: usize) -> serde_json::Value {
    json!({"name": "paid", "correlationKey": format!("o-{number}")})
}

#[test]
fn a_correlation_outlives_its_owner() {
    let world = World::new();
    let [dying, other] = world.servers::<2>();
    other.deploy("order.bpmn", &model());
    // Instances live where they are created, boxes of messages everywhere.
    let instances: Vec<String> =
        (0..ORDERS).map(|number| other.create("order", json!({"order": format!("o-{number}")}))).collect();
    std::thread::sleep(Duration::from_secs(1));

    // The instances cannot answer.
    other.signal("-STOP");
    let receipts: Vec<Vec<String>> = std::thread::scope(|scope| {
        let dying = &dying;
        for number in 0..ORDERS / 2 {
            scope.spawn(move || {
                let header = format!("key-{number}");
                dying.try_post(CORRELATE, &message(number), &[("idempotency-key", &header)])
            });
        }
        let accepted: Vec<_> = (ORDERS / 2..ORDERS)
            .map(|number| {
                scope.spawn(move || {
                    let header = format!("key-{number}");
                    let send =
                        || dying.post_async(CORRELATE, &message(number), &[("idempotency-key", &header)]);
                    vec![send(), send()]
                })
            })
            .collect();
        let accepted = accepted.into_iter().map(|one| one.join().expect("accepted")).collect();
        std::thread::sleep(Duration::from_millis(500));
        dying.signal("-KILL");
        accepted
    });
    other.signal("-CONT");

    eventually("the other server has everything", || other.owned() == [PARTITIONS]);
    for (number, instance) in instances.iter().enumerate() {
        let header = format!("key-{number}");
        let answer = other.try_post(CORRELATE, &message(number), &[("idempotency-key", &header)]);
        let answer = answer.expect("an answer").ok();
        assert_eq!(key(&answer, "processInstanceKey"), *instance);
        let correlated = json!({"filter": {"processInstanceKey": instance}});
        let found = other.post("/v2/correlated-message-subscriptions/search", &correlated).ok();
        assert_eq!(found["page"]["totalItems"], 1, "correlation {number} counts once");
    }
    for (locations, instance) in receipts.iter().zip(&instances[ORDERS / 2..]) {
        for location in locations {
            let outcome = other.outcome(location);
            assert_eq!(outcome["state"], "DONE", "{outcome}");
            assert_eq!(key(&outcome["result"], "processInstanceKey"), *instance);
        }
    }
}
