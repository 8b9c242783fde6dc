//! The metrics of a server that works: what they count, and that dashboard and alerts ask for nothing else.

use crate::ADD;
use crate::harness::{Place, Server};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

const PATIENCE: Duration = Duration::from_secs(20);

/// Fails in an expression as soon as it is started, waits for a timer otherwise.
const MIXED: &str = r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
  xmlns:zeebe="http://camunda.org/schema/zeebe/1.0" targetNamespace="t">
  <process id="mixed" isExecutable="true">
    <startEvent id="start"/>
    <sequenceFlow id="a" sourceRef="start" targetRef="wait"/>
    <intermediateCatchEvent id="wait"><timerEventDefinition><timeDuration>=pause</timeDuration></timerEventDefinition>
    </intermediateCatchEvent>
    <sequenceFlow id="b" sourceRef="wait" targetRef="end"/>
    <endEvent id="end"/>
  </process>
</definitions>"#;

fn serve(place: &Place, flags: &[&str]) -> Server {
    place.serve_with(&[&["--metrics", "127.0.0.1:0"], flags].concat())
}

fn scrape(server: &Server) -> String {
    let url = format!("http://{}/metrics", server.metrics());
    let mut answer = ureq::get(url).call().expect("metrics are served");
    let kind = answer.headers()["content-type"].to_str().expect("a text").to_owned();
    assert!(kind.starts_with("text/plain; version=0.0.4"), "{kind}");
    answer.body_mut().read_to_string().expect("a text")
}

/// The sum of the values whose line begins with this name and holds all of these texts.
fn value(page: &str, name: &str, holds: &[&str]) -> f64 {
    let lines = page.lines().filter(|line| {
        let rest = line.strip_prefix(name);
        rest.is_some_and(|rest| rest.starts_with(['{', ' '])) && holds.iter().all(|text| line.contains(text))
    });
    lines.filter_map(|line| line.rsplit(' ').next()?.parse::<f64>().ok()).sum()
}

