//! Traces over several servers, taken by a small collector: a request, its command, its commit, its job and the job's completion are one
//! trace, whichever servers they run on.

use crate::world::{NO_WAIT, SECRET, Server, World, eventually, key, one_task};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use tidemill_store_conformance::servers::is_redis;

/// Documents by the path that they were sent to.
type Documents = Arc<Mutex<Vec<(String, Value)>>>;

struct Collector {
    address: String,
    documents: Documents,
}

#[derive(Clone, Debug)]
struct Span {
    id: String,
    parent: String,
    trace: String,
    name: String,
    server: String,
    attributes: BTreeMap<String, String>,
}

impl Collector {
    fn start() -> Collector {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = format!("http://{}", listener.local_addr().expect("bound"));
        let documents = Documents::default();
        let kept = documents.clone();
        std::thread::spawn(move || {
            for stream in listener.incoming().map_while(Result::ok) {
                let documents = kept.clone();
                std::thread::spawn(move || take_all(stream, &documents));
            }
        });
        Collector { address, documents }
    }

    fn server(&self, world: &World) -> Server {
        let mut command = world.command(Some(SECRET));
        command.args(["--otlp-endpoint", &self.address]);
        command.env("OTEL_BSP_SCHEDULE_DELAY", "50").env("OTEL_METRIC_EXPORT_INTERVAL", "200");
        world.try_start(command).unwrap_or_else(|said| panic!("the server has ended early: {said}"))
    }

    fn at(&self, path: &str) -> Vec<Value> {
        let documents = self.documents.lock().expect("no holder panics");
        documents.iter().filter(|(at, _)| at == path).map(|(_, document)| document.clone()).collect()
    }

    /// By the id of each.
    fn spans(&self) -> BTreeMap<String, Span> {
        let mut spans = BTreeMap::new();
        for document in self.at("/v1/traces") {
            for resource in list(&document["resourceSpans"]) {
                let server = attributes(&resource["resource"]["attributes"])["service.instance.id"].clone();
                for span in list(&resource["scopeSpans"][0]["spans"]) {
                    let text = |name: &str| span[name].as_str().unwrap_or_default().to_owned();
                    let number = |name: &str| text(name).parse::<u64>().expect("nanoseconds");
                    assert!(number("startTimeUnixNano") <= number("endTimeUnixNano"), "{span}");
                    let read = Span {
                        id: text("spanId"),
                        parent: text("parentSpanId"),
                        trace: text("traceId"),
                        name: text("name"),
                        server: server.clone(),
                        attributes: attributes(&span["attributes"]),
                    };
                    assert!(spans.insert(read.id.clone(), read).is_none(), "twice: {span}");
                }
            }
        }
        spans
    }
}

