//! Request bodies on their way into memory: no larger than allowed, no more at once than there is memory for, none that
//! comes so slowly that it only takes the room of others.

use super::GatewayConfig;
use super::problem::Problem;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use bytes::Bytes;
use http_body_util::BodyExt;
use hyper::body::Body as _;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::Instant;

/// Up to here a body counts as small: ordinary commands never wait for large uploads.
const SMALL_BYTES_MAX: usize = 64 << 10;
/// Room is given in pieces of this size.
const PIECE_BYTES: usize = 1 << 10;
/// The room that a body of unknown length asks for at a time.
const STEP_BYTES: usize = 1 << 20;
/// The time for which a sender may be slow in all, beyond the time that its bytes take at the least rate.
const GRACE: Duration = Duration::from_secs(10);

/// The memory for bodies that were read, or are being read.
pub(super) struct BodyRoom {
    /// A quarter, for small bodies only.
    small: Arc<Semaphore>,
    large: Arc<Semaphore>,
    large_bytes: usize,
    wait_max: Duration,
    timeout: Duration,
    bytes_per_second_min: usize,
}

/// A body that was read, with its share of the room until it is dropped.
pub(crate) struct ReadBody {
    pub(crate) bytes: Bytes,
    pub(crate) share: Share,
}

#[derive(Default)]
pub(crate) struct Share(Vec<OwnedSemaphorePermit>);

impl BodyRoom {
    pub(super) fn new(config: &GatewayConfig) -> BodyRoom {
        // One body of the largest size must fit, or it could never be sent.
        let largest = config.deployment_bytes_max.max(config.body_bytes_max) + STEP_BYTES;
        let small_bytes = (config.body_room_bytes / 4).max(SMALL_BYTES_MAX);
        let large_bytes = (config.body_room_bytes - config.body_room_bytes / 4).max(largest);
        BodyRoom {
            small: Arc::new(Semaphore::new(pieces(small_bytes))),
            large: Arc::new(Semaphore::new(pieces(large_bytes))),
            large_bytes,
            wait_max: config.body_room_wait,
            timeout: config.body_timeout,
            bytes_per_second_min: config.body_bytes_per_second_min.max(1),
        }
    }

    /// Reads a body of at most `limit` bytes.
    pub(super) async fn read(
        &self,
        headers: &HeaderMap,
        body: Body,
        limit: usize,
    ) -> Result<ReadBody, Problem> {
        let mut share = Share::default();
        if body.is_end_stream() {
            return Ok(ReadBody { bytes: Bytes::new(), share });
        }
        let declared: Option<usize> =
            headers.get(header::CONTENT_LENGTH).and_then(|length| length.to_str().ok()?.parse().ok());
        if declared.is_some_and(|length| length > limit) {
            return Err(too_large(limit));
        }
        self.grant(&mut share, declared.unwrap_or(SMALL_BYTES_MAX)).await?;
        let bytes = self.receive(body, declared, limit, &mut share).await?;
        Ok(ReadBody { bytes, share })
    }

    async fn receive(
        &self,
        mut body: Body,
        declared: Option<usize>,
        limit: usize,
        share: &mut Share,
    ) -> Result<Bytes, Problem> {
        let began = Instant::now();
        let mut granted = declared.unwrap_or(SMALL_BYTES_MAX);
        let mut received: Vec<u8> = Vec::new();
        loop {
            let frame = tokio::time::timeout_at(self.due(began, received.len()), body.frame()).await;
            let Some(frame) = frame.map_err(|_| self.too_slow(received.len()))? else { break };
            let frame =
                frame.map_err(|error| Problem::bad_request(format!("The body broke off: {error}")))?;
            let Ok(data) = frame.into_data() else { continue };
            let length = received.len() + data.len();
            if length > limit {
                return Err(too_large(limit));
            }
            if received.is_empty() && body.is_end_stream() {
                return Ok(data);
            }
            if length > granted {
                self.grant(share, STEP_BYTES.max(length - granted)).await?;
                granted += STEP_BYTES.max(length - granted);
            }
            if received.is_empty() {
                received.reserve_exact(declared.unwrap_or(0).max(data.len()));
            }
            received.extend_from_slice(&data);
        }
        Ok(Bytes::from(received))
    }

    /// Waits for room. A small body asks for all of its room at once, from a part of its own, so it never waits for a body that waits for more.
    async fn grant(&self, share: &mut Share, bytes: usize) -> Result<(), Problem> {
        let room = if share.0.is_empty() && bytes <= SMALL_BYTES_MAX { &self.small } else { &self.large };
        let wanted = u32::try_from(pieces(bytes)).unwrap_or(u32::MAX);
        let permit = match Arc::clone(room).try_acquire_many_owned(wanted) {
            Ok(permit) => permit,
            Err(_) => {
                let granted =
                    tokio::time::timeout(self.wait_max, Arc::clone(room).acquire_many_owned(wanted)).await;
                granted.ok().and_then(Result::ok).ok_or_else(|| self.no_room())?
            }
        };
        share.0.push(permit);
        Ok(())
    }

    fn due(&self, began: Instant, received: usize) -> Instant {
        let at_least_rate = Duration::from_secs_f64(received as f64 / self.bytes_per_second_min as f64);
        began + (GRACE + at_least_rate).min(self.timeout)
    }

    fn no_room(&self) -> Problem {
        Problem::overloaded(format!(
            "Expected room for the request body, but larger bodies fill the {} bytes that the server has for them. \
             Try again later, or give the server more (--body-memory)",
            self.large_bytes
        ))
    }

    fn too_slow(&self, received: usize) -> Problem {
        let (timeout, rate) = (self.timeout, self.bytes_per_second_min);
        let detail = format!(
            "Expected the request body within {timeout:?} and at {rate} bytes a second, but it takes longer: \
             {received} bytes have come"
        );
        Problem::new(StatusCode::REQUEST_TIMEOUT, "Request Timeout", detail)
    }
}

fn pieces(bytes: usize) -> usize {
    bytes.div_ceil(PIECE_BYTES).clamp(1, Semaphore::MAX_PERMITS)
}

fn too_large(limit: usize) -> Problem {
    let detail = format!("Expected a request body of at most {limit} bytes, but it is larger");
    Problem::new(StatusCode::PAYLOAD_TOO_LARGE, "Payload Too Large", detail).with("limitBytes", limit)
}
