//! The searches that people make, and how long they take.

use super::PROCESS_ID;
use crate::client::Client;
use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use std::time::Instant;

const PAGE: u32 = 50;
const LAST_PAGE: u32 = 100;
/// Asked before anything is measured.
const WARM_UPS: u32 = 5;

pub(super) struct Question {
    pub(super) name: &'static str,
    kind: Kind,
}

enum Kind {
    /// One search: the path, and the body for the n-th instance.
    Search(&'static str, fn(u64) -> Value),
    /// One instance with all its parts, as `tidemill show` reads it.
    Parts,
    /// A page behind many others, led to by a cursor.
    FarPage,
}

pub(super) struct Answered {
    pub(super) name: &'static str,
    /// Sorted.
    latencies_us: Vec<u64>,
}

impl Answered {
    pub(super) fn percentile_ms(&self, percent: usize) -> f64 {
        let last = self.latencies_us.len() - 1;
        self.latencies_us[(self.latencies_us.len() * percent / 100).min(last)] as f64 / 1_000.0
    }
}

const INSTANCES: &str = "/v2/process-instances/search";

fn newest(filter: Value) -> Value {
    let sort = json!([{"field": "startDate", "order": "DESC"}]);
    json!({"filter": filter, "sort": sort, "page": {"limit": PAGE}})
}

fn with_variable(name: &str, value: Value) -> Value {
    newest(json!({"variables": [{"name": name, "value": value}]}))
}

impl Question {
    pub(super) fn all() -> Vec<Question> {
        let search = |name, path, body| Question { name, kind: Kind::Search(path, body) };
        vec![
            search("newest instances", INSTANCES, |_| newest(json!({}))),
            search("newest instances of a process", INSTANCES, |_| {
                newest(json!({"processDefinitionId": PROCESS_ID}))
            }),
            search("newest terminated instances", INSTANCES, |_| newest(json!({"state": "TERMINATED"}))),
            search("instances by business id", INSTANCES, |n| {
                newest(json!({"businessId": format!("order-{n}")}))
            }),
            search("instances by a text", INSTANCES, |n| {
                with_variable("orderId", json!(format!("\"order-{n}\"")))
            }),
            search("instances by a number", INSTANCES, |n| with_variable("amount", json!(n.to_string()))),
            search("instances by the beginning of a text", INSTANCES, |n| {
                with_variable("orderId", json!({"$like": format!("\"order-{n}*")}))
            }),
            search("instances by a frequent text", INSTANCES, |_| with_variable("status", json!("\"done\""))),
            search(
                "newest incidents",
                "/v2/incidents/search",
                |_| json!({"sort": [{"field": "creationTime", "order": "DESC"}], "page": {"limit": PAGE}}),
            ),
            search("tasks of a user", "/v2/user-tasks/search", |n| {
                let sort = json!([{"field": "creationDate", "order": "DESC"}]);
                json!({"filter": {"assignee": format!("user-{}", n % 5)}, "sort": sort, "page": {"limit": PAGE}})
            }),
            search(
                "newest jobs",
                "/v2/jobs/search",
                |_| json!({"sort": [{"field": "creationTime", "order": "DESC"}], "page": {"limit": PAGE}}),
            ),
            Question { name: "one instance with all its parts", kind: Kind::Parts },
            Question { name: "page 100 by cursor", kind: Kind::FarPage },
        ]
    }

    pub(super) fn ask(&self, client: &Client, instances: u64, repeat: u32) -> Result<Answered> {
        let mut ask: Box<dyn FnMut(u64) -> Result<()>> = match self.kind {
            Kind::Search(path, body) => Box::new(move |n| found(client.post(path, &body(n))?).map(drop)),
            Kind::Parts => Box::new(move |n| parts(client, n)),
            Kind::FarPage => {
                let body = far_page(client)?;
                Box::new(move |_| found(client.post(INSTANCES, &body)?).map(drop))
            }
        };
        let mut latencies_us = Vec::with_capacity(repeat as usize);
        for round in 0..WARM_UPS + repeat {
            // Spread over the whole history, and never the same twice.
            let n = u64::from(round) * 7_919 * 13 % instances;
            let began = Instant::now();
            ask(n)?;
            if round >= WARM_UPS {
                latencies_us.push(began.elapsed().as_micros() as u64);
            }
        }
        latencies_us.sort_unstable();
        Ok(Answered { name: self.name, latencies_us })
    }
}

/// A search that finds nothing measures nothing.
fn found(mut answer: Value) -> Result<Value> {
    let items = answer["items"].as_array().map_or(0, Vec::len);
    ensure!(items > 0, "Expected the search to find something, but it found nothing");
    Ok(answer["items"][0].take())
}

fn parts(client: &Client, n: u64) -> Result<()> {
    let body = newest(json!({"businessId": format!("order-{n}")}));
    let instance = found(client.post(INSTANCES, &body)?)?;
    let key = instance["processInstanceKey"].as_str().context("instances have keys")?;
    client.get(&format!("/v2/process-instances/{key}"))?;
    let filter = json!({"filter": {"processInstanceKey": key}});
    for path in ["element-instances", "variables", "jobs", "user-tasks", "incidents", "message-subscriptions"]
    {
        client.post(&format!("/v2/{path}/search"), &filter)?;
    }
    Ok(())
}

/// The request for the last page of a walk that began with the newest.
fn far_page(client: &Client) -> Result<Value> {
    let mut body = newest(json!({}));
    for _ in 1..LAST_PAGE {
        let answer = client.post(INSTANCES, &body)?;
        let cursor =
            answer["page"]["endCursor"].as_str().context("Expected a next page, but there is none")?;
        body["page"] = json!({"limit": PAGE, "after": cursor});
    }
    Ok(body)
}
