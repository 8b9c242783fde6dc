//! A real Redis for tests, from the installed package or the program that `TIDEMILL_TEST_REDIS` names (a valkey-server, for
//! example), with a directory and a port of its own. It ends with the process that started it, however that ends.

pub use crate::proxy::{Aim, Fault, Proxy};

use crate::watched::{Watched, free_port};
use std::io::{Read, Write};
use std::net::TcpStream;
use std::path::PathBuf;
use std::process::Command;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

const START_LIMIT: Duration = Duration::from_secs(60);

/// The settings without which the store does not start.
const DURABLE: [(&str, &str); 3] =
    [("appendonly", "yes"), ("appendfsync", "always"), ("maxmemory-policy", "noeviction")];

const USER: &str = "tidemill";
const PASSWORD: &str = "known-to-the-tests-only";
/// As docs/redis.md tells them, for any prefix.
const RIGHTS: &str = "+@read +@write +@connection +@transaction -@dangerous -function +function|load +fcall +fcall_ro \
                      +config|get +info +time";

pub struct RedisServer {
    directory: PathBuf,
    port: u16,
    settings: Vec<(String, String)>,
    process: Mutex<Option<Watched>>,
}

impl RedisServer {
    /// One for all tests of a binary.
    pub fn shared() -> &'static RedisServer {
        static SERVER: OnceLock<RedisServer> = OnceLock::new();
        SERVER.get_or_init(|| RedisServer::start(&[]))
    }

    /// A fresh server; these settings come behind those that make it durable.
    pub fn start(settings: &[(&str, &str)]) -> RedisServer {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let name = format!("tidemill-redis-{}-{number}", std::process::id());
        let directory = data_home().join(name);
        std::fs::create_dir_all(&directory).expect("a directory for the data");
        let settings = DURABLE.iter().chain(settings).map(|(k, v)| ((*k).to_owned(), (*v).to_owned()));
        let server = RedisServer {
            directory,
            port: free_port(),
            settings: settings.collect(),
            process: Mutex::new(None),
        };
        server.resume();
        server
    }

    /// For a user who may do what docs/redis.md tells, and no more.
    pub fn url(&self) -> String {
        format!("redis://{USER}:{PASSWORD}@127.0.0.1:{}", self.port)
    }

    /// For somebody who may do everything.
    pub fn admin_url(&self) -> String {
        format!("redis://127.0.0.1:{}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Ends it by force.
    pub fn kill(&self) {
        self.end("KILL");
    }

    pub fn stop(&self) {
        self.end("TERM");
    }

    fn end(&self, signal: &str) {
        if let Some(process) = self.process.lock().expect("no holder panics").take() {
            process.end(signal);
        }
    }

    /// Starts it again with what it had.
    pub fn resume(&self) {
        let program = std::env::var("TIDEMILL_TEST_REDIS").unwrap_or_else(|_| "redis-server".to_owned());
        let mut server = Command::new(program);
        server.args(["--port", &self.port.to_string(), "--bind", "127.0.0.1", "--save", ""]);
        server.arg("--dir").arg(&self.directory);
        for (name, value) in &self.settings {
            server.args([&format!("--{name}"), value]);
        }
        let process = Watched::start(&self.directory, &server);
        *self.process.lock().expect("no holder panics") = Some(process);
        self.wait_until_ready();
        self.make_user();
    }

    fn make_user(&self) {
        let command = format!("ACL SETUSER {USER} on >{PASSWORD} ~{{* {RIGHTS}\r\n");
        let mut connection = TcpStream::connect(("127.0.0.1", self.port)).expect("it is ready");
        let mut answer = [0; 3];
        connection.write_all(command.as_bytes()).expect("it is read");
        connection.read_exact(&mut answer).expect("it is answered");
        assert_eq!(answer, *b"+OK", "the user of the tests can be made");
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        while !self.is_ready() {
            if started.elapsed() > START_LIMIT {
                let log = std::fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                panic!("Redis does not start; is the Debian package redis-server installed?\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    /// While it still reads its files, it answers with an error.
    fn is_ready(&self) -> bool {
        let Ok(mut connection) = TcpStream::connect(("127.0.0.1", self.port)) else { return false };
        let _ = connection.set_read_timeout(Some(Duration::from_secs(5)));
        let mut answer = [0; 5];
        connection.write_all(b"PING\r\n").is_ok()
            && connection.read_exact(&mut answer).is_ok()
            && answer == *b"+PONG"
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        self.end("TERM");
        // Where that fails, the directory stays among the temporary files of the system.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// In the build directory of the test, or else where the system keeps such things.
fn data_home() -> PathBuf {
    let binary = std::env::current_exe().expect("a test is a program");
    let target = binary.ancestors().find(|path| path.ends_with("target")).map(|path| path.join("tmp"));
    target.unwrap_or_else(std::env::temp_dir)
}
