//! Connections: so many at once, none that only pretends to send, and all of them ended when the server stops.

use super::GatewayConfig;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::service::TowerToHyperService;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tower::ServiceExt;

/// Pause after the system could not give a connection, such as without file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// Serves connections until `stop` is done and open requests have their answers.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    config: &GatewayConfig,
    stop: impl Future<Output = ()>,
) {
    let places = Arc::new(Semaphore::new(config.connections_max));
    // Every connection holds a receiver: it learns of the stop, and its end is seen.
    let (stopping, is_stopping) = watch::channel(false);
    let mut stop = pin!(stop);
    loop {
        let (stream, peer, place) = tokio::select! {
            () = &mut stop => break,
            next = next(&listener, &places) => next,
        };
        let connection = connection(stream, peer, router.clone(), config.header_timeout, is_stopping.clone());
        tokio::spawn(async move {
            connection.await;
            drop(place);
        });
    }
    drop((listener, is_stopping));
    stopping.send_replace(true);
    stopping.closed().await;
}

/// The next connection. While all places are taken, the system keeps the newcomers waiting.
async fn next(
    listener: &TcpListener,
    places: &Arc<Semaphore>,
) -> (TcpStream, SocketAddr, OwnedSemaphorePermit) {
    let place = Arc::clone(places).acquire_owned().await.expect("nobody closes it");
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => return (stream, peer, place),
            Err(error) if is_of_the_peer(error.kind()) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                tokio::time::sleep(ACCEPT_PAUSE).await;
            }
        }
    }
}

fn is_of_the_peer(kind: ErrorKind) -> bool {
    matches!(kind, ErrorKind::ConnectionRefused | ErrorKind::ConnectionAborted | ErrorKind::ConnectionReset)
}

async fn connection(
    stream: TcpStream,
    peer: SocketAddr,
    router: Router,
    header_timeout: Duration,
    mut is_stopping: watch::Receiver<bool>,
) {
    // Answers are small and complete: waiting for more bytes would only delay them.
    let _ = stream.set_nodelay(true);
    let service = router.map_request(move |request: hyper::Request<Incoming>| {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(ConnectInfo(peer));
        request
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(header_timeout)
        .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
    let mut served = pin!(served);
    let told_to_stop = async {
        // A sender that is gone means the same.
        let _ = is_stopping.wait_for(|stops| *stops).await;
    };
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = told_to_stop => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::trace!(%error, %peer, "a connection broke");
    }
}
