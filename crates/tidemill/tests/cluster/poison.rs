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

#[test]
fn a_timer_that_kills_ends_at_most_three_servers() {
    let world = World::new();
    let start = || {
        let mut command = world.command(Some(SECRET));
        command.args(LEASE).env("TIDEMILL_FAULT", "overflow:any-timer");
        world.try_start(command)
    };
    let mut servers: Vec<Server> = (0..3).map(|_| start().expect("it is ready")).collect();
    world.settle(&servers.iter().collect::<Vec<_>>());
    let timer = r#"<intermediateCatchEvent id="a"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>"#;
    servers[0].deploy("timer.bpmn", &process("timer", timer));
    servers[0].create("timer", json!({}));
    let mut deaths = 0;
    let mut quiet_since = std::time::Instant::now();
    // A takeover takes a lease or two.
    while quiet_since.elapsed() < Duration::from_secs(8) {
        let dead = servers.iter_mut().position(|server| server.ends_within(Duration::from_millis(30)));
        let Some(dead) = dead else { continue };
        (deaths, quiet_since) = (deaths + 1, std::time::Instant::now());
        assert!(deaths <= 3, "{deaths} servers have died");
        match start() {
            Ok(server) => servers[dead] = server,
            Err(said) => panic!("it has died before it was ready: {said}"),
        }
    }
    assert!(deaths >= 2, "the timer kills");
    let letters = servers[0].get("/v1/admin/dead-letters");
    assert!(letters.body.to_string().contains("died"), "{}", letters.body);
}
