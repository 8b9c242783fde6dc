//! The place of a span in its trace, and its form in headers (W3C Trace Context).

use axum::http::HeaderMap;
use std::future::Future;

pub(crate) const TRACEPARENT: &str = "traceparent";
const SAMPLED: u8 = 1;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct SpanContext {
    pub(crate) trace_id: u128,
    pub(crate) span_id: u64,
    pub(crate) is_sampled: bool,
}

impl SpanContext {
    /// None for what is no context of a version that we know: a new trace begins then.
    pub(crate) fn parse(header: &str) -> Option<SpanContext> {
        let mut parts = header.trim().split('-');
        let (version, trace_id, span_id, flags) =
            (parts.next()?, parts.next()?, parts.next()?, parts.next()?);
        let is_lower_hex = |part: &str| part.bytes().all(|b| matches!(b, b'0'..=b'9' | b'a'..=b'f'));
        let lengths = (version.len(), trace_id.len(), span_id.len(), flags.len());
        // Later versions may add parts, which is no reason to lose the trace.
        let has_end = version != "00" || parts.next().is_none();
        let is_formed = lengths == (2, 32, 16, 2)
            && [version, trace_id, span_id, flags].into_iter().all(is_lower_hex)
            && version != "ff"
            && has_end;
        if !is_formed {
            return None;
        }
        let context = SpanContext {
            trace_id: u128::from_str_radix(trace_id, 16).ok()?,
            span_id: u64::from_str_radix(span_id, 16).ok()?,
            is_sampled: u8::from_str_radix(flags, 16).ok()? & SAMPLED != 0,
        };
        (context.trace_id != 0 && context.span_id != 0).then_some(context)
    }

    pub(crate) fn of(headers: &HeaderMap) -> Option<SpanContext> {
        SpanContext::parse(headers.get(TRACEPARENT)?.to_str().ok()?)
    }

    pub(crate) fn header(&self) -> String {
        format!("00-{:032x}-{:016x}-{:02x}", self.trace_id, self.span_id, u8::from(self.is_sampled))
    }
}

tokio::task_local! {
    static CURRENT: SpanContext;
}

/// The span of the request that this task works on.
pub(crate) fn current() -> Option<SpanContext> {
    CURRENT.try_with(|context| *context).ok()
}

/// Runs a future as part of a span.
pub(crate) async fn within<F: Future>(context: SpanContext, future: F) -> F::Output {
    CURRENT.scope(context, future).await
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

    #[test]
    fn a_header_is_read_and_written() {
        let context = SpanContext::parse(GIVEN).expect("a context");
        assert!(context.is_sampled);
        assert_eq!(context.header(), GIVEN);
        let unsampled = SpanContext::parse(&GIVEN.replace("-01", "-00")).expect("a context");
        assert!(!unsampled.is_sampled);
        assert!(SpanContext::parse(&format!("{}-more", GIVEN.replacen("00", "01", 1))).is_some());
    }

    #[test]
    fn what_is_no_context_begins_a_new_trace() {
        let wrong = [
            "",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-x",
            "00-é-00f067aa0ba902b7-01",
        ];
        for header in wrong {
            assert_eq!(SpanContext::parse(header), None, "{header}");
        }
    }
}
