//! A real Postgres for tests, from the installed package or from the folder that `TIDEMILL_TEST_POSTGRES` names, with a
//! data directory and a port of its own. It ends with the process that started it, however that ends.

mod pooler;
mod process;

pub use crate::proxy::{Aim, Fault, Proxy};
pub use pooler::Pooler;
pub use process::program;

use crate::watched::{Watched, free_port};
use process::{as_user, fresh_directory, major_version, run};
use std::io::Write;
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

const START_LIMIT: Duration = Duration::from_secs(60);

pub struct PostgresServer {
    directory: PathBuf,
    port: u16,
    settings: Vec<String>,
    process: Mutex<Option<Watched>>,
}

impl PostgresServer {
    /// One for all tests of a binary. Nothing is synced: these tests do not pull plugs.
    pub fn shared() -> &'static PostgresServer {
        static SERVER: OnceLock<PostgresServer> = OnceLock::new();
        SERVER.get_or_init(|| PostgresServer::start(&["fsync=off", "full_page_writes=off"]))
    }

    /// A fresh server with these settings besides those that tests need.
    pub fn start(settings: &[&str]) -> PostgresServer {
        let directory = fresh_directory("postgres");
        let data = directory.join("data");
        run(as_user(&program("initdb"))
            .args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "-D"])
            .arg(&data));
        let port = free_port();
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let server = PostgresServer { directory, port, settings, process: Mutex::new(None) };
        server.resume();
        server
    }

    /// The same data again under other settings.
    pub fn with_settings(mut self, settings: &[&str]) -> PostgresServer {
        self.stop();
        self.settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        self.resume();
        self
    }

    pub fn url(&self) -> String {
        self.url_of("postgres", "postgres")
    }

    /// For another user or another database.
    pub fn url_of(&self, user: &str, database: &str) -> String {
        format!("postgres://{user}@127.0.0.1:{}/{database}?sslmode=disable", self.port)
    }

    /// Runs statements as the superuser, each on its own, as `psql` does.
    pub fn psql(&self, database: &str, sql: &str) {
        let mut psql = Command::new(program("psql"));
        psql.args(["-q", "-X", "-v", "ON_ERROR_STOP=1", "-d", &self.url_of("postgres", database)]);
        for statement in sql.split(';').filter(|statement| !statement.trim().is_empty()) {
            psql.args(["-c", statement]);
        }
        run(&mut psql);
    }

    /// True if dumps can be made: the programs for that know servers up to their own version. Says so where not.
    pub fn can_be_dumped() -> bool {
        let (server, dump) = (major_version("postgres"), major_version("pg_dump"));
        if server > dump {
            // Past the output of tests, which is shown for failed ones only.
            let _ = writeln!(
                std::io::stderr(),
                "CANNOT RUN: pg_dump {dump} does not dump a Postgres {server}; the test of backups is left out"
            );
        }
        server <= dump
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// Where certificates and other files of the server may lie.
    pub fn directory(&self) -> &Path {
        &self.directory
    }

    /// Ends the server at once, as a power cut would.
    pub fn crash(&self) {
        self.end("QUIT");
    }

    /// Ends all its processes by force.
    pub fn kill(&self) {
        self.end("KILL");
    }

    pub fn stop(&self) {
        self.end("INT");
    }

    fn end(&self, signal: &str) {
        if let Some(process) = self.process.lock().expect("no holder panics").take() {
            process.end(signal);
        }
    }

    /// Starts it again with what it had.
    pub fn resume(&self) {
        let mut settings = vec![
            format!("port={}", self.port),
            "listen_addresses=127.0.0.1".into(),
            "unix_socket_directories=".into(),
            "max_connections=400".into(),
            "shared_preload_libraries=pg_stat_statements".into(),
        ];
        settings.extend(self.settings.iter().cloned());
        let mut server = as_user(&program("postgres"));
        server.arg("-D").arg(self.directory.join("data"));
        for setting in &settings {
            server.args(["-c", setting]);
        }
        let process = Watched::start(&self.directory, &server);
        *self.process.lock().expect("no holder panics") = Some(process);
        self.wait_until_ready();
    }

    fn wait_until_ready(&self) {
        let started = Instant::now();
        while !self.is_ready() {
            if started.elapsed() > START_LIMIT {
                let log = std::fs::read_to_string(self.directory.join("log")).unwrap_or_default();
                panic!("Postgres does not start:\n{log}");
            }
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn is_ready(&self) -> bool {
        TcpStream::connect(("127.0.0.1", self.port)).is_ok()
            && Command::new(program("pg_isready"))
                .args(["-q", "-h", "127.0.0.1", "-p", &self.port.to_string()])
                .status()
                .is_ok_and(|status| status.success())
    }
}

impl Drop for PostgresServer {
    fn drop(&mut self) {
        self.end("INT");
        // Where that fails, the directory stays among the temporary files of the system.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
