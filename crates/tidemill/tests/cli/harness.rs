//! A place with a server of its own, and the command line that talks to it.

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Place(TempDir);

impl Place {
    pub(crate) fn new() -> Place {
        Place(TempDir::new().expect("a directory"))
    }

    pub(crate) fn path(&self, name: &str) -> String {
        self.0.path().join(name).display().to_string()
    }

    /// The path of a new file.
    pub(crate) fn file(&self, name: &str, content: &str) -> String {
        let path = self.path(name);
        let directory = Path::new(&path).parent().expect("it lies in a directory");
        std::fs::create_dir_all(directory).expect("it can be made");
        std::fs::write(&path, content).expect("the file can be written");
        path
    }

    pub(crate) fn serve(&self) -> Server {
        Server::start(self.0.path(), "127.0.0.1:0", &[], None)
    }

    pub(crate) fn serve_at(&self, address: &str) -> Server {
        Server::start(self.0.path(), address, &[], None)
    }

    pub(crate) fn serve_with(&self, flags: &[&str]) -> Server {
        Server::start(self.0.path(), "127.0.0.1:0", flags, None)
    }

    /// A server that may have so many files open, and what it has said until it was ready.
    pub(crate) fn serve_with_files(&self, files: u32) -> (Server, String) {
        let mut command = Command::new("sh");
        let limited = format!("ulimit -n {files} && exec \"$0\" \"$@\"");
        command.args(["-c", &limited, env!("CARGO_BIN_EXE_tidemill")]);
        Server::listen(command, self.0.path(), "127.0.0.1:0", &[])
    }

    #[cfg(debug_assertions)]
    pub(crate) fn serve_with_fault(&self, fault: &str) -> Server {
        Server::start(self.0.path(), "127.0.0.1:0", &[], Some(fault))
    }
}

pub(crate) struct Server {
    child: Child,
    cli: Cli,
    /// The line by which it said that it is ready.
    ready: String,
}

impl Server {
    fn start(place: &Path, address: &str, more: &[&str], fault: Option<&str>) -> Server {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
        if let Some(fault) = fault {
            command.env("TIDEMILL_FAULT", fault);
        }
        Server::listen(command, place, address, more).0
    }

    /// Also what it has said until it was ready.
    fn listen(mut command: Command, place: &Path, address: &str, more: &[&str]) -> (Server, String) {
        command.args(["serve", "--http", address, "--data"]).arg(place.join("data")).args(more);
        let mut child =
            command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut log = BufReader::new(child.stderr.take().expect("it is piped"));
        let (mut line, mut said) = (String::new(), String::new());
        let address = loop {
            line.clear();
            assert!(log.read_line(&mut line).expect("a text") > 0, "the server has ended early");
            if let Some((_, rest)) = line.split_once("address=") {
                break rest.split_whitespace().next().expect("an address").to_owned();
            }
            said.push_str(&line);
        };
        // A full pipe would stop the server.
        std::thread::spawn(move || log.lines().for_each(drop));
        (Server { child, cli: Cli { url: format!("http://{address}") }, ready: line }, said)
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran<'_> {
        self.cli.run(arguments)
    }

    pub(crate) fn pid(&self) -> u32 {
        self.child.id()
    }

    /// The server runs no more until [`Server::thaw`]; what clients send waits in its sockets.
    pub(crate) fn freeze(&self) {
        self.signal("-STOP");
    }

    pub(crate) fn thaw(&self) {
        self.signal("-CONT");
    }

    fn signal(&self, signal: &str) {
        let sent = Command::new("kill").args([signal, &self.pid().to_string()]).status();
        assert!(sent.is_ok_and(|status| status.success()), "{signal} is sent");
    }

    /// The address of its metrics.
    pub(crate) fn metrics(&self) -> &str {
        let (_, rest) = self.ready.split_once("metrics=\"").expect("it tells where its metrics are");
        rest.split_once('"').expect("an address").0
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> Value {
        let answer = ureq::post(format!("{}{path}", self.cli.url))
            .header("content-type", "application/json")
            .send(body.to_string());
        let text = answer.expect("the server answers").body_mut().read_to_string().expect("a text");
        serde_json::from_str(&text).unwrap_or_default()
    }

    pub(crate) fn url(&self) -> &str {
        &self.cli.url
    }

    /// Hands a command over without waiting for its answer.
    #[cfg(debug_assertions)]
    pub(crate) fn post_async(&self, path: &str, body: &str) {
        let answer = ureq::post(format!("{}{path}", self.cli.url))
            .header("content-type", "application/json")
            .header("prefer", "respond-async")
            .send(body)
            .expect("the server answers");
        assert_eq!(answer.status(), 202);
    }
}

impl Drop for Server {
    /// Told to stop like a service: the next server of the place finds everything handed over.
    fn drop(&mut self) {
        let stopped = Command::new("kill").arg(self.child.id().to_string()).status().is_ok();
        let code = self.child.wait().map(|status| status.code());
        if !std::thread::panicking() {
            assert!(stopped && matches!(code, Ok(Some(0))), "the server stops cleanly, not with {code:?}");
        }
    }
}

pub(crate) struct Cli {
    url: String,
}

impl Cli {
    /// Nobody listens there.
    pub(crate) fn offline() -> Cli {
        Cli { url: "http://127.0.0.1:1".to_owned() }
    }

    pub(crate) fn run(&self, arguments: &[&str]) -> Ran<'_> {
        let output = Command::new(env!("CARGO_BIN_EXE_tidemill"))
            .args(arguments)
            .env("TIDEMILL_URL", &self.url)
            .stdin(Stdio::null())
            .output()
            .expect("the command line runs");
        Ran {
            cli: self,
            arguments: arguments.iter().map(ToString::to_string).collect(),
            code: output.status.code().expect("it ends by itself"),
            stdout: String::from_utf8(output.stdout).expect("a text"),
            stderr: String::from_utf8(output.stderr).expect("a text"),
        }
    }
}

/// The result of a run of the command line.
pub(crate) struct Ran<'a> {
    cli: &'a Cli,
    arguments: Vec<String>,
    pub(crate) code: i32,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

impl Ran<'_> {
    pub(crate) fn ok(self) -> String {
        assert_eq!(self.code, 0, "{:?}: {}", self.arguments, self.stderr);
        self.stdout
    }

    pub(crate) fn json(self) -> Value {
        let text = self.ok();
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{error}: {text}"))
    }

    /// Runs the same again until its output is as expected; false when it takes too long.
    pub(crate) fn until(self, is_expected: impl Fn(&str) -> bool) -> bool {
        let arguments: Vec<&str> = self.arguments.iter().map(String::as_str).collect();
        let began = Instant::now();
        while began.elapsed() < PATIENCE {
            if is_expected(&self.cli.run(&arguments).ok()) {
                return true;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        false
    }
}
