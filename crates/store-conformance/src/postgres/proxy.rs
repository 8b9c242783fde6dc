//! A way to the server that can be cut or can freeze at the worst moment: around COMMIT.

use super::process::free_port;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};

/// What happens to the next COMMIT that passes; then all is well again.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It never reaches the server, and the connection ends.
    CutBeforeCommit,
    /// It takes place, but its answer never comes back.
    CutAfterCommit,
    /// It never reaches the server, and nobody is told.
    FreezeBeforeCommit,
}

#[derive(Clone)]
pub struct Proxy {
    port: u16,
    next: Arc<Mutex<Option<Fault>>>,
}

/// As the driver sends it, without parameters.
const COMMIT: &[u8] = b"Q\0\0\0\x0bCOMMIT\0";
const COMMITTED: &[u8] = b"C\0\0\0\x0bCOMMIT\0";
const FROZEN: Duration = Duration::from_secs(60);

impl Proxy {
    pub async fn start(server_port: u16) -> Proxy {
        let proxy = Proxy { port: free_port(), next: Arc::default() };
        let listener = TcpListener::bind(("127.0.0.1", proxy.port)).await.expect("a free port");
        let next = proxy.next.clone();
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let Ok(server) = TcpStream::connect(("127.0.0.1", server_port)).await else { continue };
                tokio::spawn(pass(client, server, next.clone()));
            }
        });
        proxy
    }

    pub fn url(&self) -> String {
        format!("postgres://postgres@127.0.0.1:{}/postgres?sslmode=disable", self.port)
    }

    pub fn prepare(&self, fault: Fault) {
        *self.next.lock().expect("no holder panics") = Some(fault);
    }

    /// Whether the prepared fault has happened.
    pub fn has_struck(&self) -> bool {
        self.next.lock().expect("no holder panics").is_none()
    }
}

/// Both directions end when one of them does.
async fn pass(client: TcpStream, server: TcpStream, next: Arc<Mutex<Option<Fault>>>) {
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let there = pass_commands(from_client, to_server, next.clone());
    let back = pass_answers(from_server, to_client, next);
    tokio::select! { () = there => {}, () = back => {} }
}

async fn pass_commands(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, next: Arc<Mutex<Option<Fault>>>) {
    let mut buffer = vec![0; 1 << 20];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let bytes = &buffer[..count];
        let fault = *next.lock().expect("no holder panics");
        let before = bytes.windows(COMMIT.len()).position(|window| window == COMMIT);
        if let (Some(fault @ (Fault::CutBeforeCommit | Fault::FreezeBeforeCommit)), Some(before)) =
            (fault, before)
        {
            *next.lock().expect("no holder panics") = None;
            let _ = to.write_all(&bytes[..before]).await;
            if fault == Fault::FreezeBeforeCommit {
                tokio::time::sleep(FROZEN).await;
            }
            return;
        }
        if to.write_all(bytes).await.is_err() {
            return;
        }
    }
}

async fn pass_answers(mut from: OwnedReadHalf, mut to: OwnedWriteHalf, next: Arc<Mutex<Option<Fault>>>) {
    let mut buffer = vec![0; 1 << 20];
    while let Ok(count @ 1..) = from.read(&mut buffer).await {
        let bytes = &buffer[..count];
        let is_commit = bytes.windows(COMMITTED.len()).any(|window| window == COMMITTED);
        let fault = *next.lock().expect("no holder panics");
        if is_commit && fault == Some(Fault::CutAfterCommit) {
            *next.lock().expect("no holder panics") = None;
            return;
        }
        if to.write_all(bytes).await.is_err() {
            return;
        }
    }
}
