//! Ended instances are deleted by whoever owns their partition, whichever server is asked; large ones in steps.

use crate::world::{World, eventually, process};
use serde_json::json;

#[test]
fn any_server_is_asked_to_delete() {
    let world = World::new();
    let servers = world.servers::<2>();
    let each = r#"<task id="a"><multiInstanceLoopCharacteristics><extensionElements><zeebe:loopCharacteristics inputCollection="=items" inputElement="item"/></extensionElements></multiInstanceLoopCharacteristics></task>"#;
    servers[0].deploy("many.bpmn", &process("many", each));
    let large: Vec<usize> = (0..1_500).collect();
    for number in 0..6 {
        let items = if number == 0 { large.clone() } else { vec![1, 2] };
        let instance = servers[0].create("many", json!({"items": items}));
        eventually("it ends", || servers[1].state(&instance) == "COMPLETED");
        let path = format!("/v2/process-instances/{instance}/deletion");
        let key = format!("delete-{number}");
        for server in &servers {
            let answer = server.try_post(&path, &json!({}), &[("idempotency-key", &key)]).expect("an answer");
            assert_eq!(answer.status, 204, "a retry gets the same answer: {}", answer.body);
        }
        assert_eq!(servers[1].get(&format!("/v2/process-instances/{instance}")).status, 404);
        assert_eq!(servers[1].post(&path, &json!({})).status, 404);
        let filter = json!({"filter": {"processInstanceKey": instance}, "page": {"limit": 1}});
        eventually("nothing is left", || {
            let found = servers[0].post("/v2/element-instances/search", &filter).ok();
            found["page"]["totalItems"] == 0
        });
    }
}
