//! The bytes of a connection: their arrival is noted on its slot, a client that takes no more of its answer is given
//! up, and one that was refused in the middle of its request still gets to read why.

use super::slots::{ConnectionSlot, Phase};
use hyper::rt::{Read, ReadBufCursor, Write};
use hyper_util::rt::TokioIo;
use std::future::poll_fn;
use std::io::{Error, ErrorKind, IoSlice, Result};
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard};
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;
use tokio::time::Sleep;

/// The time for which a refused client may go on sending before the connection is cut.
const LINGER_MAX: Duration = Duration::from_secs(10);
/// And how long it may be silent.
const LINGER_SILENCE_MAX: Duration = Duration::from_secs(2);
/// And how much it may send.
const LINGER_BYTES_MAX: usize = 256 << 20;
/// Pause between two looks for the end of what a client sends while bytes before it are not read yet.
const PEEK_EVERY: Duration = Duration::from_millis(100);

/// The socket of a connection, shared by hyper, which reads and writes, and by whoever must learn that the client has left.
/// All of them run in the task of the connection, so the lock is never waited for.
#[derive(Clone)]
pub(super) struct Socket(Arc<Mutex<TokioIo<TcpStream>>>);

impl Socket {
    pub(super) fn new(stream: TcpStream) -> Socket {
        Socket(Arc::new(Mutex::new(TokioIo::new(stream))))
    }

    /// Is done when the client has closed its side. A client that is gone looks the same.
    pub(super) async fn closed_by_client(&self) {
        loop {
            let mut byte = [0];
            let peeked = poll_fn(|cx| self.io().inner().poll_peek(cx, &mut ReadBuf::new(&mut byte))).await;
            match peeked {
                // Bytes that nobody has read hide the end behind them.
                Ok(count) if count > 0 => tokio::time::sleep(PEEK_EVERY).await,
                _ => return,
            }
        }
    }

    fn io(&self) -> MutexGuard<'_, TokioIo<TcpStream>> {
        self.0.lock().expect("nobody panics with it")
    }
}

pub(super) struct Stream {
    socket: Socket,
    slot: Arc<ConnectionSlot>,
    /// The time for which a client may take nothing of its answer.
    stall_max: Duration,
    stalled: Option<Pin<Box<Sleep>>>,
}

impl Stream {
    pub(super) fn new(socket: Socket, slot: Arc<ConnectionSlot>, stall_max: Duration) -> Stream {
        Stream { socket, slot, stall_max, stalled: None }
    }

    /// Closing a socket with unread bytes resets it, and the answer would be lost on the way. So the answer is ended
    /// first, and what still comes in is thrown away.
    pub(super) async fn linger(&mut self) {
        self.slot.enter(Phase::Leaving);
        // A client that is gone needs no end of its answer.
        let _ = poll_fn(|cx| Pin::new(self.socket.io().inner_mut()).poll_shutdown(cx)).await;
        let discard = async {
            let (mut buffer, mut discarded) = (vec![0; 16 << 10], 0);
            while discarded < LINGER_BYTES_MAX {
                let read = poll_fn(|cx| {
                    let mut buffer = ReadBuf::new(&mut buffer);
                    let read = Pin::new(self.socket.io().inner_mut()).poll_read(cx, &mut buffer);
                    read.map_ok(|()| buffer.filled().len())
                });
                match tokio::time::timeout(LINGER_SILENCE_MAX, read).await {
                    Ok(Ok(count)) if count > 0 => discarded += count,
                    _ => break,
                }
            }
        };
        let _ = tokio::time::timeout(LINGER_MAX, discard).await;
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
    fn poll_read(self: Pin<&mut Self>, cx: &mut Context<'_>, buffer: ReadBufCursor<'_>) -> Poll<Result<()>> {
        let read = Pin::new(&mut *self.socket.io()).poll_read(cx, buffer);
        if read.is_ready() {
            self.slot.received();
        }
        read
    }
}

impl Write for Stream {
    fn poll_write(mut self: Pin<&mut Self>, cx: &mut Context<'_>, bytes: &[u8]) -> Poll<Result<usize>> {
        let written = Pin::new(&mut *self.socket.io()).poll_write(cx, bytes);
        self.watched(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        pieces: &[IoSlice<'_>],
    ) -> Poll<Result<usize>> {
        let written = Pin::new(&mut *self.socket.io()).poll_write_vectored(cx, pieces);
        self.watched(cx, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.socket.io().is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        let flushed = Pin::new(&mut *self.socket.io()).poll_flush(cx);
        self.watched(cx, flushed)
    }

    fn poll_shutdown(self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Result<()>> {
        Pin::new(&mut *self.socket.io()).poll_shutdown(cx)
    }
}
