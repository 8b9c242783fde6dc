//! Addresses that callbacks may not reach, and how receivers know who calls.

use crate::receiver::{Receiver, Reply};
use crate::world::{World, allowed, http, soon};
use axum::body::Body;
use axum::http::Response;
use ring::hmac;
use serde_json::json;
use tidemill_server::timers::deliver::{CallbackSettings, SIGNATURE_HEADER};

#[tokio::test(flavor = "multi_thread")]
async fn addresses_of_this_machine_are_refused_whatever_they_are_called() {
    let receiver = Receiver::healthy().await;
    let world = World::with(allowed(&[])).await;
    let port = receiver.port;
    for host in ["127.0.0.1", "localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "2130706433", "0x7f.1"] {
        world.fire(http(&format!("http://{host}:{port}/")), soon(1), 1).await;
    }
    world.until_settled().await;
    assert_eq!(receiver.calls(), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_is_allowed_is_open() {
    let (open, closed) = (Receiver::healthy().await, Receiver::healthy().await);
    let world = World::with(allowed(&[&format!("localhost:{}", open.port)])).await;
    let by_name = |receiver: &Receiver| http(&format!("http://localhost:{}/", receiver.port));
    world.fire(by_name(&closed), soon(1), 1).await;
    world.fire(http(&open.origin), soon(1), 1).await;
    world.fire(by_name(&open), soon(1), 1).await;
    let told = open.until(1).await;
    world.until_settled().await;
    assert_eq!((open.calls(), closed.calls()), (1, 0));
    assert!(told[0].header("host").starts_with("localhost"));
}

#[tokio::test(flavor = "multi_thread")]
async fn redirects_are_not_followed() {
    let secret = Receiver::healthy().await;
    let location = format!("{}/inner", secret.origin);
    let receiver = Receiver::start(move |_, _| {
        let redirect = Response::builder().status(307).header("location", &location).body(Body::empty());
        Reply::With(redirect.expect("valid"))
    })
    .await;
    let world = World::new().await;
    world.fire(http(&receiver.origin), soon(2), 1).await;
    receiver.until(2).await;
    world.until_settled().await;
    assert_eq!((receiver.calls(), secret.calls()), (2, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn calls_are_signed_by_each_secret_of_their_key() {
    let home = tempfile::tempdir().expect("a directory");
    let file = home.path().join("keys.json");
    let secrets = ["the-newest-secret", "the-secret-before"];
    std::fs::write(&file, json!({"main": secrets}).to_string()).expect("written");
    let receiver = Receiver::healthy().await;
    let world = World::with(CallbackSettings { keys: Some(file), ..allowed(&["127.0.0.1"]) }).await;
    let mut target = http(&receiver.origin);
    target["signingKey"] = json!("main");
    world.fire(target.clone(), soon(1), 1).await;
    let told = receiver.until(1).await.remove(0);
    let mut parts = told.header(SIGNATURE_HEADER).split(',');
    let time = parts.next().and_then(|part| part.strip_prefix("t=")).expect("the time");
    let signed = format!("{time}.{}", told.text);
    for secret in secrets {
        let signature = parts.next().and_then(|part| part.strip_prefix("v1=")).expect("a signature");
        let bytes: Vec<u8> = (0..signature.len() / 2)
            .map(|nth| u8::from_str_radix(&signature[2 * nth..2 * nth + 2], 16).expect("hexadecimal"))
            .collect();
        let key = hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes());
        hmac::verify(&key, signed.as_bytes(), &bytes).expect("the signature holds");
    }
    target["signingKey"] = json!("unknown");
    world.fire(target, soon(1), 1).await;
    world.until_settled().await;
    assert_eq!(receiver.calls(), 1, "nobody is called without the signature that was asked for");
}
