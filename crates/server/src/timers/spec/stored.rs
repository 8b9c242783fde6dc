//! A target as the stores keep it: once for all timers that share it. Values that differ from timer to timer
//! travel in the envelope, so that a path or a correlation key for each timer does not make a target for each.

use super::bytes::{Malformed, Reader, Writer, malformed};
use super::envelope::Envelope;
use super::lane::{callback_lane, stream_lane};
use super::retry::RetryPolicy;
use super::target::{HttpTarget, MessageTarget, ProcessTarget, TargetSpec, split_url};
use tidemill_timers::block::Scope;
use tidemill_timers::shard::{LANE_OF_COMMANDS, Target};

const VERSION: u8 = 1;

#[derive(Clone, PartialEq, Debug)]
pub struct StoredTarget {
    pub scope: Scope,
    pub address: TargetAddress,
    pub retry: RetryPolicy,
}

/// The part of a target that many timers share.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum TargetAddress {
    Http {
        /// Scheme, host and port.
        origin: String,
        /// Of batches; single calls bring theirs.
        path: Option<String>,
        headers: Vec<(String, String)>,
        timeout_ms: u32,
        batch: Option<u32>,
        signing_key: Option<String>,
    },
    Message {
        name: String,
        time_to_live_ms: i64,
    },
    Process {
        process_definition_id: String,
        version: Option<u32>,
    },
    Stream,
}

impl StoredTarget {
    /// Parts a target into what is stored once and what goes with the timer.
    pub fn split(scope: &Scope, spec: &TargetSpec, retry: RetryPolicy) -> (StoredTarget, Envelope) {
        let mut envelope = Envelope::default();
        let address = match spec {
            TargetSpec::Http(target) => {
                let (origin, path) =
                    split_url(&target.url).unwrap_or_else(|_| (target.url.clone(), String::new()));
                let path = match target.batch {
                    Some(_) => Some(path),
                    None => {
                        envelope.path = Some(path).filter(|path| path != "/");
                        None
                    }
                };
                TargetAddress::Http {
                    origin,
                    path,
                    headers: target.headers.clone(),
                    timeout_ms: target.timeout_ms,
                    batch: target.batch,
                    signing_key: target.signing_key.clone(),
                }
            }
            TargetSpec::Message(target) => {
                envelope.correlation_key = Some(target.correlation_key.clone()).filter(|key| !key.is_empty());
                TargetAddress::Message { name: target.name.clone(), time_to_live_ms: target.time_to_live_ms }
            }
            TargetSpec::Process(target) => TargetAddress::Process {
                process_definition_id: target.process_definition_id.clone(),
                version: target.version,
            },
            TargetSpec::Stream => TargetAddress::Stream,
        };
        (StoredTarget { scope: scope.clone(), address, retry }, envelope)
    }

    /// The target of a timer as its client has given it.
    pub fn join(&self, envelope: &Envelope) -> TargetSpec {
        match &self.address {
            TargetAddress::Http { origin, path, headers, timeout_ms, batch, signing_key } => {
                let path = path.as_deref().or(envelope.path.as_deref()).unwrap_or("/");
                TargetSpec::Http(HttpTarget {
                    url: format!("{origin}{path}"),
                    headers: headers.clone(),
                    timeout_ms: *timeout_ms,
                    batch: *batch,
                    signing_key: signing_key.clone(),
                })
            }
            TargetAddress::Message { name, time_to_live_ms } => TargetSpec::Message(MessageTarget {
                name: name.clone(),
                correlation_key: envelope.correlation_key.clone().unwrap_or_default(),
                time_to_live_ms: *time_to_live_ms,
            }),
            TargetAddress::Process { process_definition_id, version } => TargetSpec::Process(ProcessTarget {
                process_definition_id: process_definition_id.clone(),
                version: *version,
            }),
            TargetAddress::Stream => TargetSpec::Stream,
        }
    }

    pub fn to_target(&self) -> Target {
        let lane = match &self.address {
            TargetAddress::Http { origin, .. } => callback_lane(&self.scope, origin),
            TargetAddress::Message { .. } | TargetAddress::Process { .. } => LANE_OF_COMMANDS,
            TargetAddress::Stream => stream_lane(&self.scope),
        };
        Target { lane, data: self.encode().into() }
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        writer.byte(VERSION);
        writer.text(&self.scope.tenant);
        writer.text(&self.scope.namespace);
        self.retry.write(&mut writer);
        match &self.address {
            TargetAddress::Http { origin, path, headers, timeout_ms, batch, signing_key } => {
                writer.byte(1);
                writer.text(origin);
                writer.optional_text(path.as_deref());
                writer.number(headers.len() as u64);
                for text in headers.iter().flat_map(|(name, value)| [name, value]) {
                    writer.text(text);
                }
                writer.number((*timeout_ms).into());
                writer.number(batch.unwrap_or(0).into());
                writer.optional_text(signing_key.as_deref());
            }
            TargetAddress::Message { name, time_to_live_ms } => {
                writer.byte(2);
                writer.text(name);
                writer.signed(*time_to_live_ms);
            }
            TargetAddress::Process { process_definition_id, version } => {
                writer.byte(3);
                writer.text(process_definition_id);
                writer.number(version.unwrap_or(0).into());
            }
            TargetAddress::Stream => writer.byte(4),
        }
        writer.finish()
    }

