//! Lists of what a server has: processes, incidents, variables, tasks; page by page, and all of it.

use crate::harness::{Place, Server};
use crate::{ADD, REVIEW, text};
use serde_json::Value;

fn starts(server: &Server, count: usize) -> Vec<String> {
    (0..count).map(|_| server.run(&["start", "add"]).ok().trim().to_owned()).collect()
}

#[test]
fn processes_are_listed_with_versions_and_files() {
    let place = Place::new();
    let server = place.serve();
    assert_eq!(server.run(&["processes"]).ok(), "no processes\n");
    let named = ADD.replace("<process id=\"add\"", "<process id=\"add\" name=\"Second\"");
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    server.run(&["deploy", &place.file("add.bpmn", &named), &place.file("review.bpmn", REVIEW)]).ok();
    let latest = server.run(&["processes"]).ok();
    assert_eq!(latest.lines().count(), 3, "{latest}");
    assert!(latest.contains("add      2") && latest.contains("review   1"), "{latest}");
    let second = server.run(&["processes", "--limit", "1", "--page", "2"]).ok();
    assert!(second.contains("review") && !second.contains("add"), "{second}");
    let versions = server.run(&["processes", "versions", "add"]).ok();
    let numbers: Vec<&str> =
        versions.lines().skip(1).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(numbers, ["2", "1"], "{versions}");

    assert_eq!(server.run(&["processes", "xml", "add"]).ok().trim(), named.trim());
    assert_eq!(server.run(&["processes", "xml", "add", "--version", "1"]).ok().trim(), ADD.trim());
    let file = place.path("copy.bpmn");
    server.run(&["processes", "xml", "add", "--version", "1", "-o", &file]).ok();
    assert_eq!(std::fs::read_to_string(file).expect("it was written"), ADD);
    let missing = server.run(&["processes", "xml", "add", "--version", "7"]);
    assert_eq!(missing.code, 4, "{}", missing.stderr);
    assert!(missing.stderr.contains("Expected to find process 'add' in version 7"), "{}", missing.stderr);
    let listed = server.run(&["processes", "--json"]).json();
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2));
}

#[test]
fn pages_follow_each_other_and_all_of_them_can_be_had() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let mut keys = starts(&server, 5);
    let page = |number: &str| {
        let found = server.run(&["instances", "--limit", "2", "--page", number, "--json"]).json();
        let items = found["items"].as_array().expect("a list").clone();
        items.iter().map(|item| text(&item["processInstanceKey"]).to_owned()).collect::<Vec<_>>()
    };
    let mut paged: Vec<String> = ["1", "2", "3"].into_iter().flat_map(page).collect();
    paged.sort();
    keys.sort();
    assert_eq!(paged, keys);
    let first = server.run(&["instances", "--limit", "2"]).ok();
    assert!(first.ends_with("2 of 5 instances; see more with --page 2, or all with --all\n"), "{first}");
    assert_eq!(server.run(&["instances", "--page", "9"]).ok(), "page 9 is empty: there are 5 instances\n");

    let all = server.run(&["instances", "--all", "--json"]).ok();
    let mut found: Vec<String> = all
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).expect("JSON"))
        .map(|item| text(&item["processInstanceKey"]).to_owned())
        .collect();
    found.sort();
    assert_eq!(found, keys);
    let table = server.run(&["instances", "--all"]).ok();
    assert_eq!((table.lines().count(), table.matches("PROCESS").count()), (6, 1), "{table}");
    assert_eq!(server.run(&["jobs", "--all"]).ok().lines().count(), 6);
    let help = server.run(&["instances", "--help"]).ok();
    assert!(help.contains("at most 10000"), "{help}");
    assert_eq!(server.run(&["instances", "--limit", "10001"]).code, 2);
}

#[test]
fn incidents_are_listed_and_resolved() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let keys = starts(&server, 2);
    let failing = ["worker", "sum", "--exec", "echo no ink >&2; exit 3", "--jobs", "6"];
    assert_eq!(server.run(&failing).code, 8);
    let listed = server.run(&["incidents"]).ok();
    assert_eq!(listed.matches("JOB_NO_RETRIES").count(), 2, "{listed}");
    assert!(listed.contains("no ink"), "{listed}");
    let of_one =
        server.run(&["incidents", "--instance", &keys[0], "--kind", "job_no_retries", "--json"]).json();
    assert_eq!(of_one["items"].as_array().map(Vec::len), Some(1));
    server.run(&["resolve", text(&of_one["items"][0]["incidentKey"])]).ok();
    assert_eq!(server.run(&["incidents", "--process", "add"]).ok().lines().count(), 2);
    assert_eq!(server.run(&["incidents", "--state", "all"]).ok().lines().count(), 3);
    assert_eq!(
        server.run(&["incidents", "--process", "add", "--kind", "form_not_found"]).ok(),
        "no incidents\n"
    );
}

