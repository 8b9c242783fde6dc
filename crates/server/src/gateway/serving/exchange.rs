//! A request and its answer as bodies that note on the slot of their connection how far they are.

use super::slots::{ConnectionSlot, Phase};
use axum::body::Body;
use bytes::Bytes;
use hyper::body::{Body as HttpBody, Frame, Incoming, SizeHint};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

/// The body of a request on its way in.
pub(super) struct Arriving {
    body: Incoming,
    slot: Arc<ConnectionSlot>,
}

impl Arriving {
    pub(super) fn new(body: Incoming, slot: Arc<ConnectionSlot>) -> Arriving {
        slot.enter(if body.is_end_stream() { Phase::Busy } else { Phase::Body });
        Arriving { body, slot }
    }
}

impl HttpBody for Arriving {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        let frame = Pin::new(&mut self.body).poll_frame(cx);
        if matches!(frame, Poll::Ready(None)) || (frame.is_ready() && self.body.is_end_stream()) {
            self.slot.enter(Phase::Busy);
        }
        frame
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if !self.body.is_end_stream() {
            self.slot.leave_unread();
        }
    }
}

/// The body of an answer on its way out.
pub(super) struct Answering {
    body: Body,
    slot: Arc<ConnectionSlot>,
}

impl Answering {
    pub(super) fn new(body: Body, slot: Arc<ConnectionSlot>) -> Answering {
        slot.enter(Phase::Busy);
        Answering { body, slot }
    }
}

impl HttpBody for Answering {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.slot.enter(Phase::Idle);
    }
}
