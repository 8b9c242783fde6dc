//! Deployments of as many files or start events as people may have: done soon, waited for or not.

use crate::models::{END, START, empty, flow, model};
use crate::world::{World, text};
use serde_json::json;
use std::time::{Duration, Instant};

/// Generous for a loaded machine and a debug build: reading all files again for each of them takes many times as long.
const SOON: Duration = Duration::from_secs(30);
const FILES: usize = 900;
const START_EVENTS: usize = 1_000;

fn files() -> Vec<(String, String)> {
    (0..FILES).map(|n| (format!("p{n}.bpmn"), empty(&format!("p{n}")))).collect()
}

fn parts(files: &[(String, String)]) -> Vec<(&str, Option<&str>, &str)> {
    files.iter().map(|(name, xml)| ("resources", Some(name.as_str()), xml.as_str())).collect()
}

#[tokio::test]
async fn very_many_files_are_deployed_soon() {
    let world = World::new().await;
    let files = files();
    let began = Instant::now();
    let deployed = world.upload(&parts(&files)).await.ok();
    assert!(began.elapsed() < SOON, "it took {:?}", began.elapsed());
    assert_eq!(deployed["deployments"].as_array().map(Vec::len), Some(FILES));
    world.create(&format!("p{}", FILES - 1), json!({})).await;
}

#[tokio::test]
async fn very_many_start_events_are_deployed_soon() {
    let start = |n: usize| {
        format!(
            r#"<startEvent id="m{n}"><messageEventDefinition messageRef="message{n}"/></startEvent>{}"#,
            flow(&format!("m{n}"), "end")
        )
    };
    let message = |n: usize| format!(r#"<message id="message{n}" name="go{n}"/>"#);
    let (beside, shared): (String, String) = (0..START_EVENTS).map(|n| (start(n), message(n))).unzip();
    let world = World::new().await;
    for version in ["first", "second"] {
        let began = Instant::now();
        world.deploy(&model("p", &[START, END], &beside, &format!("{shared}<!--{version}-->"))).await;
        assert!(began.elapsed() < SOON, "the {version} took {:?}", began.elapsed());
    }
    let message = json!({"name": format!("go{}", START_EVENTS - 1), "correlationKey": ""});
    world.post("/v2/messages/correlation", message).await.ok();
}

/// A stop right after the receipt waits for the deployment at most, which is then done or still to be done.
#[tokio::test]
async fn a_large_deployment_that_nobody_waits_for_does_not_hold_up_a_stop() {
    let world = World::new().await;
    let files = files();
    let receipt = world.upload_with(&parts(&files), &[("prefer", "respond-async")]).await;
    assert_eq!(receipt.status, 202, "{}", receipt.text);
    let location = receipt.headers["location"].to_str().expect("text").to_owned();
    let began = Instant::now();
    let world = world.restart().await;
    assert!(began.elapsed() < SOON, "it took {:?}", began.elapsed());
    let mut status = world.get(&location).await.ok();
    while status["state"] == "WAITING" && began.elapsed() < 2 * SOON {
        tokio::time::sleep(Duration::from_millis(10)).await;
        status = world.get(&location).await.ok();
    }
    assert_eq!(text(&status["state"]), "DONE", "{}", status["problem"]);
}
