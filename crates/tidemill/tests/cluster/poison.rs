//! A command that kills every server that runs it, among others that do not.

use crate::world::{PARTITIONS, SECRET, Server, World, eventually, process};
use serde_json::json;
use std::process::Command;
use std::time::Duration;

const LEASE: [&str; 2] = ["--lease", "1s"];
const CREATE: &str = "/v2/process-instances";

#[test]
fn only_the_command_that_kills_is_put_aside() {
    let world = World::new();
    let owner = world.start_with(&LEASE);
    let gate = world.start_with(&LEASE);
    world.settle(&[&owner, &gate]);
    for id in ["good", "bad"] {
        owner.deploy(&format!("{id}.bpmn"), &process(id, r#"<manualTask id="a"/>"#));
    }
    let address = gate.url.trim_start_matches("http://");
    let drained = Command::new(env!("CARGO_BIN_EXE_tidemill"))
        .args(["admin", "drain", address, "--url", &owner.url])
        .output();
    assert!(drained.expect("it runs").status.success());
    eventually("one server owns everything", || owner.owned().contains(&PARTITIONS));

    // Nobody runs what is handed over now. One server has nothing, so it goes to all partitions in turn.
    owner.signal("-STOP");
    let create = |id: &str| gate.post_async(CREATE, &json!({"processDefinitionId": id}), &[]);
    let bad = create("bad");
    let good: Vec<String> = std::thread::scope(|scope| {
        let sent: Vec<_> = (0..PARTITIONS * 2).map(|_| scope.spawn(|| create("good"))).collect();
        sent.into_iter().map(|one| one.join().expect("accepted")).collect()
    });
    gate.kill();
    owner.kill();

    let start = || {
        let mut command = world.command(Some(SECRET));
        command.args(LEASE).env("TIDEMILL_FAULT", "overflow:bad");
        world.try_start(command)
    };
    let survives = |mut server: Server| (!server.ends_within(Duration::from_secs(3))).then_some(server);
    let survivor = (0..8).find_map(|_| start().ok().and_then(survives));
    let survivor = survivor.expect("the command is put aside");
    for location in &good {
        let outcome = survivor.outcome(location);
        assert_eq!(outcome["state"], "DONE", "{outcome}");
    }
    let outcome = survivor.outcome(&bad);
    assert!(outcome.to_string().contains("died"), "{outcome}");
}
