//! Durations count from when a command was sent, however long the store takes.

use super::{ASYNC, Server, TempDir, create, outcome};
use std::time::{Duration, Instant};

/// The duration of the timers in these scenarios.
const WAIT: Duration = Duration::from_secs(3);

fn with_timer() -> String {
    r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
         <process id="timer" isExecutable="true">
           <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
           <intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>PT3S</timeDuration></timerEventDefinition></intermediateCatchEvent>
           <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/>
         </process>
       </definitions>"#
        .to_owned()
}

fn send_async(server: &Server, process_id: &str) -> super::Answer {
    let body = create(process_id);
    let accepted =
        server.send("POST", "/v2/process-instances", ASYNC, body.as_bytes()).expect("the server answers");
    assert_eq!(accepted.status, 202, "{}", accepted.body);
    accepted
}

fn is_completed(server: &Server, created: &super::Answer) -> bool {
    let outcome: serde_json::Value = serde_json::from_str(&created.body).expect("an outcome");
    let key = outcome["result"]["processInstanceKey"].as_str().expect("a key").to_owned();
    server.get(&format!("/v2/process-instances/{key}")).body.contains("COMPLETED")
}

#[test]
fn a_timer_counts_from_when_its_command_was_sent() {
    let data = TempDir::new("hold");
    let server = Server::start(&data.0, Some("hold:bad"));
    super::prepare(&server);
    server.deploy("timer.bpmn", &with_timer());
    std::thread::scope(|scope| {
        scope.spawn(|| server.post("/v2/process-instances", &create("bad")));
        std::thread::sleep(Duration::from_millis(300));
        // The loop turns to its inbox now, and must wait for the commit before it can read that.
        send_async(&server, "good");
        std::thread::sleep(Duration::from_millis(3_000));
        let sent_at = Instant::now();
        let created = outcome(&server, &send_async(&server, "timer"));
        while !is_completed(&server, &created) {
            std::thread::sleep(Duration::from_millis(5));
            assert!(sent_at.elapsed() < Duration::from_secs(20), "the timer never fires");
        }
        assert!(sent_at.elapsed() >= WAIT, "it has fired after {:?}", sent_at.elapsed());
    });
}
