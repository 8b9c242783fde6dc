//! A real Postgres for tests, from the installed package, with a data directory and a port of its own. It ends
//! with the process that started it, however that ends.

use std::io::Write;
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, OnceLock};
use std::time::{Duration, Instant};

/// Runs the server, waits for a word and then ends it. Without a word its starter is gone, and the data with it.
const WATCH: &str = r#"directory=$1; shift
"$@" >>"$directory/log" 2>&1 &
server=$!
if read -r signal; then kill -s "$signal" $server; wait $server
else kill -s INT $server; wait $server; rm -rf "$directory"; fi"#;

const START_LIMIT: Duration = Duration::from_secs(60);

pub struct PostgresServer {
    directory: PathBuf,
    port: u16,
    settings: Vec<String>,
    watcher: Mutex<Option<Child>>,
}

impl PostgresServer {
    /// One for all tests of a binary. Nothing is synced: these tests do not pull plugs.
    pub fn shared() -> &'static PostgresServer {
        static SERVER: OnceLock<PostgresServer> = OnceLock::new();
        SERVER.get_or_init(|| PostgresServer::start(&["fsync=off", "full_page_writes=off"]))
    }

    /// A fresh server with these settings besides those that tests need.
    pub fn start(settings: &[&str]) -> PostgresServer {
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let directory = data_home().join(format!("postgres-{}-{number}", std::process::id()));
        std::fs::create_dir_all(&directory).expect("a directory for the data");
        std::fs::set_permissions(&directory, std::fs::Permissions::from_mode(0o700)).expect("ours");
        if is_root() {
            run(Command::new("chown").arg("postgres:").arg(&directory));
        }
        let data = directory.join("data");
        run(as_user(&program("initdb"))
            .args(["--no-sync", "--auth=trust", "--username=postgres", "--encoding=UTF8", "-D"])
            .arg(&data));
        let port = free_port();
        let settings = settings.iter().map(|setting| (*setting).to_owned()).collect();
        let server = PostgresServer { directory, port, settings, watcher: Mutex::new(None) };
        server.resume();
        server
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
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

    pub fn stop(&self) {
        self.end("INT");
    }

    fn end(&self, signal: &str) {
        let watcher = self.watcher.lock().expect("no holder panics").take();
        if let Some(mut watcher) = watcher {
            let mut words = watcher.stdin.take().expect("piped");
            writeln!(words, "{signal}").expect("the watcher reads");
            watcher.wait().expect("the watcher ends");
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
        let server = as_user(&program("postgres"));
        let mut watcher = Command::new("sh");
        watcher
            .args(["-c", WATCH, "sh"])
            .arg(&self.directory)
            .arg(server.get_program())
            .args(server.get_args());
        watcher.arg("-D").arg(self.directory.join("data"));
        for setting in &settings {
            watcher.args(["-c", setting]);
        }
        let child = watcher.stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
        *self.watcher.lock().expect("no holder panics") = Some(child.expect("sh starts"));
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
        // What is left of it is in a directory for such things.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Of the newest version that is installed.
fn program(name: &str) -> PathBuf {
    let versions =
        std::fs::read_dir("/usr/lib/postgresql").expect("the Debian package postgresql is installed");
    let newest = versions.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<u32>().ok()).max();
    let newest = newest.expect("a version of Postgres");
    PathBuf::from(format!("/usr/lib/postgresql/{newest}/bin/{name}"))
}

/// Postgres does not run as root.
fn as_user(program: &Path) -> Command {
    if !is_root() {
        return Command::new(program);
    }
    let mut command = Command::new("setpriv");
    command.args(["--reuid=postgres", "--regid=postgres", "--clear-groups"]).arg(program);
    command.current_dir("/");
    command
}

fn is_root() -> bool {
    std::fs::metadata("/proc/self").is_ok_and(|metadata| std::os::unix::fs::MetadataExt::uid(&metadata) == 0)
}

/// In the build directory, unless the user that Postgres runs as cannot get there.
fn data_home() -> PathBuf {
    let binary = std::env::current_exe().expect("a test is a program");
    let target = binary.ancestors().find(|path| path.ends_with("target")).map(|path| path.join("tmp"));
    target.filter(|path| can_reach(path)).unwrap_or_else(std::env::temp_dir)
}

fn can_reach(path: &Path) -> bool {
    let _ = std::fs::create_dir_all(path);
    as_user(Path::new("test")).arg("-x").arg(path).status().is_ok_and(|status| status.success())
}

fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").and_then(|listener| listener.local_addr()).expect("a free port").port()
}

fn run(command: &mut Command) {
    let output = command.output().expect("starts");
    assert!(
        output.status.success(),
        "{command:?} failed: {}{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
}