#[test]
fn variables_are_set_one_by_one_or_together() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let start = ["start", "add", "-v", r#"{"a": 1, "big": 12345678901234567890.10}"#];
    let singles = ["--variable", "a=2", "--variable", "name=Ada Lovelace", "--variable", "list=[1, 2]"];
    let key =
        server.run(&[&start[..], &singles, &["--variable", "zip=01234", "--variable", "no="]].concat()).ok();
    let key = key.trim();
    let value = |name: &str| {
        let found = server.run(&["variables", "list", key, "--name", name, "--json"]).json();
        found["items"][0]["value"].as_str().map(str::to_owned)
    };
    let expected = [
        ("a", "2"),
        ("name", "\"Ada Lovelace\""),
        ("list", "[1,2]"),
        ("zip", "\"01234\""),
        ("no", "\"\""),
        ("big", "12345678901234567890.10"),
    ];
    for (name, json) in expected {
        assert_eq!(value(name).as_deref(), Some(json), "{name}");
    }
    let set =
        server.run(&["variables", "set", key, "--variable", "a=3", "--variables", r#"{"b": true}"#]).ok();
    assert_eq!(set, format!("set variables of {key}\n"));
    assert_eq!((value("a").as_deref(), value("b").as_deref()), (Some("3"), Some("true")));
    assert!(server.run(&["variables", "list", key]).ok().contains("NAME"));
    assert_eq!(server.run(&["variables", "set", key]).code, 2);
    assert_eq!(server.run(&["variables", "set", key, "--variable", "a"]).code, 2);
    assert_eq!(server.run(&["variables", "set", "7", "--variable", "a=1"]).code, 4);
}

#[test]
fn tasks_are_claimed_and_assigned() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("review.bpmn", REVIEW)]).ok();
    let started = ["start", "review", "--variable", "orderId=A-1", "--business-id", "order A-1"];
    let instance = server.run(&started).ok();
    server.run(&["publish", "paid", "--key", "A-1", "--correlate"]).ok();
    let task = text(&server.run(&["tasks", "--json"]).json()["items"][0]["userTaskKey"]).to_owned();
    assert_eq!(
        server.run(&["tasks", "claim", &task, "--user", "ada"]).ok(),
        format!("task {task} is with ada\n")
    );
    let taken = server.run(&["tasks", "claim", &task, "--user", "bob"]);
    assert_eq!(taken.code, 5, "{}", taken.stderr);
    server.run(&["tasks", "assign", &task, "bob"]).ok();
    assert!(server.run(&["tasks", "--assignee", "bob", "--business-id", "order A-1"]).ok().contains(&task));
    server.run(&["tasks", "unassign", &task]).ok();
    assert_eq!(server.run(&["tasks", "--assignee", "bob"]).ok(), "no tasks\n");
    let by_name = server.run(&["instances", "--business-id", "order A-1"]).ok();
    assert!(by_name.contains(instance.trim()), "{by_name}");
    assert_eq!(server.run(&["instances", "--business-id", "order B-1"]).ok(), "no instances\n");
}

#[test]
fn lists_about_what_does_not_exist_say_so() {
    let place = Place::new();
    let server = place.serve();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    for list in [
        &["variables", "list", "77"][..],
        &["jobs", "--instance", "77"],
        &["incidents", "--instance", "77", "--all"],
        &["incidents", "--process", "other"],
        &["instances", "--process", "other", "--json"],
        &["processes", "versions", "other"],
    ] {
        let ended = server.run(list);
        assert_eq!(ended.code, 4, "{list:?}: {}", ended.stderr);
        assert!(
            ended.stderr.contains("77") || ended.stderr.contains("Expected to find process 'other'"),
            "{}",
            ended.stderr
        );
        assert_eq!(ended.stdout, "", "{list:?}");
    }
    let instance = starts(&server, 1).remove(0);
    assert_eq!(server.run(&["incidents", "--instance", &instance]).ok(), "no incidents\n");
    assert_eq!(server.run(&["instances", "--process", "add", "--state", "completed"]).ok(), "no instances\n");
}
