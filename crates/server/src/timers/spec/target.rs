//! Targets: whom a timer tells when it fires.

use super::fields::{FieldErrors, Fields};
use axum::http::{HeaderName, HeaderValue, Uri};
use serde_json::{Map, Value, json};

const URL_BYTES_MAX: usize = 2_048;
const HEADERS_MAX: usize = 32;
const HEADERS_BYTES_MAX: usize = 8_192;
const NAME_BYTES_MAX: usize = 256;
const TIMEOUT_MS: i64 = 10_000;
const TIMEOUT_MS_MAX: i64 = 120_000;
/// Timers that one call carries at most.
pub const BATCH_MAX: u32 = 1_000;
const TIME_TO_LIVE_MS_MAX: i64 = 366 * 86_400_000;
/// Headers that the sender sets itself, or that would change what is sent.
const OWN_HEADERS: [&str; 9] = [
    "host",
    "content-length",
    "content-type",
    "transfer-encoding",
    "connection",
    "upgrade",
    "expect",
    "te",
    "idempotency-key",
];

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TargetSpec {
    Http(HttpTarget),
    /// A message to a process, exactly once.
    Message(MessageTarget),
    /// The start of a process, exactly once.
    Process(ProcessTarget),
    /// The stream of the timer's namespace, which consumers read.
    Stream,
}

/// A callback: POST to a URL.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct HttpTarget {
    pub url: String,
    pub headers: Vec<(String, String)>,
    pub timeout_ms: u32,
    /// Timers that one call may carry; none for calls that carry one each.
    pub batch: Option<u32>,
    /// The name of the key that signs the calls.
    pub signing_key: Option<String>,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MessageTarget {
    pub name: String,
    pub correlation_key: String,
    pub time_to_live_ms: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessTarget {
    pub process_definition_id: String,
    /// The latest where none is given.
    pub version: Option<u32>,
}

#[derive(Clone, Copy)]
enum Kind {
    Http,
    Message,
    Process,
    Stream,
}

const KINDS: [(&str, Kind); 4] =
    [("http", Kind::Http), ("message", Kind::Message), ("process", Kind::Process), ("stream", Kind::Stream)];

impl TargetSpec {
    pub fn from_json(value: &Value, path: &str, errors: &mut FieldErrors) -> Option<TargetSpec> {
        let mut fields = Fields::of(value, path, errors)?;
        if value.get("type").is_none_or(Value::is_null) {
            fields.wrong("type", "Expected one of http, message, process, stream, but there is none");
            return None;
        }
        let target = match fields.one_of("type", &KINDS)? {
            Kind::Http => HttpTarget::read(&mut fields).map(TargetSpec::Http),
            Kind::Message => MessageTarget::read(&mut fields).map(TargetSpec::Message),
            Kind::Process => ProcessTarget::read(&mut fields).map(TargetSpec::Process),
            Kind::Stream => Some(TargetSpec::Stream),
        };
        fields.finish();
        target
    }

    pub fn to_json(&self) -> Value {
        match self {
            TargetSpec::Http(target) => target.to_json(),
            TargetSpec::Message(target) => json!({
                "type": "message",
                "name": target.name,
                "correlationKey": target.correlation_key,
                "timeToLive": target.time_to_live_ms,
            }),
            TargetSpec::Process(target) => json!({
                "type": "process",
                "processDefinitionId": target.process_definition_id,
                "version": target.version,
            }),
            TargetSpec::Stream => json!({"type": "stream"}),
        }
    }
}

impl HttpTarget {
    fn read(fields: &mut Fields<'_>) -> Option<HttpTarget> {
        let url = fields.required_text("url", URL_BYTES_MAX).filter(|url| match split_url(url) {
            Ok(_) => true,
            Err(reason) => {
                fields.wrong("url", reason);
                false
            }
        });
        let headers = read_headers(fields);
        let timeout_ms = fields.duration_ms("timeout", 1..=TIMEOUT_MS_MAX).unwrap_or(TIMEOUT_MS);
        let batch = fields.integer("batch", 1..=i64::from(BATCH_MAX));
        let signing_key = fields.text("signingKey", NAME_BYTES_MAX);
        let (timeout_ms, batch) = (timeout_ms as u32, batch.map(|batch| batch as u32));
        Some(HttpTarget { url: url?, headers, timeout_ms, batch, signing_key })
    }

    fn to_json(&self) -> Value {
        let headers: Map<String, Value> =
            self.headers.iter().map(|(name, value)| (name.clone(), value.clone().into())).collect();
        let mut shown =
            json!({"type": "http", "url": self.url, "headers": headers, "timeout": self.timeout_ms});
        if let Some(batch) = self.batch {
            shown["batch"] = batch.into();
        }
        if let Some(key) = &self.signing_key {
            shown["signingKey"] = key.as_str().into();
        }
        shown
    }
}

/// Scheme, host and port as one text, and the path with its query.
pub(super) fn split_url(url: &str) -> Result<(String, String), String> {
    let expected = "Expected a URL such as https://example.com/path";
    let uri: Uri = url.parse().map_err(|error| format!("{expected}, but it is '{url}': {error}"))?;
    let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority()) else {
        return Err(format!("{expected}, but it is '{url}'"));
    };
    if scheme != "http" && scheme != "https" {
        return Err(format!("{expected}, but its scheme is '{scheme}'"));
    }
    if authority.as_str().contains('@') {
        return Err("Expected a URL without a password; a header can carry it".to_owned());
    }
    if authority.host().is_empty() || authority.as_str().ends_with(':') || authority.port_u16() == Some(0) {
        return Err(format!("{expected}, but it is '{url}'"));
    }
    let origin = format!("{scheme}://{}", authority.as_str().to_ascii_lowercase());
    let path = uri.path_and_query().map_or("/", |path| path.as_str());
    Ok((origin, path.to_owned()))
}