fn eventually(server: &Server, what: &str, is_so: impl Fn(&str) -> bool) -> String {
    let began = Instant::now();
    loop {
        let page = scrape(server);
        if is_so(&page) {
            return page;
        }
        assert!(began.elapsed() < PATIENCE, "{what} within {PATIENCE:?}:\n{page}");
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// A bit of everything that is counted.
fn work(place: &Place, server: &Server) {
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    server.run(&["deploy", &place.file("mixed.bpmn", MIXED)]).ok();
    for _ in 0..3 {
        server.run(&["start", "add"]).ok();
    }
    server.run(&["worker", "sum", "--exec", "cat", "--jobs", "3"]).ok();
    server.run(&["start", "mixed", "--variable", "pause=\"PT0.01S\""]).ok();
    server.run(&["start", "mixed"]).ok();
    assert_eq!(server.run(&["start", "absent"]).code, 4);
}

#[test]
fn what_has_happened_is_counted() {
    let place = Place::new();
    let server = serve(&place, &[]);
    work(&place, &server);
    let page = eventually(&server, "the timer has fired", |page| {
        value(page, "tidemill_process_instances_ended_total", &["mixed", "completed"]) == 1.0
    });
    let is = |name: &str, holds: &[&str], expected: f64| {
        assert_eq!(value(&page, name, holds), expected, "{name} {holds:?}\n{page}");
    };
    is("tidemill_commands_total", &["create_instance", "done"], 5.0);
    is("tidemill_commands_total", &["create_instance", "rejected"], 1.0);
    is("tidemill_process_instances_started_total", &["process=\"add\""], 3.0);
    is("tidemill_process_instances_ended_total", &["process=\"add\"", "completed"], 3.0);
    is("tidemill_process_instances_started_total", &["process=\"mixed\""], 2.0);
    for event in ["created", "activated", "completed"] {
        is("tidemill_jobs_total", &["type=\"sum\"", &format!("event=\"{event}\"")], 3.0);
    }
    is("tidemill_job_activation_seconds_count", &["sum"], 3.0);
    is("tidemill_incidents_raised_total", &["mixed"], 1.0);
    is("tidemill_timers_fired_total", &[], 1.0);
    is("tidemill_timer_lateness_seconds_count", &[], 1.0);
    is("tidemill_dead_letters_total", &[], 0.0);
    is("tidemill_store_up", &[], 1.0);
    is("tidemill_partitions_owned", &[], 1.0);
    is("tidemill_definition_cache_entries", &[], 2.0);
    is("tidemill_http_requests_total", &["/v2/process-instances\"", "POST", "404"], 1.0);
    is("tidemill_http_requests_total", &["/v2/process-instances\"", "POST", "200"], 5.0);
    assert!(value(&page, "tidemill_definition_cache_hits_total", &["<default>"]) > 0.0, "{page}");
    assert!(value(&page, "tidemill_definition_cache_bytes", &[]) > 1_000.0, "{page}");
    assert!(value(&page, "tidemill_commits_total", &["written"]) > 5.0, "{page}");
    assert!(value(&page, "process_resident_memory_bytes", &[]) > 1e6, "{page}");
    for stage in ["queue", "load", "run", "commit", "effects"] {
        assert!(value(&page, "tidemill_stage_seconds_count", &[stage]) > 0.0, "{stage}\n{page}");
    }
}

#[test]
fn names_of_processes_cannot_make_the_page_endless() {
    let place = Place::new();
    let server = serve(&place, &[]);
    for batch in 0..3 {
        let files: Vec<String> = (0..100)
            .map(|number| {
                let id = format!("p{batch}-{number}");
                place.file(&format!("{id}.bpmn"), &ADD.replace("id=\"add\"", &format!("id=\"{id}\"")))
            })
            .collect();
        let arguments: Vec<&str> = ["deploy"].into_iter().chain(files.iter().map(String::as_str)).collect();
        server.run(&arguments).ok();
        for number in 0..100 {
            let body = json!({"processDefinitionId": format!("p{batch}-{number}")});
            server.post("/v2/process-instances", &body);
        }
    }
    let page = eventually(&server, "all are counted", |page| {
        value(page, "tidemill_process_instances_started_total", &[]) == 300.0
    });
    let lines = page.lines().filter(|line| line.starts_with("tidemill_process_instances_started_total{"));
    assert_eq!(lines.count(), 201);
    assert_eq!(value(&page, "tidemill_process_instances_started_total", &["process=\"other\""]), 100.0);
}

/// 100 definitions in a cache of 10: everything goes on, and the cache stays as small as it must be.
#[test]
fn a_small_cache_gives_right_results() {
    let place = Place::new();
    let server = serve(&place, &["--definition-cache-entries", "10"]);
    let ids: Vec<String> = (0..100).map(|number| format!("p{number}")).collect();
    let files: Vec<String> = ids
        .iter()
        .map(|id| place.file(&format!("{id}.bpmn"), &ADD.replace("id=\"add\"", &format!("id=\"{id}\""))))
        .collect();
    let arguments: Vec<&str> = ["deploy"].into_iter().chain(files.iter().map(String::as_str)).collect();
    server.run(&arguments).ok();
    std::thread::scope(|scope| {
        for start in 0..4 {
            let (ids, server) = (&ids, &server);
            scope.spawn(move || {
                for turn in 0..100 {
                    let id = &ids[(start * 25 + turn * 7) % 100];
                    let created = server.post("/v2/process-instances", &json!({"processDefinitionId": id}));
                    assert_eq!(created["processDefinitionId"], **id, "{created}");
                }
            });
        }
    });
    let (mut completed, began) = (0, Instant::now());
    while completed < 400 {
        assert!(began.elapsed() < 3 * PATIENCE, "{completed} of 400 jobs were handed out");
        let asked = json!({"type": "sum", "worker": "w", "timeout": 60_000, "maxJobsToActivate": 50});
        let jobs = server.post("/v2/jobs/activation", &asked);
        for job in jobs["jobs"].as_array().expect("a list") {
            let key = job["jobKey"].as_str().expect("a key");
            server.post(&format!("/v2/jobs/{key}/completion"), &json!({}));
            completed += 1;
        }
    }
    let page = eventually(&server, "all have ended", |page| {
        value(page, "tidemill_process_instances_ended_total", &["completed"]) == 400.0
    });
    assert_eq!(value(&page, "tidemill_definition_cache_entries", &[]), 10.0, "{page}");
    assert!(value(&page, "tidemill_definition_cache_evictions_total", &[]) >= 90.0, "{page}");
    assert_eq!(value(&page, "tidemill_dead_letters_total", &[]), 0.0);
    let shown = server.run(&["admin", "cache"]).ok();
    assert!(shown.contains("10 of 10") && shown.contains("The coldest of"), "{shown}");
    let report = server.run(&["admin", "cache", "--json"]).json();
    assert_eq!(report["items"][0]["cache"]["largest"].as_array().map(Vec::len), Some(10), "{report}");
}

#[test]
fn definitions_of_active_instances_are_there_after_a_restart() {
    let place = Place::new();
    {
        let server = serve(&place, &[]);
        server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
        server.run(&["start", "add"]).ok();
    }
    {
        let server = serve(&place, &["--definition-warm-up=false"]);
        assert_eq!(value(&scrape(&server), "tidemill_definition_cache_entries", &[]), 0.0);
    }
    let server = serve(&place, &[]);
    eventually(&server, "it is warm", |page| value(page, "tidemill_definition_cache_entries", &[]) == 1.0);
}

#[test]
fn top_shows_it_once_for_scripts() {
    let place = Place::new();
    let server = serve(&place, &[]);
    work(&place, &server);
    let url = format!("http://{}", server.metrics());
    let shown = server.run(&["top", "--once", "--metrics", &url]).ok();
    for text in ["commands", "HTTP requests", "STAGE", "workers that wait for jobs", "store answers"] {
        assert!(shown.contains(text), "{text}: {shown}");
    }
    let failed = server.run(&["top", "--once", "--metrics", "http://127.0.0.1:1"]);
    assert_eq!(failed.code, 3, "{}", failed.stderr);
}

#[test]
fn a_taken_port_is_told_with_what_to_do() {
    let place = Place::new();
    let server = serve(&place, &[]);
    let other = Place::new();
    let data = other.path("data");
    let taken = server.metrics().to_owned();
    let ran = server.run(&["serve", "--http", "127.0.0.1:0", "--data", &data, "--metrics", &taken]);
    assert_eq!(ran.code, 1);
    assert!(ran.stderr.contains(&taken) && ran.stderr.contains("--metrics off"), "{}", ran.stderr);
}

#[test]
fn answers_carry_the_id_of_their_request() {
    let place = Place::new();
    let server = place.serve();
    let url = format!("{}/v2/topology", server.url());
    let answer = ureq::get(&url).header("x-request-id", "mine-17").call().expect("answered");
    assert_eq!(answer.headers()["x-request-id"], "mine-17");
    let first = ureq::get(&url).call().expect("answered").headers()["x-request-id"].clone();
    let second = ureq::get(&url).call().expect("answered").headers()["x-request-id"].clone();
    assert_ne!(first, second);
}

fn deploy_folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../deploy")
}

/// Names of values, each with the labels that it has.
fn known(page: &str) -> BTreeMap<String, BTreeSet<String>> {
    let mut names: BTreeMap<String, BTreeSet<String>> = BTreeMap::new();
    for line in page.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().expect("a name");
        let labels = names.entry(name.to_owned()).or_default();
        for part in line.split("=\"").filter(|_| line.contains('{')) {
            labels.extend(part.rsplit(['{', ',']).next().map(str::to_owned));
        }
    }
    names
}

