//! A transaction pooler in front of a server: no connection keeps anything from one transaction to the next.

use super::PostgresServer;
use super::process::{as_user, fresh_directory};
use crate::watched::{Watched, free_port};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::time::Duration;

const PROGRAM: &str = "/usr/sbin/pgbouncer";

pub struct Pooler {
    directory: PathBuf,
    port: u16,
    process: Option<Watched>,
}

impl Pooler {
    /// None where the Debian package pgbouncer is not installed.
    pub fn start(server: &PostgresServer) -> Option<Pooler> {
        if !Path::new(PROGRAM).exists() {
            return None;
        }
        let (directory, port) = (fresh_directory("pooler"), free_port());
        let config = directory.join("pooler.ini");
        let text = format!(
            "[databases]\n* = host=127.0.0.1 port={} user=postgres\n[pgbouncer]\nlisten_addr = 127.0.0.1\n\
             listen_port = {port}\nunix_socket_dir =\nauth_type = any\npool_mode = transaction\n\
             max_client_conn = 500\ndefault_pool_size = 5\n",
            server.port()
        );
        std::fs::write(&config, text).expect("writes");
        let mut program = as_user(Path::new(PROGRAM));
        program.arg(&config);
        let pooler = Pooler { process: Some(Watched::start(&directory, &program)), directory, port };
        for _ in 0..500 {
            if TcpStream::connect(("127.0.0.1", port)).is_ok() {
                return Some(pooler);
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        panic!("{}", std::fs::read_to_string(pooler.directory.join("log")).unwrap_or_default());
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }
}

impl Drop for Pooler {
    fn drop(&mut self) {
        if let Some(process) = self.process.take() {
            process.end("INT");
        }
        // Where that fails, the directory stays among the temporary files of the system.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}
