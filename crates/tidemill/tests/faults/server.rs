//! A real server as a child process, spoken to over plain HTTP.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

pub struct Server {
    child: Child,
    address: String,
}

pub struct Answer {
    pub status: u16,
    pub body: String,
}

impl Server {
    /// Starts on a free port; waits until it is ready.
    pub fn start(data: &Path, fault: Option<&str>) -> Server {
        Server::try_start(data, fault).expect("the server does not end early")
    }

    /// None if it ends before it is ready.
    pub fn try_start(data: &Path, fault: Option<&str>) -> Option<Server> {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
        command
            .args(["serve", "--http", "127.0.0.1:0", "--metrics", "off", "--data"])
            .arg(data)
            .stderr(Stdio::piped());
        if let Some(fault) = fault {
            command.env("TIDEMILL_FAULT", fault);
        }
        let mut child = command.spawn().expect("the binary starts");
        let mut log = BufReader::new(child.stderr.take().expect("the log is piped"));
        let address = loop {
            let mut line = String::new();
            if log.read_line(&mut line).expect("the log can be read") == 0 {
                child.wait().expect("the server has ended");
                return None;
            }
            // Other lines may name the address of the metrics.
            if let Some((_, rest)) = line.split_once(" ready address=") {
                let end =
                    rest.find(|c: char| !c.is_ascii_digit() && c != '.' && c != ':').unwrap_or(rest.len());
                break rest[..end].to_owned();
            }
        };
        // The pipe must not fill up while the server runs.
        std::thread::spawn(move || std::io::copy(&mut log, &mut std::io::sink()));
        Some(Server { child, address })
    }

    pub fn post(&self, path: &str, body: &str) -> Answer {
        self.send("POST", path, &[("content-type", "application/json")], body.as_bytes())
            .expect("the server answers")
    }

    pub fn get(&self, path: &str) -> Answer {
        self.send("GET", path, &[], b"").expect("the server answers")
    }

    /// None if the connection broke.
    pub fn send(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &[u8]) -> Option<Answer> {
        let mut stream = TcpStream::connect(&self.address).ok()?;
        stream.set_read_timeout(Some(Duration::from_secs(30))).ok()?;
        let mut head = format!(
            "{method} {path} HTTP/1.1\r\nhost: {}\r\nconnection: close\r\ncontent-length: {}\r\n",
            self.address,
            body.len()
        );
        for (name, value) in headers {
            head.push_str(&format!("{name}: {value}\r\n"));
        }
        head.push_str("\r\n");
        stream.write_all(head.as_bytes()).ok()?;
        stream.write_all(body).ok()?;
        let mut answer = String::new();
        stream.read_to_string(&mut answer).ok()?;
        let (head, body) = answer.split_once("\r\n\r\n")?;
        let status = head.split(' ').nth(1)?.parse().ok()?;
        Some(Answer { status, body: body.to_owned() })
    }

    pub fn deploy(&self, name: &str, xml: &str) {
        let body = format!(
            "--part\r\ncontent-disposition: form-data; name=\"resources\"; filename=\"{name}\"\r\n\r\n{xml}\r\n--part--\r\n"
        );
        let headers = [("content-type", "multipart/form-data; boundary=part")];
        let answer =
            self.send("POST", "/v2/deployments", &headers, body.as_bytes()).expect("the server answers");
        assert_eq!(answer.status, 200, "{}", answer.body);
    }

    /// True once the process is gone.
    pub fn ends_within(&mut self, limit: Duration) -> bool {
        let began = Instant::now();
        while began.elapsed() < limit {
            if self.child.try_wait().expect("the child can be asked").is_some() {
                return true;
            }
            std::thread::sleep(Duration::from_millis(20));
        }
        false
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// A directory that goes when the test ends.
pub struct TempDir(pub PathBuf);

impl TempDir {
    pub fn new(name: &str) -> TempDir {
        let path = std::env::temp_dir().join(format!("tidemill-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a temporary directory can be made");
        TempDir(path)
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