/// Every name and label of a query is one that the server has.
fn check_query(query: &str, legend: &str, known: &BTreeMap<String, BTreeSet<String>>) {
    let of_prometheus: BTreeSet<String> = ["instance", "job", "le"].into_iter().map(str::to_owned).collect();
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut labels = of_prometheus.clone();
    let mut rest = query;
    while let Some(at) = rest.find(|c: char| c.is_ascii_alphabetic() || c == '_') {
        rest = &rest[at..];
        let end = rest.find(|c| !is_part(c)).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        rest = after;
        if !(name.starts_with("tidemill_") || name.starts_with("process_")) {
            continue;
        }
        let has = known
            .get(name)
            .unwrap_or_else(|| panic!("no server tells {name}, which is asked for by {query}"));
        labels.extend(has.iter().cloned());
        if let Some(matchers) = rest.strip_prefix('{') {
            let (matchers, after) = matchers.split_once('}').expect("it is closed");
            rest = after;
            for matcher in matchers.split(',') {
                let label = matcher.split(['=', '!']).next().expect("a label").trim();
                assert!(
                    has.contains(label) || of_prometheus.contains(label),
                    "{name} has no {label}: {query}"
                );
            }
        }
    }
    for grouped in query.split("by (").skip(1) {
        let (grouped, _) = grouped.split_once(')').expect("it is closed");
        for label in grouped.split(',').map(str::trim) {
            assert!(labels.contains(label), "nothing in {query} has a {label}");
        }
    }
    for named in legend.split("{{").skip(1) {
        let (label, _) = named.split_once("}}").expect("it is closed");
        assert!(labels.contains(label), "nothing in {query} has a {label}, which '{legend}' names");
    }
}