/// Takes requests until the other side leaves.
fn take_all(stream: TcpStream, documents: &Documents) {
    let mut reader = BufReader::new(stream.try_clone().expect("a second handle"));
    let mut stream = stream;
    loop {
        let (mut first, mut length) = (String::new(), 0);
        if reader.read_line(&mut first).unwrap_or(0) == 0 {
            return;
        }
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a header");
            if line.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = line.split_once(':')
                && name.eq_ignore_ascii_case("content-length")
            {
                length = value.trim().parse().expect("a number");
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).expect("the whole body");
        let path = first.split(' ').nth(1).expect("a path").to_owned();
        let document = serde_json::from_slice(&body).expect("JSON");
        documents.lock().expect("no holder panics").push((path, document));
        let answer = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}";
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn list(value: &Value) -> &Vec<Value> {
    value.as_array().expect("a list")
}

fn attributes(value: &Value) -> BTreeMap<String, String> {
    let pair = |attribute: &Value| {
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        (text(&attribute["key"]), text(&attribute["value"]["stringValue"]))
    };
    list(value).iter().map(pair).collect()
}

/// The names from a span up to the one that the client has sent, that one's id last.
fn way_up(spans: &BTreeMap<String, Span>, from: &Span) -> Vec<String> {
    let (mut way, mut current) = (vec![from.name.clone()], from);
    while let Some(parent) = spans.get(&current.parent) {
        assert_eq!(parent.trace, current.trace, "{current:?}");
        // Between servers there is the request of one to the other.
        if parent.name != "POST /internal/v1/requests" {
            way.push(parent.name.clone());
        }
        current = parent;
    }
    way.push(current.parent.clone());
    way
}

#[test]
fn a_trace_goes_from_the_request_to_the_completion_over_all_servers() {
    const INSTANCES: usize = 16;
    let (world, collector) = (World::new(), Collector::start());
    let servers = [(); 2].map(|()| collector.server(&world));
    world.settle(&servers.iter().collect::<Vec<_>>());
    servers[0].deploy("traced.bpmn", &one_task("traced", "trace"));
    let client_span = |number: usize| format!("{:016x}", 0x1000 + number);
    for number in 0..INSTANCES {
        let context = format!("00-{:032x}-{}-01", number + 1, client_span(number));
        let body = json!({"processDefinitionId": "traced"});
        let headers = [("traceparent", context.as_str())];
        servers[number % 2].try_post("/v2/process-instances", &body, &headers).expect("answered").ok();
    }
    // A client that does not want its trace to be recorded.
    let unsampled = format!("00-{}-{}-00", "f".repeat(32), "e".repeat(16));
    let body = json!({"processDefinitionId": "traced"});
    let answer = servers[0].try_post("/v2/process-instances", &body, &[("traceparent", &unsampled)]);
    answer.expect("answered").ok();
    let mut completed = 0;
    eventually("all jobs were handed out", || {
        for job in servers[0].activate("trace", INSTANCES, NO_WAIT) {
            let context = job["customHeaders"]["traceparent"].as_str().expect("a trace").to_owned();
            let path = format!("/v2/jobs/{}/completion", key(&job, "jobKey"));
            let answer = servers[1].try_post(&path, &json!({}), &[("traceparent", &context)]);
            answer.expect("answered").ok();
            completed += 1;
        }
        completed == INSTANCES + 1
    });
    // Each server sends its spans by itself: a commit may come before the request that it belongs to.
    let is_complete = |spans: &BTreeMap<String, Span>, commit: &Span| {
        let way = way_up(spans, commit);
        (0..INSTANCES).any(|number| way.last() == Some(&client_span(number)))
    };
    eventually("all spans have come", || {
        let spans = collector.spans();
        let is_sampled = |span: &&Span| span.name == "commit" && span.trace.starts_with("0000000000000000");
        let commits: Vec<&Span> = spans.values().filter(is_sampled).collect();
        commits.len() >= 2 * INSTANCES && commits.iter().all(|commit| is_complete(&spans, commit))
    });
    let spans = collector.spans();
    let mut across = 0;
    for number in 0..INSTANCES {
        let trace = format!("{:032x}", number + 1);
        let of_trace: Vec<&Span> = spans.values().filter(|span| span.trace == trace).collect();
        let last = of_trace.iter().filter(|span| span.name == "commit").map(|span| way_up(&spans, span));
        let mut ways: Vec<Vec<String>> = last.collect();
        ways.sort_by_key(Vec::len);
        let sent = client_span(number);
        let creation = ["commit", "create_instance", "POST /v2/process-instances", &sent];
        assert_eq!(ways[0], creation, "{of_trace:?}");
        let completion = [
            "commit",
            "complete_job",
            "POST /v2/jobs/{p1}/completion",
            "job trace",
            "create_instance",
            "POST /v2/process-instances",
            &sent,
        ];
        assert_eq!(ways[1], completion, "{of_trace:?}");
        assert_eq!(ways.len(), 2, "{of_trace:?}");
        let servers: BTreeSet<&str> = of_trace.iter().map(|span| span.server.as_str()).collect();
        across += usize::from(servers.len() == 2);
        let job = of_trace.iter().find(|span| span.name == "job trace").expect("a job");
        assert_eq!(job.attributes["tidemill.process_id"], "traced");
    }
    assert!(across > 0, "both servers take part in a trace");
    assert!(!spans.values().any(|span| span.trace == "f".repeat(32)), "this one was not to be recorded");
}

#[test]
fn metrics_come_to_the_collector_under_the_same_names() {
    let (world, collector) = (World::new(), Collector::start());
    let server = collector.server(&world);
    server.deploy("measured.bpmn", &one_task("measured", "measure"));
    server.create("measured", json!({}));
    let find = |name: &str| -> Option<Value> {
        let document = collector.at("/v1/metrics").pop()?;
        let metrics = &document["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        list(metrics).iter().find(|metric| metric["name"] == name).cloned()
    };
    eventually("the start is told", || {
        let Some(commands) = find("tidemill_commands_total") else { return false };
        list(&commands["sum"]["dataPoints"]).iter().any(|point| {
            let labels = attributes(&point["attributes"]);
            labels["command"] == "create_instance" && labels["outcome"] == "done" && point["asDouble"] == 1.0
        })
    });
    let stages = find("tidemill_stage_seconds").expect("a histogram");
    let point = &stages["histogram"]["dataPoints"][0];
    assert_eq!(list(&point["bucketCounts"]).len(), list(&point["explicitBounds"]).len() + 1, "{point}");
    // On Redis all commands share one connection, which has no pool to measure.
    assert_eq!(find("tidemill_store_statement_seconds").is_some(), !is_redis());
}