fn read_headers(fields: &mut Fields<'_>) -> Vec<(String, String)> {
    let Some(value) = fields.value("headers") else { return Vec::new() };
    let Some(object) = value.as_object() else {
        fields.wrong("headers", "Expected an object with a text for each header");
        return Vec::new();
    };
    if object.len() > HEADERS_MAX {
        fields.wrong(
            "headers",
            format!("Expected at most {HEADERS_MAX} headers, but there are {}", object.len()),
        );
        return Vec::new();
    }
    let mut headers = Vec::new();
    for (name, value) in object {
        match header(name, value) {
            Ok(header) => headers.push(header),
            Err(reason) => fields.wrong(&format!("headers.{name}"), reason),
        }
    }
    let bytes: usize = headers.iter().map(|(name, value)| name.len() + value.len()).sum();
    if bytes > HEADERS_BYTES_MAX {
        fields.wrong(
            "headers",
            format!("Expected at most {HEADERS_BYTES_MAX} bytes of headers, but they have {bytes}"),
        );
    }
    headers
}

fn header(name: &str, value: &Value) -> Result<(String, String), String> {
    let Some(value) = value.as_str() else { return Err("Expected a text".to_owned()) };
    let known: HeaderName = name.parse().map_err(|_| "Expected the name of a header".to_owned())?;
    if OWN_HEADERS.contains(&known.as_str()) || known.as_str().starts_with("tidemill-") {
        return Err("Expected another header: this one is set with each call".to_owned());
    }
    if HeaderValue::from_str(value).is_err() {
        return Err("Expected a text without control characters".to_owned());
    }
    Ok((known.as_str().to_owned(), value.to_owned()))
}

impl MessageTarget {
    fn read(fields: &mut Fields<'_>) -> Option<MessageTarget> {
        let name = fields.required_text("name", NAME_BYTES_MAX);
        let correlation_key = fields.text("correlationKey", NAME_BYTES_MAX).unwrap_or_default();
        let time_to_live_ms = fields.duration_ms("timeToLive", 0..=TIME_TO_LIVE_MS_MAX).unwrap_or(0);
        Some(MessageTarget { name: name?, correlation_key, time_to_live_ms })
    }
}

impl ProcessTarget {
    fn read(fields: &mut Fields<'_>) -> Option<ProcessTarget> {
        let process_definition_id = fields.required_text("processDefinitionId", NAME_BYTES_MAX);
        let version = fields.integer("version", 1..=i64::from(i32::MAX)).map(|version| version as u32);
        Some(ProcessTarget { process_definition_id: process_definition_id?, version })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(value: Value) -> Result<TargetSpec, Vec<String>> {
        let mut errors = FieldErrors::default();
        let target = TargetSpec::from_json(&value, "target", &mut errors);
        target.filter(|_| errors.is_empty()).ok_or(errors.0.into_iter().map(|error| error.field).collect())
    }

    #[test]
    fn targets_are_read_and_shown() {
        for value in [
            json!({"type": "http", "url": "https://example.com/a?b", "headers": {"x-a": "b"}, "timeout": 500,
                "batch": 100, "signingKey": "main"}),
            json!({"type": "message", "name": "paid", "correlationKey": "7", "timeToLive": 0}),
            json!({"type": "process", "processDefinitionId": "order", "version": 3}),
            json!({"type": "stream"}),
        ] {
            assert_eq!(read(value.clone()).expect("valid").to_json(), value);
        }
    }

    #[test]
    fn wrong_members_are_named() {
        let wrong = |value: Value| read(value).expect_err("refused").join(" ");
        assert_eq!(wrong(json!("http://x")), "target");
        assert_eq!(wrong(json!({})), "target.type");
        assert_eq!(wrong(json!({"type": "mail"})), "target.type");
        assert_eq!(
            wrong(json!({"type": "http", "timeout": "PT0S", "batch": 1_001, "url": 7, "ttl": 1})),
            "target.url target.timeout target.batch target.ttl"
        );
        assert_eq!(
            wrong(json!({"type": "http", "url": "http://x", "headers":
                {"Host": "y", "a b": "c", "x": "1\r\n2", "idempotency-key": "1", "y": 1}})),
            "target.headers.Host target.headers.a b target.headers.idempotency-key target.headers.x target.headers.y"
        );
        assert_eq!(wrong(json!({"type": "message"})), "target.name");
        assert_eq!(
            wrong(json!({"type": "process", "version": 0})),
            "target.processDefinitionId target.version"
        );
    }

    #[test]
    fn only_plain_web_addresses_are_taken() {
        for url in [
            "ftp://example.com/",
            "example.com/path",
            "/path",
            "http://",
            "http:///path",
            "http://user:password@example.com/",
            "http://example.com:0/",
            "http://example.com:/",
            "http://exa mple.com/",
            "file:///etc/passwd",
        ] {
            assert!(split_url(url).is_err(), "{url}");
        }
        let split = split_url("HTTPS://Example.COM:8443/a/b?c=d").expect("valid");
        assert_eq!(split, ("https://example.com:8443".to_owned(), "/a/b?c=d".to_owned()));
        assert_eq!(split_url("http://[::1]:80").expect("valid").1, "/");
    }
}
