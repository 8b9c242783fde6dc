//! Spans as an OTLP document: ids in hexadecimal, 64-bit numbers as texts, as its JSON form wants them.

use super::Span;
use serde_json::{Value, json};

const ERROR: u8 = 2;
pub(super) const SCOPE: &str = "tidemill";

pub(super) fn document(resource: &[(String, String)], spans: &[Span]) -> Value {
    let spans: Vec<Value> = spans.iter().map(span).collect();
    json!({"resourceSpans": [{
        "resource": {"attributes": attributes(resource)},
        "scopeSpans": [{"scope": scope(), "spans": spans}],
    }]})
}

pub(super) fn scope() -> Value {
    json!({"name": SCOPE, "version": env!("CARGO_PKG_VERSION")})
}

pub(super) fn attributes<N: AsRef<str>>(pairs: &[(N, String)]) -> Vec<Value> {
    let attribute =
        |(name, value): &(N, String)| json!({"key": name.as_ref(), "value": {"stringValue": value}});
    pairs.iter().map(attribute).collect()
}

fn span(span: &Span) -> Value {
    let mut document = json!({
        "traceId": format!("{:032x}", span.context.trace_id),
        "spanId": format!("{:016x}", span.context.span_id),
        "name": span.name,
        "kind": span.kind as u8,
        "startTimeUnixNano": span.began.to_string(),
        "endTimeUnixNano": span.ended.max(span.began).to_string(),
        "attributes": attributes(&span.attributes),
    });
    if let Some(parent) = span.parent {
        document["parentSpanId"] = format!("{:016x}", parent.span_id).into();
    }
    if let Some(error) = &span.error {
        document["status"] = json!({"code": ERROR, "message": error});
    }
    document
}

#[cfg(test)]
mod tests {
    use super::super::{SpanContext, SpanKind};
    use super::*;

    #[test]
    fn a_span_is_written_as_otlp_wants_it() {
        let context = SpanContext { trace_id: 0xabc, span_id: 7, is_sampled: true };
        let span = Span {
            context: SpanContext { span_id: 8, ..context },
            parent: Some(context),
            name: "commit".to_owned(),
            kind: SpanKind::Internal,
            began: 1_700_000_000_000_000_001,
            ended: 1_700_000_000_000_000_002,
            attributes: vec![("tidemill.partition", "3".to_owned())],
            error: Some("refused".to_owned()),
        };
        let resource = [("service.name".to_owned(), "tidemill".to_owned())];
        let document = document(&resource, &[span]);
        let resource = &document["resourceSpans"][0]["resource"]["attributes"][0];
        assert_eq!(*resource, json!({"key": "service.name", "value": {"stringValue": "tidemill"}}));
        let expected = json!({
            "traceId": "00000000000000000000000000000abc",
            "spanId": "0000000000000008",
            "parentSpanId": "0000000000000007",
            "name": "commit",
            "kind": 1,
            "startTimeUnixNano": "1700000000000000001",
            "endTimeUnixNano": "1700000000000000002",
            "attributes": [{"key": "tidemill.partition", "value": {"stringValue": "3"}}],
            "status": {"code": 2, "message": "refused"},
        });
        assert_eq!(document["resourceSpans"][0]["scopeSpans"][0]["spans"][0], expected);
    }
}
