//! A way to the server that can be cut, slow or frozen at the worst moment: around COMMIT, or around the call of the function
//! that commits on Redis.

use crate::watched::free_port;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// The fault that happens to a COMMIT that passes.
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

/// The language that is spoken on the way.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Wire {
    Postgres,
    Redis,
}

#[derive(Clone)]
pub struct Proxy {
    wire: Wire,
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
/// The text that every batch begins with, behind the name that the driver gives to the statement.
const BATCH: &[u8] = b"\0INSERT INTO batches ";
/// The name of the function that commits, and writes of all kinds.
const REDIS_BATCH: &[u8] = b"_commit";
const REDIS_WRITES: [&[u8]; 2] = [b"$5\r\nFCALL\r\n", b"$4\r\nXADD\r\n"];
/// A batch is answered with two texts.
const REDIS_COMMITTED: &[u8] = b"*2\r\n$";
const FROZEN: Duration = Duration::from_secs(60);

impl Proxy {
    pub async fn start(server_port: u16) -> Proxy {
        Proxy::begin(server_port, Wire::Postgres).await
    }

    /// To a Redis.
    pub async fn to_redis(server_port: u16) -> Proxy {
        Proxy::begin(server_port, Wire::Redis).await
    }

    async fn begin(server_port: u16, wire: Wire) -> Proxy {
        let armed = Armed { faults: VecDeque::new(), aim: Aim::Batches, is_frozen: false };
        let proxy = Proxy { wire, port: free_port(), armed: Arc::new(Mutex::new(armed)) };
        let listener = TcpListener::bind(("127.0.0.1", proxy.port)).await.expect("a free port");
        let armed = proxy.armed.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)).await else { continue };
                tokio::spawn(pass(client, server, wire, armed.clone()));
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        match self.wire {
            Wire::Postgres => format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port),
            // Without a user, so that whatever passes can be told apart by its beginning.
            Wire::Redis => format!("redis://127.0.0.1:{}", self.port),
        }
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
    wire: Wire,
    armed: Arc<Mutex<Armed>>,
    /// A batch is on its way to its end.
    has_batch: AtomicBool,
    /// On Redis: something that writes is.
    has_write: AtomicBool,
}

impl Line {
    async fn until_it_goes_on(&self) {
        while self.armed.lock().expect("no holder panics").is_frozen {
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
    }

    /// Where a COMMIT begins, or a call that writes on Redis.
    fn commit_in(&self, bytes: &[u8]) -> Option<usize> {
        if self.wire == Wire::Postgres {
            return position(bytes, COMMIT);
        }
        let batch = position(bytes, REDIS_BATCH);
        self.has_batch.fetch_or(batch.is_some(), Ordering::AcqRel);
        let aim = self.armed.lock().expect("no holder panics").aim;
        let write = REDIS_WRITES.iter().filter_map(|write| position(bytes, write)).min();
        self.has_write.fetch_or(write.is_some(), Ordering::AcqRel);
        if aim == Aim::Batches { batch } else { write }
    }

    /// Whether these are the answer to a COMMIT.
    fn answers_commit(&self, bytes: &[u8]) -> bool {
        let aim = self.armed.lock().expect("no holder panics").aim;
        match self.wire {
            Wire::Postgres => position(bytes, COMMITTED).is_some(),
            Wire::Redis if aim == Aim::Everything => self.has_write.swap(false, Ordering::AcqRel),
            Wire::Redis => {
                self.has_batch.load(Ordering::Acquire) && position(bytes, REDIS_COMMITTED).is_some()
            }
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
async fn pass(client: TcpStream, server: TcpStream, wire: Wire, armed: Arc<Mutex<Armed>>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let line = Line { wire, armed, has_batch: AtomicBool::new(false), has_write: AtomicBool::new(false) };
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
        let commit = line.commit_in(bytes);
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
        if line.answers_commit(bytes) {
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