    pub fn decode(bytes: &[u8]) -> Result<StoredTarget, Malformed> {
        let mut reader = Reader::new(bytes);
        if reader.byte()? != VERSION {
            return malformed("a target of version 1");
        }
        let scope = Scope { tenant: reader.text()?, namespace: reader.text()? };
        let retry = RetryPolicy::read(&mut reader)?;
        let address = match reader.byte()? {
            1 => TargetAddress::Http {
                origin: reader.text()?,
                path: reader.optional_text()?,
                headers: (0..reader.number()?)
                    .map(|_| Ok((reader.text()?, reader.text()?)))
                    .collect::<Result<_, Malformed>>()?,
                timeout_ms: reader.small()?,
                batch: Some(reader.small()?).filter(|batch| *batch > 0),
                signing_key: reader.optional_text()?,
            },
            2 => TargetAddress::Message { name: reader.text()?, time_to_live_ms: reader.signed()? },
            3 => TargetAddress::Process {
                process_definition_id: reader.text()?,
                version: Some(reader.small()?).filter(|version| *version > 0),
            },
            4 => TargetAddress::Stream,
            _ => return malformed("a known kind of target"),
        };
        if !reader.rest().is_empty() {
            return malformed("the end of a target");
        }
        Ok(StoredTarget { scope, address, retry })
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::FieldErrors;
    use super::*;
    use serde_json::{Value, json};

    fn split(value: Value) -> (TargetSpec, StoredTarget, Envelope) {
        let spec = TargetSpec::from_json(&value, "", &mut FieldErrors::default()).expect("valid");
        let scope = Scope { tenant: "t".to_owned(), namespace: "n".to_owned() };
        let (stored, envelope) = StoredTarget::split(&scope, &spec, RetryPolicy::default());
        (spec, stored, envelope)
    }

    #[test]
    fn targets_come_back_whole() {
        for value in [
            json!({"type": "http", "url": "https://Example.com/a?b", "headers": {"x-a": "b"}}),
            json!({"type": "http", "url": "http://10.0.0.1:8080/", "batch": 10, "signingKey": "main"}),
            json!({"type": "message", "name": "paid", "correlationKey": "7"}),
            json!({"type": "process", "processDefinitionId": "order"}),
            json!({"type": "stream"}),
        ] {
            let (spec, stored, envelope) = split(value);
            assert_eq!(StoredTarget::decode(&stored.encode()), Ok(stored.clone()));
            let mut shown = spec.to_json();
            if let Some(url) = shown.get_mut("url") {
                *url = url.as_str().expect("a text").replace("Example", "example").into();
            }
            assert_eq!(stored.join(&envelope).to_json(), shown);
        }
    }

    #[test]
    fn what_differs_from_timer_to_timer_makes_no_new_target() {
        let http = |path: &str| split(json!({"type": "http", "url": format!("http://h{path}")})).1.encode();
        assert_eq!(http("/orders/1"), http("/orders/2"));
        let message =
            |key: &str| split(json!({"type": "message", "name": "m", "correlationKey": key})).1.encode();
        assert_eq!(message("1"), message("2"));
        let batch = |path: &str| {
            split(json!({"type": "http", "url": format!("http://h{path}"), "batch": 5})).1.encode()
        };
        assert_ne!(batch("/a"), batch("/b"), "timers of one call have one path");
    }

    /// Targets are stored: what this version writes, every later one must read.
    #[test]
    fn the_stored_form_stays_the_same() {
        let value = json!({"type": "http", "url": "http://h/p", "headers": {"a": "b"}, "timeout": 300, "batch": 9,
            "signingKey": "k"});
        let golden =
            b"\x01\x01t\x01n\x0c\x80\xf0\xb2R\xd0\x0f\0\0\0\0\0\0\0@\x80\x9fI\x9a\x99\x99\x99\x99\x99\xc9?\
            \x01\x08http://h\x01\x02/p\x01\x01a\x01b\xac\x02\x09\x01\x01k";
        let (_, stored, _) = split(value);
        assert_eq!(stored.encode().escape_ascii().to_string(), golden.escape_ascii().to_string());
    }

    #[test]
    fn bytes_that_mean_nothing_are_told() {
        let (_, stored, _) = split(json!({"type": "stream"}));
        let bytes = stored.encode();
        assert!(StoredTarget::decode(&bytes[..bytes.len() - 1]).is_err());
        assert!(StoredTarget::decode(&[&bytes[..], b"x"].concat()).is_err());
        assert!(StoredTarget::decode(&[9]).is_err());
    }
}
