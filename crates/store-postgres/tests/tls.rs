//! TLS as libpq users know it.

mod support;

use std::path::Path;
use std::process::Command;
use support::fresh;
use tidemill_store_conformance::postgres::PostgresServer;
use tidemill_store_postgres::{Options, PostgresStore};

fn openssl(directory: &Path, arguments: &str) {
    let output = Command::new("openssl")
        .args(arguments.split(' '))
        .current_dir(directory)
        .output()
        .expect("openssl runs");
    assert!(output.status.success(), "{arguments}: {}", String::from_utf8_lossy(&output.stderr));
}

/// An authority, and a certificate of it for `localhost` but not for `127.0.0.1`.
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

async fn opens(server: &PostgresServer, host: &str, parameters: &str) -> Result<(), String> {
    let url = format!("postgres://postgres@{host}:{}/postgres?{parameters}", server.port());
    let opened = PostgresStore::open(&Options { url, ..fresh() }).await;
    opened.map(drop).map_err(|error| error.to_string())
}

#[tokio::test(flavor = "multi_thread")]
async fn servers_are_trusted_as_far_as_was_asked() {
    let plain = PostgresServer::start(&["fsync=off"]);
    assert!(opens(&plain, "127.0.0.1", "sslmode=prefer").await.is_ok());
    assert!(opens(&plain, "127.0.0.1", "sslmode=require").await.is_err(), "it has no TLS");

    let directory = plain.directory().to_owned();
    make_certificates(&directory);
    plain.stop();
    let owner = std::fs::metadata(&directory).expect("there");
    let owner = (std::os::unix::fs::MetadataExt::uid(&owner), std::os::unix::fs::MetadataExt::gid(&owner));
    std::os::unix::fs::chown(directory.join("server.key"), Some(owner.0), Some(owner.1)).expect("its own");
    let at = |name: &str| directory.join(name).display().to_string();
    let server = plain.with_settings(&[
        "fsync=off",
        "ssl=on",
        &format!("ssl_cert_file={}", at("server.pem")),
        &format!("ssl_key_file={}", at("server.key")),
    ]);
    let (ca, other) = (at("ca.pem"), at("other.pem"));
    for (host, parameters, is_trusted) in [
        ("127.0.0.1", "sslmode=disable".to_owned(), true),
        ("127.0.0.1", "sslmode=prefer".to_owned(), true),
        ("127.0.0.1", "sslmode=require".to_owned(), true),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={ca}"), true),
        ("127.0.0.1", format!("sslmode=verify-ca&sslrootcert={other}"), false),
        ("localhost", format!("sslmode=verify-full&sslrootcert={ca}"), true),
        ("127.0.0.1", format!("sslmode=verify-full&sslrootcert={ca}"), false),
        ("localhost", format!("sslmode=verify-full&sslrootcert={other}"), false),
    ] {
        let opened = opens(&server, host, &parameters).await;
        assert_eq!(opened.is_ok(), is_trusted, "{host} {parameters}: {opened:?}");
    }
}
