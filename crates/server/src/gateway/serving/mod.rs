//! Connections: so many at once, none that only pretends to send, and all of them ended when the server stops.

mod exchange;
mod slots;
mod stream;

use super::GatewayConfig;
use super::problem::Problem;
use axum::Router;
use axum::body::Body;
use axum::extract::ConnectInfo;
use axum::http::header;
use axum::response::Response;
use exchange::{Answering, Arriving};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioTimer;
use slots::{ConnectionSlots, HeldSlot};
use std::io::{Error, ErrorKind};
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use stream::{Socket, Stream};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tower::ServiceExt;

/// Pause after the system could not give a connection, such as without file descriptors.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);
/// Between two looks at who takes too long; less where the time for a head is shorter.
const SWEEP_EVERY: Duration = Duration::from_secs(1);
/// Of the head of a request; longer ones get 431.
const HEAD_BYTES_MAX: usize = 64 << 10;
/// Jobs must not be handed to a worker that has left. A worker that only sends no more looks the same, so a worker that
/// closes its side gives up. Every other client may close its side and still gets its answer.
const ENDS_WITH_CLIENT: &str = "/v2/jobs/activation";
/// Paths that are answered while every slot is taken.
const HEALTH_PATHS: [&str; 2] = ["/healthz", "/readyz"];

/// The rules for every connection.
struct ServingRules {
    router: Router,
    idle_timeout: Duration,
    stall_max: Duration,
}

/// Serves connections until `stop` is done and open requests have their answers.
pub(super) async fn serve(
    listener: TcpListener,
    router: Router,
    config: &GatewayConfig,
    stop: impl Future<Output = ()>,
) {
    let rules = Arc::new(ServingRules {
        router,
        idle_timeout: config.idle_timeout.max(config.header_timeout),
        stall_max: config.stall_timeout,
    });
    let slots = ConnectionSlots::new(config.connections_max);
    // Every connection holds a receiver: it learns of the stop, and its end is seen.
    let (stopping, is_stopping) = watch::channel(false);
    let mut sweep =
        tokio::time::interval(SWEEP_EVERY.min(config.header_timeout / 4 + Duration::from_millis(1)));
    let mut stop = pin!(stop);
    loop {
        let (stream, peer) = tokio::select! {
            () = &mut stop => break,
            _ = sweep.tick() => {
                slots.sweep(config.header_timeout);
                continue;
            }
            next = next(&listener, &slots) => next,
        };
        let Some(held) = slots.take(peer.ip()) else { continue };
        tokio::spawn(connection(stream, peer, held, Arc::clone(&rules), is_stopping.clone()));
    }
    drop((listener, is_stopping));
    stopping.send_replace(true);
    stopping.closed().await;
}

async fn next(listener: &TcpListener, slots: &ConnectionSlots) -> (TcpStream, SocketAddr) {
    loop {
        match listener.accept().await {
            Ok(next) => return next,
            Err(error) if is_of_the_peer(error.kind()) => {}
            Err(error) => {
                tracing::warn!(%error, "cannot accept connections");
                slots.make_room();
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
    held: HeldSlot,
    rules: Arc<ServingRules>,
    mut is_stopping: watch::Receiver<bool>,
) {
    // Answers are small and complete: waiting for more bytes would only delay them.
    let _ = stream.set_nodelay(true);
    let slot = &held.slot;
    let socket = Socket::new(stream);
    let mut stream = Stream::new(socket.clone(), Arc::clone(slot), rules.stall_max);
    let service = service_fn(async |request: hyper::Request<Incoming>| {
        let ends_with_client = request.uri().path() == ENDS_WITH_CLIENT;
        tokio::select! {
            answer = answer(&rules, &held, peer, request) => Ok(answer),
            () = socket.closed_by_client(), if ends_with_client => Err(Error::from(ErrorKind::ConnectionAborted)),
        }
    });
    let served = http1::Builder::new()
        .timer(TokioTimer::new())
        .half_close(true)
        .header_read_timeout(rules.idle_timeout)
        .max_buf_size(HEAD_BYTES_MAX)
        .serve_connection(&mut stream, service);
    let mut served = Box::pin(served);
    let told_to_stop = async {
        // A sender that is gone means the same.
        let _ = is_stopping.wait_for(|stops| *stops).await;
    };
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = slot.told_to_go() => return,
        () = told_to_stop => {
            served.as_mut().graceful_shutdown();
            served.as_mut().await
        }
    };
    drop(served);
    if let Err(error) = &ended {
        tracing::trace!(%error, %peer, "a connection broke");
    }
    let has_unread = slot.has_unread() || ended.is_err_and(|error| error.is_parse());
    if has_unread && !*is_stopping.borrow() {
        tokio::select! {
            () = stream.linger() => {}
            () = slot.told_to_go() => {}
        }
    }
}

async fn answer(
    rules: &ServingRules,
    held: &HeldSlot,
    peer: SocketAddr,
    request: hyper::Request<Incoming>,
) -> Response {
    let slot = &held.slot;
    let mut request = request.map(|body| Body::new(Arriving::new(body, Arc::clone(slot))));
    request.extensions_mut().insert(ConnectInfo(peer));
    let response = match slot.is_reserved && !HEALTH_PATHS.contains(&request.uri().path()) {
        true => no_slot(request.uri().path()),
        false => rules.router.clone().oneshot(request).await.unwrap_or_else(|never| match never {}),
    };
    response.map(|body| Body::new(Answering::new(body, Arc::clone(slot))))
}

fn no_slot(path: &str) -> Response {
    let detail = "Expected a free connection, but the server has as many as it may have. Try again later";
    let mut response = Problem::overloaded(detail).into_response(path);
    response.headers_mut().insert(header::CONNECTION, header::HeaderValue::from_static("close"));
    response
}
