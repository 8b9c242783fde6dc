//! Passwords against a Postgres that asks for them: from the URL, from the environment, from a file as libpq reads it.

use std::io::{BufRead, BufReader, Read};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;
use tidemill_store_conformance::postgres::PostgresServer;

const RIGHT: &str = "rig:ht\\ pass'word";
/// As a line of the file has to write it.
const RIGHT_ESCAPED: &str = "rig\\:ht\\\\ pass'word";
const WRONG: &str = "wr0ng-pass";

/// A server that asks everybody but the superuser for a password, and a home for its clients.
struct Guarded {
    postgres: PostgresServer,
    home: TempDir,
}

enum Outcome {
    Opened,
    /// The exit code and what was said about it.
    Refused(Option<i32>, String),
}

impl Guarded {
    fn start() -> Guarded {
        let settings = ["fsync=off", "password_encryption=scram-sha-256"];
        let postgres = PostgresServer::start(&settings);
        let role = format!("CREATE ROLE ann LOGIN PASSWORD '{}'", RIGHT.replace('\'', "''"));
        postgres.psql("postgres", &role);
        postgres.psql("postgres", "CREATE DATABASE flows OWNER ann");
        let rules = postgres.directory().join("rules");
        let text = "host all postgres 127.0.0.1/32 trust\nhost all all 127.0.0.1/32 scram-sha-256\n";
        std::fs::write(&rules, text).expect("writes");
        let rules = format!("hba_file={}", rules.display());
        let postgres = postgres.with_settings(&[settings[0], settings[1], &rules]);
        Guarded { postgres, home: TempDir::new().expect("a directory") }
    }

    fn url(&self) -> String {
        self.postgres.url_of("ann", "flows")
    }

    fn file(&self, name: &str, lines: &str, mode: u32) -> PathBuf {
        let path = self.home.path().join(name);
        std::fs::write(&path, lines).expect("writes");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(mode)).expect("ours");
        path
    }

    /// Starts a server there and stops it as soon as it is ready.
    fn serve(&self, url: &str, variables: &[(&str, &str)]) -> Outcome {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
        command.args(["serve", "--http", "127.0.0.1:0", "--partitions", "1", "--store", url]);
        for name in ["PGPASSWORD", "PGPASSFILE", "PGUSER", "PGHOST", "PGPORT", "PGDATABASE"] {
            command.env_remove(name);
        }
        command.env("HOME", self.home.path()).envs(variables.iter().copied());
        let mut child = command.stderr(Stdio::piped()).spawn().expect("the server starts");
        let mut log = BufReader::new(child.stderr.take().expect("it is piped"));
        let mut said = String::new();
        while log.read_line(&mut said).expect("a text") > 0 {
            if said.contains(" ready address=") {
                let _ = Command::new("kill").arg(child.id().to_string()).status();
                log.read_to_string(&mut said).expect("a text");
                assert!(child.wait().expect("it ends").success(), "{said}");
                return Outcome::Opened;
            }
        }
        Outcome::Refused(child.wait().expect("it ends").code(), said)
    }

    #[track_caller]
    fn opens(&self, url: &str, variables: &[(&str, &str)]) {
        if let Outcome::Refused(code, said) = self.serve(url, variables) {
            panic!("refused with {code:?}: {said}");
        }
    }

    /// Refused with all these words, and without any password.
    #[track_caller]
    fn is_refused(&self, url: &str, variables: &[(&str, &str)], words: &[&str]) {
        let Outcome::Refused(code, said) = self.serve(url, variables) else { panic!("opened") };
        assert_eq!(code, Some(1), "{said}");
        for word in words {
            assert!(said.contains(word), "no '{word}' in: {said}");
        }
        assert!(!said.contains(WRONG) && !said.contains(RIGHT), "a password is told: {said}");
    }
}

fn name(path: &Path) -> &str {
    path.to_str().expect("a text")
}

#[test]
fn passwords_are_taken_as_libpq_takes_them() {
    let guarded = Guarded::start();
    let (url, port) = (guarded.url(), guarded.postgres.port());

    guarded.is_refused(&url, &[], &["wants a password for user 'ann'", "PGPASSWORD", ".pgpass", "chmod 600"]);
    guarded.opens(&url, &[("PGPASSWORD", RIGHT)]);
    let wrong = [("PGPASSWORD", WRONG)];
    guarded.is_refused(
        &url,
        &wrong,
        &["password authentication failed for user \"ann\"", "PGPASSWORD; correct"],
    );
    let with_wrong = url.replace("ann@", &format!("ann:{WRONG}@"));
    // A password in the connection string goes before one in the environment.
    guarded.is_refused(&with_wrong, &[("PGPASSWORD", RIGHT)], &["connection string; correct it there"]);

    // A file that is named, with lines for others before the one that fits, and wildcards.
    let lines =
        format!("elsewhere:*:*:*:{WRONG}\n127.0.0.1:1:flows:ann:{WRONG}\n*:{port}:flows:*:{RIGHT_ESCAPED}\n");
    let file = guarded.file("passwords", &lines, 0o600);
    guarded.opens(&url, &[("PGPASSFILE", name(&file))]);
    guarded.opens(&format!("{url}&passfile={}", name(&file)), &[]);
    guarded.is_refused(&url, &[("PGPASSFILE", name(&file)), wrong[0]], &["PGPASSWORD; correct"]);
    // The first line that fits counts, right or wrong.
    let file = guarded.file("passwords", &format!("*:*:*:ann:{WRONG}\n*:*:*:*:{RIGHT_ESCAPED}\n"), 0o600);
    let of_file = format!("from {}; correct", name(&file));
    guarded.is_refused(&url, &[("PGPASSFILE", name(&file))], &["authentication failed", &of_file]);

    // The file at home.
    let line = format!("127.0.0.1:{port}:flows:ann:{RIGHT_ESCAPED}\n");
    let home = guarded.file(".pgpass", &line, 0o600);
    guarded.opens(&url, &[]);
    guarded.file(".pgpass", &line, 0o640);
    let chmod = format!("chmod 600 {}", name(&home));
    guarded.is_refused(&url, &[], &["others can read it", &chmod]);
    guarded.file(".pgpass", "127.0.0.1:*:flows:bob:other\n", 0o600);
    guarded.is_refused(&url, &[], &["no line of", &format!("fits 127.0.0.1:{port}:flows:ann")]);
}
