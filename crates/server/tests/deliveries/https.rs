//! Callbacks by https: a receiver with a certificate of its own authority is believed only if that is given.

use crate::world::{World, allowed, http, soon};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;
use tidemill_server::timers::deliver::CallbackSettings;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

const PATIENCE: Duration = Duration::from_secs(30);

fn openssl(directory: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(directory).output();
    let output = output.expect("openssl runs");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, another one, and a certificate of the first for the machine itself.
fn make_certificates(directory: &Path) {
    let request = "req -newkey rsa:2048 -nodes -batch -keyout";
    openssl(directory, &format!("{request} ca.key -x509 -days 2 -subj /CN=authority -out ca.pem"));
    openssl(directory, &format!("{request} other.key -x509 -days 2 -subj /CN=stranger -out other.pem"));
    openssl(directory, &format!("{request} server.key -subj /CN=receiver -out server.csr"));
    std::fs::write(directory.join("names"), "subjectAltName=IP:127.0.0.1").expect("writes");
    openssl(
        directory,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    );
}

/// Answers each call by 200 and counts them.
async fn receive(directory: &Path) -> (String, Arc<AtomicUsize>) {
    let certificate = CertificateDer::from_pem_file(directory.join("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(directory.join("server.key")).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("they belong together");
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let url = format!("https://{}/hook", listener.local_addr().expect("bound"));
    let calls = Arc::<AtomicUsize>::default();
    let counted = calls.clone();
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let (acceptor, counted) = (acceptor.clone(), counted.clone());
            tokio::spawn(async move {
                // A client that does not believe us hangs up.
                let Ok(mut stream) = acceptor.accept(stream).await else { return };
                let mut heard = Vec::new();
                while !heard.windows(4).any(|end| end == b"\r\n\r\n") {
                    match stream.read_buf(&mut heard).await {
                        Ok(0) | Err(_) => return,
                        Ok(_) => {}
                    }
                }
                counted.fetch_add(1, Ordering::SeqCst);
                let reply = b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";
                let _ = stream.write_all(reply).await;
                let _ = stream.shutdown().await;
            });
        }
    });
    (url, calls)
}

async fn eventually(what: &str, mut is_so: impl AsyncFnMut() -> bool) {
    let began = tokio::time::Instant::now();
    while !is_so().await {
        assert!(began.elapsed() < PATIENCE, "{what}");
        tokio::time::sleep(Duration::from_millis(5)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_receiver_is_believed_by_the_authority_that_was_given_and_by_no_other() {
    let directory = tempfile::tempdir().expect("a directory");
    make_certificates(directory.path());
    let (url, calls) = receive(directory.path()).await;
    let with =
        |file: &str| CallbackSettings { ca: Some(directory.path().join(file)), ..allowed(&["127.0.0.1"]) };
    let world = World::with(with("ca.pem")).await;
    world.fire(http(&url), soon(1), 3).await;
    eventually("all are told", async || calls.load(Ordering::SeqCst) == 3).await;
    world.until_settled().await;
    for settings in [with("other.pem"), allowed(&["127.0.0.1"])] {
        let doubtful = World::with(settings).await;
        doubtful.fire(http(&url), soon(1), 1).await;
        eventually("it is given up", async || doubtful.failures().await.len() == 1).await;
        assert_eq!(calls.load(Ordering::SeqCst), 3, "a stranger is told nothing");
    }
}
