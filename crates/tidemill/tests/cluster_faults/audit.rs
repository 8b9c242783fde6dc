//! Compares the content of the servers in the end with the ledger.

use crate::client::{Client, Sent};
use crate::fleet::Fleet;
use crate::ledger::{Creation, Entry, Kind, Ledger, Token, number};
use crate::load::Load;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

const DRAIN_LIMIT: Duration = Duration::from_secs(60);
const PAGE: usize = 2_000;

/// Lets all instances come to their end.
pub(crate) fn drain(fleet: &Fleet, load: &Load) {
    let client = Client::of(fleet.addresses(), 0);
    let began = Instant::now();
    loop {
        let active = search(&client, "process-instances", &json!({"state": "ACTIVE"}), None);
        let is_open = load.ledger.entries().iter().any(|entry| {
            entry.creation == Creation::Open || entry.kind.wants_message() && !entry.is_published
        });
        let left = active["items"].as_array().map_or(0, Vec::len);
        if left == 0 && !is_open {
            return;
        }
        assert!(began.elapsed() < DRAIN_LIMIT, "{left} instances do not end, as {}", active["items"][0]);
        std::thread::sleep(Duration::from_millis(200));
    }
}

/// The instances that were found for one entry.
#[derive(Default)]
struct Found {
    roots: Vec<String>,
    called: Vec<String>,
    jobs: usize,
    messages: usize,
    tokens: Vec<Token>,
}

/// Every answered thing is there once; what was not answered is there once at most. Tells what was counted.
pub(crate) fn everything(fleet: &Fleet, ledger: &Ledger) -> String {
    ledger.check();
    let client = Client::of(fleet.addresses(), 0);
    let (entries, found) = (ledger.entries(), find(&client, ledger));
    for (number, entry) in entries.iter().enumerate() {
        let nothing = Found::default();
        let found = found.get(&number).unwrap_or(&nothing);
        if let Some(wrong) = compare(entry, found) {
            ledger.violation(format!("entry {number}: {wrong}, {entry:?}"));
        }
    }
    for path in ["incidents", "process-instances"] {
        let filter = if path == "incidents" { json!({}) } else { json!({"hasIncident": true}) };
        let items = search(&client, path, &filter, None);
        if items["items"].as_array().is_some_and(|items| !items.is_empty()) {
            ledger.violation(format!("{path}: {}", items["items"][0]));
        }
    }
    let letters = fleet.server(0).get("/v1/admin/dead-letters").ok();
    if letters["items"].as_array().is_none_or(|items| !items.is_empty()) {
        ledger.violation(format!("dead letters: {letters}"));
    }
    ledger.check();
    format!("{}; {}", summary(&entries), ledger.counts())
}

/// The error of an entry, if there is one.
fn compare(entry: &Entry, found: &Found) -> Option<String> {
    let instances = found.roots.len();
    let is_there = match &entry.creation {
        Creation::Open => return Some("it was never answered".to_owned()),
        Creation::InDoubt => instances <= 1,
        Creation::Accepted => instances == 1,
        Creation::Answered(key) => found.roots == [key.as_str()],
    };
    if !is_there {
        return Some(format!("it exists as {:?}", found.roots));
    }
    let calls = if entry.kind == Kind::Call { instances } else { 0 };
    let messages = if entry.kind.wants_message() { instances } else { 0 };
    if (found.called.len(), found.jobs, found.messages) != (calls, instances, messages) {
        let Found { called, jobs, messages, .. } = found;
        return Some(format!("it has {jobs} jobs and {messages} messages, and has called {called:?}"));
    }
    let is_meant = |token: &Token| match entry.completed {
        Some(completed) => *token == completed,
        None => entry.tried.contains(token),
    };
    let is_done_once = found.tokens.len() == instances + calls && found.tokens.iter().all(is_meant);
    (!is_done_once).then(|| format!("it was completed by {:?}", found.tokens))
}

fn find(client: &Client, ledger: &Ledger) -> HashMap<usize, Found> {
    let mut found: HashMap<usize, Found> = HashMap::new();
    let mut entry_of = HashMap::new();
    for instance in all(client, "process-instances", &json!({})) {
        let key = text(&instance, "processInstanceKey");
        let Some(number) = instance["businessId"].as_str().and_then(number) else {
            ledger.violation(format!("an instance of nobody: {instance}"));
            continue;
        };
        if instance["state"] != "COMPLETED" {
            ledger.violation(format!("it has not completed: {instance}"));
        }
        let of_entry = found.entry(number).or_default();
        let is_root = instance["parentProcessInstanceKey"].is_null();
        if is_root {
            of_entry.roots.push(key.clone())
        } else {
            of_entry.called.push(key.clone())
        };
        entry_of.insert(key, number);
    }
    let mut of_instance = |row: &Value, note: &mut dyn FnMut(&mut Found)| {
        let known = entry_of.get(&text(row, "processInstanceKey")).and_then(|number| found.get_mut(number));
        match known {
            Some(found) => note(found),
            None => ledger.violation(format!("of no instance: {row}")),
        }
    };
    for job in all(client, "jobs", &json!({})) {
        of_instance(&job, &mut |found| found.jobs += 1);
        if job["state"] != "COMPLETED" {
            ledger.violation(format!("it has not completed: {job}"));
        }
    }
    for met in all(client, "correlated-message-subscriptions", &json!({})) {
        of_instance(&met, &mut |found| found.messages += 1);
    }
    for variable in all(client, "variables", &json!({"name": "token"})) {
        let token = variable["value"].as_str().and_then(|value| value.parse().ok()).unwrap_or(0);
        of_instance(&variable, &mut |found| found.tokens.push(token));
    }
    found
}

fn summary(entries: &[Entry]) -> String {
    let mut creations: BTreeMap<&str, usize> = BTreeMap::new();
    for entry in entries {
        let what = match entry.creation {
            Creation::Answered(_) => "answered",
            Creation::Accepted => "accepted",
            Creation::InDoubt | Creation::Open => "in doubt",
        };
        *creations.entry(what).or_default() += 1;
    }
    let completed = entries.iter().filter(|entry| entry.completed.is_some()).count();
    let published = entries.iter().filter(|entry| entry.is_published).count();
    format!(
        "creations {creations:?}, {completed} completions answered, {published} messages published; all once"
    )
}

fn text(row: &Value, name: &str) -> String {
    row[name].as_str().unwrap_or_default().to_owned()
}

/// Every row, page by page.
fn all(client: &Client, path: &str, filter: &Value) -> Vec<Value> {
    let (mut rows, mut after) = (Vec::new(), None);
    loop {
        let found = search(client, path, filter, after.as_deref());
        let items = found["items"].as_array().expect("a list");
        if items.is_empty() {
            return rows;
        }
        rows.extend_from_slice(items);
        after = Some(text(&found["page"], "endCursor"));
    }
}

fn search(client: &Client, path: &str, filter: &Value, after: Option<&str>) -> Value {
    let page = match after {
        Some(after) => json!({"limit": PAGE, "after": after}),
        None => json!({"limit": PAGE}),
    };
    match client.post(&format!("/v2/{path}/search"), &json!({"filter": filter, "page": page}), &[]) {
        Sent::Answered(200, found) => found,
        Sent::Answered(status, answer) => panic!("a search for {path} answered {status}: {answer}"),
        Sent::NotRun(why) | Sent::Unknown(why) => panic!("a search for {path} was not answered: {why}"),
    }
}
