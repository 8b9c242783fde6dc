//! Following the log of commands while a server works, goes away and comes back.

use crate::ADD;
use crate::harness::Place;
use std::io::{BufRead, BufReader, Read};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(20);

struct Following {
    child: Child,
    lines: Receiver<String>,
}

impl Following {
    fn start(url: &str, arguments: &[&str]) -> Following {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tidemill"))
            .args(["admin", "log", "--follow", "--url", url])
            .args(arguments)
            .env_remove("TIDEMILL_CLUSTER_SECRET")
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("the command line runs");
        let lines = lines_of(child.stdout.take().expect("it is piped"));
        Following { child, lines }
    }

    #[track_caller]
    fn next(&self) -> String {
        self.lines.recv_timeout(PATIENCE).expect("a line in time")
    }

    /// Its exit code, what it had still to show, and its complaints.
    fn end(mut self, signal: &str) -> (Option<i32>, Vec<String>, String) {
        let sent = Command::new("kill").args(["-s", signal, &self.child.id().to_string()]).status();
        assert!(sent.expect("kill runs").success());
        let code = self.child.wait().expect("it ends").code();
        let mut said = String::new();
        self.child.stderr.take().expect("it is piped").read_to_string(&mut said).expect("a text");
        (code, self.lines.iter().collect(), said)
    }
}

fn lines_of(output: ChildStdout) -> Receiver<String> {
    let (sender, lines) = channel();
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if sender.send(line).is_err() {
                return;
            }
        }
    });
    lines
}

#[test]
fn new_commands_are_shown_until_somebody_has_seen_enough() {
    let place = Place::new();
    let server = place.serve();
    let from_nothing = Following::start(server.url(), &["--json"]);
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let key = server.run(&["start", "add"]).ok();
    for kind in ["createDeployment", "createProcessInstance"] {
        let line: serde_json::Value = serde_json::from_str(&from_nothing.next()).expect("JSON");
        assert_eq!(line["kind"], kind);
    }
    // Commands that were there before come first, and none comes twice.
    let from_there = Following::start(server.url(), &["--limit", "1"]);
    assert!(from_there.next().ends_with("createProcessInstance  process add"));
    server.run(&["cancel", key.trim()]).ok();
    assert!(from_there.next().ends_with(&format!("cancelProcessInstance  instance {}", key.trim())));
    assert!(from_nothing.next().contains("cancelProcessInstance"));
    assert_eq!(from_there.end("INT"), (Some(0), Vec::new(), String::new()));
    assert_eq!(from_nothing.end("TERM"), (Some(0), Vec::new(), String::new()));
}

#[test]
fn a_restart_of_the_server_is_waited_for() {
    let place = Place::new();
    let server = place.serve();
    let address = server.url().trim_start_matches("http://").to_owned();
    server.run(&["deploy", &place.file("add.bpmn", ADD)]).ok();
    let following = Following::start(server.url(), &[]);
    assert!(following.next().contains("createDeployment"));
    drop(server);
    std::thread::sleep(Duration::from_millis(1_200));
    let server = place.serve_at(&address);
    server.run(&["start", "add"]).ok();
    assert!(following.next().contains("createProcessInstance"));
    let (code, rest, said) = following.end("INT");
    assert_eq!((code, rest), (Some(0), Vec::new()));
    assert_eq!(said.matches("trying again").count(), 1, "said once: {said}");
}
