//! The bytes of a connection: their arrival is noted on its seat, a client that takes no more of its answer is given
//! up, and one that was refused in the middle of its request still gets to read why.

use super::seats::{Phase, Seat};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// How long a refused client may go on sending before the connection is cut.
const LINGER_MAX: Duration = Duration::from_secs(10);
/// And how long it may be silent.
const LINGER_SILENCE_MAX: Duration = Duration::from_secs(2);
/// And how much it may send.
const LINGER_BYTES_MAX: usize = 256 << 20;

pub(super) struct Stream {
    inner: TokioIo<TcpStream>,
    seat: Arc<Seat>,
    /// How long a client may take nothing of what is there for it.
    stall_max: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    pub(super) fn new(stream: TcpStream, seat: Arc<Seat>, stall_max: Duration) -> Stream {
        Stream { inner: TokioIo::new(stream), seat, stall_max, stalled: None }
    }

    /// Closing a socket with unread bytes resets it, and the answer would be lost on the way. So the answer is ended
    /// first, and what still comes in is thrown away.
    pub(super) async fn linger(&mut self) {
        self.seat.enter(Phase::Leaving);
        let stream = self.inner.inner_mut();
        // Who is gone needs no farewell.
        let _ = stream.shutdown().await;
        let discard = async {
            let (mut buffer, mut discarded) = (vec![0; 16 << 10], 0);
            while discarded < LINGER_BYTES_MAX {
                match tokio::time::timeout(LINGER_SILENCE_MAX, stream.read(&mut buffer)).await {
                    Ok(Ok(count)) if count > 0 => discarded += count,
                    _ => break,
                }
            }
        };
        let _ = tokio::time::timeout(LINGER_MAX, discard).await;
    }

    /// Whether the client has said that it sends no more. A client that is gone says the same.
    fn is_at_end(&self, cx: &mut Context<'_>) -> bool {
        let mut byte = [0];
        let peeked = self.inner.inner().poll_peek(cx, &mut ReadBuf::new(&mut byte));
        matches!(peeked, Poll::Ready(Ok(0)))
    }

    /// Counts the time in which nothing can be written.
    fn watched<T>(&mut self, cx: &mut Context<'_>, written: Poll<Result<T>>) -> Poll<Result<T>> {
        if written.is_ready() {
            self.stalled = None;
            return written;
        }
        let stall_max = self.stall_max;
        let stalled = self.stalled.get_or_insert_with(|| Box::pin(tokio::time::sleep(stall_max)));
        match stalled.as_mut().poll(cx) {
            Poll::Ready(()) => Poll::Ready(Err(Error::from(ErrorKind::TimedOut))),
            Poll::Pending => Poll::Pending,
        }
    }
}

impl Read for Stream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: ReadBufCursor<'_>,
    ) -> Poll<Result<()>> {
        if self.seat.outlasts_client() && self.is_at_end(cx) {
            // It is told to hyper after the answer; before that hyper would drop the request.
            return Poll::Pending;
        }
        let read = Pin::new(&mut self.inner).poll_read(cx, buffer);
        if read.is_ready() {
            self.seat.received();
        }
        read
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut self.inner).poll_write_vectored(cx, pieces);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.inner.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut self.inner).poll_flush(cx);
        self.watched(cx, flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut self.inner).poll_shutdown(cx)
    }
}