#[test]
fn dashboard_and_alerts_ask_for_what_there_is() {
    let place = Place::new();
    let server = serve(&place, &[]);
    work(&place, &server);
    let incidents = server.run(&["incidents", "--json"]).json();
    let incident = incidents["items"][0]["incidentKey"].as_str().expect("one is there");
    // Its cause is still there, so another one follows.
    server.post(&format!("/v2/incidents/{incident}/resolution"), &json!({}));
    let page = eventually(&server, "it was resolved", |page| {
        value(page, "tidemill_incidents_resolved_total", &[]) == 1.0
    });
    let known = known(&page);
    let text = std::fs::read_to_string(deploy_folder().join("grafana/tidemill.json")).expect("readable");
    let dashboard: Value = serde_json::from_str(&text).expect("JSON");
    let mut queries = 0;
    for panel in dashboard["panels"].as_array().expect("panels") {
        for target in panel["targets"].as_array().into_iter().flatten() {
            let (query, legend) = (target["expr"].as_str(), target["legendFormat"].as_str());
            check_query(query.expect("a query"), legend.expect("a legend"), &known);
            queries += 1;
        }
    }
    assert!(queries > 30, "{queries}");
    let rules = std::fs::read_to_string(deploy_folder().join("prometheus/alerts.yaml")).expect("readable");
    let alerts = rules.split("- alert:").skip(1);
    let mut alerts_seen = 0;
    for alert in alerts {
        let (_, query) = alert.split_once("expr:").expect("a query");
        let end = ["\n        for:", "\n        labels:"].iter().filter_map(|next| query.find(next)).min();
        check_query(&query[..end.expect("something follows")], "", &known);
        alerts_seen += 1;
    }
    assert!(alerts_seen > 10, "{alerts_seen}");
}

/// `./test` installs promtool and asks for it by this variable.
#[test]
fn promtool_takes_page_and_rules() {
    if Command::new("promtool").arg("--version").output().is_err() {
        assert!(
            std::env::var_os("TIDEMILL_TEST_PROMTOOL").is_none(),
            "promtool is asked for, but is not there"
        );
        return eprintln!("promtool is not installed: ./test installs it");
    }
    let rules = deploy_folder().join("prometheus/prometheus.yml");
    let ran = Command::new("promtool").args(["check", "config"]).arg(rules).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let place = Place::new();
    let server = serve(&place, &[]);
    work(&place, &server);
    let page = place.file("page.txt", &scrape(&server));
    let input = std::fs::File::open(page).expect("readable");
    let ran = Command::new("promtool").args(["check", "metrics"]).stdin(input).output().expect("it runs");
    let said = format!("{}{}", String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    assert!(ran.status.success(), "{said}");
}
