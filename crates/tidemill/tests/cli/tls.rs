//! `https://`: a real TLS end before a server, and whom the command line believes.

use crate::ADD;
use crate::harness::{Cli, Place};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use tokio::net::{TcpListener, TcpStream};
use tokio_rustls::TlsAcceptor;
use tokio_rustls::rustls::ServerConfig;
use tokio_rustls::rustls::crypto::ring;
use tokio_rustls::rustls::pki_types::pem::PemObject;
use tokio_rustls::rustls::pki_types::{CertificateDer, PrivateKeyDer};

fn openssl(directory: &Path, arguments: &str) {
    let output = Command::new("openssl").args(arguments.split(' ')).current_dir(directory).output();
    let output = output.expect("openssl runs");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, another one, and a certificate of the first for `localhost`.
fn make_certificates(directory: &Path) {
    let request = "req -newkey rsa:2048 -nodes -batch -keyout";
    openssl(directory, &format!("{request} ca.key -x509 -days 2 -subj /CN=authority -out ca.pem"));
    openssl(directory, &format!("{request} other.key -x509 -days 2 -subj /CN=stranger -out other.pem"));
    openssl(directory, &format!("{request} server.key -subj /CN=localhost -out server.csr"));
    std::fs::write(directory.join("names"), "subjectAltName=DNS:localhost").expect("writes");
    openssl(
        directory,
        "x509 -req -in server.csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile names -out server.pem",
    );
}

/// Listens with TLS and passes what it hears to a server; tells its port.
fn begin_tls(directory: &Path, server: String) -> u16 {
    let certificate = CertificateDer::from_pem_file(directory.join("server.pem")).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(directory.join("server.key")).expect("a key");
    let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
        .with_safe_default_protocol_versions()
        .expect("known versions")
        .with_no_client_auth()
        .with_single_cert(vec![certificate], key)
        .expect("they belong together");
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    listener.set_nonblocking(true).expect("it can be set");
    let port = listener.local_addr().expect("it listens").port();
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("it starts");
        runtime.block_on(pass_on(listener, TlsAcceptor::from(Arc::new(config)), server));
    });
    port
}

async fn pass_on(listener: std::net::TcpListener, acceptor: TlsAcceptor, server: String) {
    let listener = TcpListener::from_std(listener).expect("it listens");
    while let Ok((heard, _)) = listener.accept().await {
        let (acceptor, server) = (acceptor.clone(), server.clone());
        tokio::spawn(async move {
            // A client that does not believe us hangs up.
            let Ok(mut heard) = acceptor.accept(heard).await else { return };
            let mut passed = TcpStream::connect(server).await.expect("the server listens");
            let _ = tokio::io::copy_bidirectional(&mut heard, &mut passed).await;
        });
    }
}

#[test]
fn a_server_behind_tls_is_believed_when_its_authority_is_known() {
    let place = Place::new();
    let directory = Path::new(&place.path("x")).parent().expect("the place").to_owned();
    make_certificates(&directory);
    // It is asked under another name than its own, as behind any proxy.
    let server = place.serve_with(&["--insecure-no-auth"]);
    let port = begin_tls(&directory, server.url().trim_start_matches("http://").to_owned());
    let (url, wrong_name) = (format!("https://localhost:{port}"), format!("https://127.0.0.1:{port}"));
    let (ca, other) = (place.path("ca.pem"), place.path("other.pem"));
    let cli = Cli::offline();
    let model = place.file("add.bpmn", ADD);
    cli.run(&["deploy", &model, "--url", &url, "--ca", &ca]).ok();
    let key = cli.run(&["start", "add", "--url", &url, "--ca", &ca]).ok();
    assert!(cli.run(&["instances", "--url", &url, "--ca", &ca]).ok().contains(key.trim()));
    for (url, authority) in [(&url, Some(&other)), (&url, None), (&wrong_name, Some(&ca))] {
        let arguments = ["instances", "--url", url];
        let named = authority.map(|file| ["--ca", file]).unwrap_or_default();
        let named: Vec<&str> = named.into_iter().filter(|part| !part.is_empty()).collect();
        let refused = cli.run(&[&arguments[..], &named].concat());
        assert_eq!(refused.code, 2, "{}", refused.stderr);
        assert!(
            refused.stderr.contains("cannot be trusted") && refused.stderr.contains("--ca"),
            "{}",
            refused.stderr
        );
    }
    let no_authority = cli.run(&["instances", "--url", &url, "--ca", &model]);
    assert_eq!(no_authority.code, 2, "{}", no_authority.stderr);
    assert!(no_authority.stderr.contains("add.bpmn"), "{}", no_authority.stderr);
    assert_eq!(
        cli.run(&["instances", "--url", "https://localhost:1", "--ca", &ca]).code,
        3,
        "nobody is there"
    );
}
