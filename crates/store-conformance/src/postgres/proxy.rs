//! A way to the server that can be cut, slow or frozen at the worst moment: around COMMIT.

use crate::watched::free_port;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// What happens to a COMMIT that passes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It never reaches the server, and the connection ends.
    CutBeforeCommit,
    /// It takes place, but its answer never comes back.
    CutAfterCommit,
    /// It reaches the server late, if that still waits for it.
    DelayCommit(Duration),
    /// It never reaches the server, and nobody is told.
    FreezeBeforeCommit,
}

/// Which COMMITs are struck.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Aim {
    /// Those of batches: what partitions write.
    Batches,
    /// Also of leases, of appends to the inbox, and of whatever else is written.
    Everything,
}

#[derive(Clone)]
pub struct Proxy {
    port: u16,
    armed: Arc<Mutex<Armed>>,
}

/// The faults to come, one for each COMMIT; then all is well again.
struct Armed {
    faults: VecDeque<Fault>,
    aim: Aim,
    /// Nothing passes, and nobody is told.
    is_frozen: bool,
}

/// As the driver sends it, without parameters.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
const COMMITTED: &[u8] = b"C\0\0\0\x0bCOMMIT\0";
/// What every batch begins with, behind the name that the driver gives to the statement.
const BATCH: &[u8] = b"\0INSERT INTO batches ";
const FROZEN: Duration = Duration::from_secs(60);

impl Proxy {
    pub async fn start(server_port: u16) -> Proxy {
        let armed = Armed { faults: VecDeque::new(), aim: Aim::Batches, is_frozen: false };
        let proxy = Proxy { port: free_port(), armed: Arc::new(Mutex::new(armed)) };
        let listener = TcpListener::bind(("127.0.0.1", proxy.port)).await.expect("a free port");
        let armed = proxy.armed.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)).await else { continue };
                tokio::spawn(pass(client, server, armed.clone()));
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    /// Strikes the next batch.
    pub fn prepare(&self, fault: Fault) {
        self.prepare_many(Aim::Batches, &[fault]);
    }

    /// Strikes one COMMIT after the other.
    pub fn prepare_many(&self, aim: Aim, faults: &[Fault]) {
        *self.armed.lock().expect("no holder panics") =
            Armed { faults: faults.iter().copied().collect(), aim, is_frozen: false };
    }

    /// As a server that stands still: what is sent waits until it goes on.
    pub fn freeze(&self, is_frozen: bool) {
        self.armed.lock().expect("no holder panics").is_frozen = is_frozen;
    }

    /// True if all that was prepared has happened.
    pub fn has_struck(&self) -> bool {
        self.armed.lock().expect("no holder panics").faults.is_empty()
    }
}

/// One connection, seen from both of its directions.
struct Line {
    armed: Arc<Mutex<Armed>>,
    /// A batch is on its way to its end.
    has_batch: AtomicBool,
}

impl Line {
    async fn until_it_goes_on(&self) {
        while self.armed.lock().expect("no holder panics").is_frozen {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// The next fault, if it is for this COMMIT and of this kind.
    fn strike(&self, is_meant: fn(Fault) -> bool) -> Option<Fault> {
        let mut armed = self.armed.lock().expect("no holder panics");
        let is_aimed_at = armed.aim == Aim::Everything || self.has_batch.load(Ordering::Acquire);
        let is_next = is_aimed_at && armed.faults.front().is_some_and(|fault| is_meant(*fault));
        if is_next { armed.faults.pop_front() } else { None }
    }
}

/// Both directions end when one of them does.
async fn pass(client: TcpStream, server: TcpStream, armed: Arc<Mutex<Armed>>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let line = Line { armed, has_batch: AtomicBool::new(false) };
    let there = pass_commands(from_client, to_server, &line);
    let back = pass_answers(from_server, to_client, &line);
    tokio::select! { () = there => {}, () = back => {} }
}

async fn pass_commands(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: &Line) {
    let mut buffer = vec![0; 1 << 20];
    let mut batch: Option<Vec<u8>> = None;
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let bytes = &buffer[..count];
        line.until_it_goes_on().await;
        batch = batch.or_else(|| batch_statement(bytes));
        if batch.as_ref().is_some_and(|batch| position(bytes, batch).is_some()) {
            line.has_batch.store(true, Ordering::Release);
        }
        let commit = position(bytes, COMMIT);
        let fault = commit.and_then(|_| line.strike(|fault| fault != Fault::CutAfterCommit));
        let (before, rest) = bytes.split_at(commit.filter(|_| fault.is_some()).unwrap_or(0));
        if to.write_all(before).await.is_err() {
            return;
        }
        match fault {
            Some(Fault::CutBeforeCommit) => return,
            Some(Fault::FreezeBeforeCommit) => return tokio::time::sleep(FROZEN).await,
            Some(Fault::DelayCommit(delay)) => tokio::time::sleep(delay).await,
            Some(Fault::CutAfterCommit) | None => {}
        }
        if to.write_all(rest).await.is_err() {
            return;
        }
    }
}

async fn pass_answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, line: &Line) {
    let mut buffer = vec![0; 1 << 20];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let bytes = &buffer[..count];
        if position(bytes, COMMITTED).is_some() {
            if line.strike(|fault| fault == Fault::CutAfterCommit).is_some() {
                return;
            }
            line.has_batch.store(false, Ordering::Release);
        }
        if to.write_all(bytes).await.is_err() {
            return;
        }
    }
}

/// By this the statement that every batch begins with is known where it is used: its name between two zeros, the
/// first of which ends the name of a portal. The driver prepares it under a letter and a number.
fn batch_statement(bytes: &[u8]) -> Option<Vec<u8>> {
    let end = position(bytes, BATCH)?;
    let digits = bytes[..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
    let name = &bytes[end.checked_sub(digits + 1)?..end];
    Some([&[0], name, &[0]].concat())
}

fn position(bytes: &[u8], wanted: &[u8]) -> Option<usize> {
    let mut from = 0;
    while let Some(found) = bytes[from..].iter().position(|byte| *byte == wanted[0]) {
        from += found;
        if bytes[from..].starts_with(wanted) {
            return Some(from);
        }
        from += 1;
    }
    None
}
