//! Data that a single timer carries beside its payload, such as its own id or its schedule. Most timers have none, and then the
//! envelope takes no bytes.

use super::bytes::{Malformed, Reader, Writer, malformed};
use super::schedule::Schedule;
use tidemill_calendar::Repetitions;
use tidemill_timers::block::{Entry, Flags};

/// The payload begins with an envelope.
const ENVELOPE: u32 = 1;
/// The timer has a schedule: firing makes its next occurrence.
pub const REPEATS: u32 = Flags::REPEATS.0;
const VERSION: u8 = 1;

const OWN_ID: u8 = 1;
const ORIGIN: u8 = 2;
const FIRST_TRY: u8 = 4;
const PATH: u8 = 8;
const CORRELATION_KEY: u8 = 16;
const REPEAT: u8 = 32;
const KNOWN: u8 = 63;

/// Key and due time that a generated id carries, where those of the entry are others by now.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Origin {
    pub key: i64,
    pub due_ms: i64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Repeat {
    pub schedule: Schedule,
    /// Occurrences to come, the one that waits among them.
    pub left: Repetitions,
}

#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Envelope {
    /// The id that its client has chosen.
    pub own_id: Option<String>,
    pub origin: Option<Origin>,
    /// Of a delivery that has failed: its retries end some time after it.
    pub first_try_ms: Option<i64>,
    /// The path of its callback, where that is its own.
    pub path: Option<String>,
    /// Of its message.
    pub correlation_key: Option<String>,
    pub repeat: Option<Repeat>,
}

impl Envelope {
    /// Flags and payload of the entry.
    pub fn wrap(&self, payload: &[u8]) -> (Flags, Box<[u8]>) {
        if *self == Envelope::default() {
            return (Flags(0), payload.into());
        }
        let mut writer = Writer::default();
        self.write(&mut writer);
        writer.raw(payload);
        let repeats = if self.repeat.is_some() { REPEATS } else { 0 };
        (Flags(ENVELOPE | repeats), writer.finish().into())
    }

    /// The envelope of a timer, and the payload in it.
    pub fn open(entry: &Entry) -> Result<(Envelope, &[u8]), Malformed> {
        if entry.flags.0 & ENVELOPE == 0 {
            return Ok((Envelope::default(), &entry.payload));
        }
        let mut reader = Reader::new(&entry.payload);
        let envelope = Envelope::read(&mut reader)?;
        Ok((envelope, reader.rest()))
    }

    /// Key and due time of the timer's generated id. The place tells it of timers that were moved.
    pub fn origin_of(&self, entry: &Entry) -> Origin {
        let place = entry.place_id().generated().map(|(key, due_ms)| Origin { key, due_ms });
        self.origin.or(place).unwrap_or(Origin { key: entry.key, due_ms: entry.due_ms })
    }

    fn write(&self, writer: &mut Writer) {
        let mut parts = 0;
        let mut note = |is_there: bool, part: u8| parts |= if is_there { part } else { 0 };
        note(self.own_id.is_some(), OWN_ID);
        note(self.origin.is_some(), ORIGIN);
        note(self.first_try_ms.is_some(), FIRST_TRY);
        note(self.path.is_some(), PATH);
        note(self.correlation_key.is_some(), CORRELATION_KEY);
        note(self.repeat.is_some(), REPEAT);
        writer.byte(VERSION);
        writer.byte(parts);
        if let Some(own_id) = &self.own_id {
            writer.text(own_id);
        }
        if let Some(origin) = self.origin {
            writer.signed(origin.key);
            writer.signed(origin.due_ms);
        }
        if let Some(first_try_ms) = self.first_try_ms {
            writer.signed(first_try_ms);
        }
        for text in [&self.path, &self.correlation_key].into_iter().flatten() {
            writer.text(text);
        }
        if let Some(Repeat { schedule, left }) = &self.repeat {
            schedule.write(writer);
            writer.signed(left.to_stored());
        }
    }

    fn read(reader: &mut Reader<'_>) -> Result<Envelope, Malformed> {
        if reader.byte()? != VERSION {
            return malformed("an envelope of version 1");
        }
        let parts = reader.byte()?;
        if parts & !KNOWN != 0 {
            return malformed("known parts of an envelope");
        }
        let has = |part: u8| parts & part != 0;
        let mut envelope = Envelope::default();
        if has(OWN_ID) {
            envelope.own_id = Some(reader.text()?);
        }
        if has(ORIGIN) {
            envelope.origin = Some(Origin { key: reader.signed()?, due_ms: reader.signed()? });
        }
        if has(FIRST_TRY) {
            envelope.first_try_ms = Some(reader.signed()?);
        }
        if has(PATH) {
            envelope.path = Some(reader.text()?);
        }
        if has(CORRELATION_KEY) {
            envelope.correlation_key = Some(reader.text()?);
        }
        if has(REPEAT) {
            let schedule = Schedule::read(reader)?;
            let Some(left) = Repetitions::from_stored(reader.signed()?) else {
                return malformed("a number of repetitions");
            };
            envelope.repeat = Some(Repeat { schedule, left });
        }
        Ok(envelope)
    }
}

#[cfg(test)]
mod tests {
    use super::super::fields::FieldErrors;
    use super::*;
    use serde_json::json;
    use std::sync::Arc;

    fn entry(flags: Flags, payload: Box<[u8]>) -> Entry {
        Entry {
            key: 5,
            due_ms: 9,
            scheduled_ms: 9,
            generation: 0,
            attempt: 0,
            target: 1,
            flags,
            scope: Arc::default(),
            place: None,
            payload,
        }
    }

    fn full() -> Envelope {
        let value = json!({"expression": "R5/PT1S", "zone": "+01:00", "misfire": "all", "jitter": 3});
        let schedule = Schedule::from_json(&value, "", &mut FieldErrors::default()).expect("valid");
        Envelope {
            own_id: Some("a".to_owned()),
            origin: Some(Origin { key: 1, due_ms: -2 }),
            first_try_ms: Some(300),
            path: Some("/p?q".to_owned()),
            correlation_key: Some("k".to_owned()),
            repeat: Some(Repeat { schedule, left: Repetitions::Times(4) }),
        }
    }

    #[test]
    fn timers_without_anything_have_no_envelope() {
        let (flags, payload) = Envelope::default().wrap(b"{\"a\":1}");
        assert_eq!((flags, &*payload), (Flags(0), &b"{\"a\":1}"[..]));
        let entry = entry(flags, payload);
        assert_eq!(Envelope::open(&entry), Ok((Envelope::default(), &b"{\"a\":1}"[..])));
    }

    /// Entries are stored: what this version writes, every later one must read.
    #[test]
    fn the_stored_form_stays_the_same() {
        let (flags, payload) = full().wrap(b"{}");
        assert_eq!(flags, Flags(3));
        let golden = b"\x01\x3f\x01a\x02\x03\xd8\x04\x04/p?q\x01k\x07R5/PT1S\x06+01:00\x00\x01\x06\x08{}";
        assert_eq!(payload.escape_ascii().to_string(), golden.escape_ascii().to_string());
        let entry = entry(flags, payload);
        assert_eq!(Envelope::open(&entry), Ok((full(), &b"{}"[..])));
    }

    #[test]
    fn what_cannot_be_read_is_told() {
        for bytes in [&b""[..], b"\x02\x00", b"\x01\x80", b"\x01\x01\x05ab"] {
            assert!(Envelope::open(&entry(Flags(1), bytes.into())).is_err(), "{bytes:?}");
        }
    }
}
