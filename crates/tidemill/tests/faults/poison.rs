//! A command that brings the process down is put aside after three deaths, wherever it comes from.

use super::{ASYNC, Server, TempDir, create, expect_good, outcome, prepare};
use std::time::Duration;

/// Deaths after which whatever causes them must have been found.
const DEATHS_MAX: usize = 3;

const TIMER: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" targetNamespace="t">
  <process id="timer" isExecutable="true">
    <startEvent id="s"/><sequenceFlow id="f" sourceRef="s" targetRef="t"/>
    <intermediateCatchEvent id="t"><timerEventDefinition><timeDuration>PT1S</timeDuration></timerEventDefinition></intermediateCatchEvent>
    <sequenceFlow id="g" sourceRef="t" targetRef="e"/><endEvent id="e"/>
  </process>
</definitions>"#;

/// Starts the server again and again until it stays; gives the number of deaths on the way.
fn deaths(data: &TempDir, fault: &str) -> usize {
    let dies = |_: &usize| match Server::try_start(&data.0, Some(fault)) {
        Some(mut server) => server.ends_within(Duration::from_secs(3)),
        None => true,
    };
    (0..10).take_while(dies).count()
}

#[test]
fn an_entry_of_the_inbox() {
    let data = TempDir::new("overflow");
    prepare(&Server::start(&data.0, None));
    let accepted = {
        let mut server = Server::start(&data.0, Some("overflow:bad"));
        let accepted = server.send("POST", "/v2/process-instances", ASYNC, create("bad").as_bytes());
        assert!(server.ends_within(Duration::from_secs(20)), "a stack overflow ends the process");
        accepted
    };
    let deaths = 1 + deaths(&data, "overflow:bad");
    assert!((2..=DEATHS_MAX).contains(&deaths), "put aside after {deaths} deaths");
    let server = Server::start(&data.0, Some("overflow:bad"));
    expect_good(&server);
    if let Some(accepted) = accepted {
        let outcome = outcome(&server, &accepted);
        assert!(outcome.body.contains("died"), "{}", outcome.body);
    }
}

#[test]
fn a_timer_which_can_be_run_again() {
    let data = TempDir::new("overflow-timer");
    {
        let mut server = Server::start(&data.0, Some("overflow:any-timer"));
        prepare(&server);
        server.deploy("timer.bpmn", TIMER);
        let created = server.post("/v2/process-instances", &create("timer"));
        assert_eq!(created.status, 200, "{}", created.body);
        assert!(server.ends_within(Duration::from_secs(20)), "a stack overflow ends the process");
    }
    let deaths = 1 + deaths(&data, "overflow:any-timer");
    assert!((2..=DEATHS_MAX).contains(&deaths), "put aside after {deaths} deaths");
    let server = Server::start(&data.0, None);
    expect_good(&server);
    let active = || server.post("/v2/process-instances/search", r#"{"filter":{"state":"ACTIVE"}}"#).body;
    assert!(active().contains(r#""totalItems":1"#), "it waits for an operator: {}", active());
    let letters: serde_json::Value =
        serde_json::from_str(&server.get("/v1/admin/dead-letters").body).expect("a list");
    assert!(letters["items"][0]["reason"].to_string().contains("died"), "{letters}");
    let number = letters["items"][0]["number"].to_string().replace('"', "");
    let retried = server.post(&format!("/v1/admin/dead-letters/{number}/retry"), "{}");
    assert_eq!(retried.status, 200, "{}", retried.body);
    let began = std::time::Instant::now();
    while !active().contains(r#""totalItems":0"#) {
        assert!(began.elapsed() < Duration::from_secs(10), "it has not gone on: {}", active());
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn what_a_client_sends_again_and_again() {
    let data = TempDir::new("overflow-direct");
    prepare(&Server::start(&data.0, None));
    let headers = [("content-type", "application/json")];
    let mut deaths = 0;
    let (server, refused) = loop {
        let mut server = Server::start(&data.0, Some("overflow:bad"));
        expect_good(&server);
        if let Some(refused) =
            server.send("POST", "/v2/process-instances", &headers, create("bad").as_bytes())
        {
            break (server, refused);
        }
        assert!(server.ends_within(Duration::from_secs(20)), "a stack overflow ends the process");
        deaths += 1;
        assert!(deaths <= DEATHS_MAX, "{deaths} deaths");
    };
    assert_eq!(refused.status, 500, "{}", refused.body);
    assert!(refused.body.contains("died"), "{}", refused.body);
    expect_good(&server);
}
