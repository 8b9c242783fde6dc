//! Numbers and texts as bytes, for what the stores keep of targets and entries.

use tidemill_timers::varint;

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error(
    "Expected {expected}, but the stored bytes have something else; a newer version may have written them"
)]
pub struct Malformed {
    pub expected: &'static str,
}

pub(super) fn malformed<T>(expected: &'static str) -> Result<T, Malformed> {
    Err(Malformed { expected })
}

#[derive(Default)]
pub(super) struct Writer(Vec<u8>);

impl Writer {
    pub(super) fn byte(&mut self, value: u8) {
        self.0.push(value);
    }

    pub(super) fn number(&mut self, value: u64) {
        varint::put(&mut self.0, value);
    }

    /// Small negative numbers stay short.
    pub(super) fn signed(&mut self, value: i64) {
        self.number(varint::zigzag(value));
    }

    pub(super) fn float(&mut self, value: f64) {
        self.0.extend_from_slice(&value.to_le_bytes());
    }

    pub(super) fn text(&mut self, text: &str) {
        self.number(text.len() as u64);
        self.raw(text.as_bytes());
    }

    pub(super) fn optional_text(&mut self, text: Option<&str>) {
        self.byte(u8::from(text.is_some()));
        if let Some(text) = text {
            self.text(text);
        }
    }

    pub(super) fn raw(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    pub(super) fn finish(self) -> Vec<u8> {
        self.0
    }
}

pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub(super) fn byte(&mut self) -> Result<u8, Malformed> {
        let Some((first, rest)) = self.rest.split_first() else { return malformed("another byte") };
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn number(&mut self) -> Result<u64, Malformed> {
        varint::take(&mut self.rest).map_or_else(|| malformed("a number of 64 bits"), Ok)
    }

    pub(super) fn small(&mut self) -> Result<u32, Malformed> {
        u32::try_from(self.number()?).or(malformed("a number of 32 bits"))
    }

    pub(super) fn signed(&mut self) -> Result<i64, Malformed> {
        self.number().map(varint::unzigzag)
    }

    pub(super) fn float(&mut self) -> Result<f64, Malformed> {
        let bytes = self.take(8)?;
        Ok(f64::from_le_bytes(bytes.try_into().or(malformed("a number of 8 bytes"))?))
    }

    pub(super) fn text(&mut self) -> Result<String, Malformed> {
        let length = self.number()?;
        let bytes = self.take(usize::try_from(length).or(malformed("a text that fits into memory"))?)?;
        Ok(std::str::from_utf8(bytes).or(malformed("a text in UTF-8"))?.to_owned())
    }

    pub(super) fn optional_text(&mut self) -> Result<Option<String>, Malformed> {
        match self.byte()? {
            0 => Ok(None),
            1 => self.text().map(Some),
            _ => malformed("whether there is a text"),
        }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Malformed> {
        let Some((taken, rest)) = self.rest.split_at_checked(count) else { return malformed("more bytes") };
        self.rest = rest;
        Ok(taken)
    }

    pub(super) fn rest(self) -> &'a [u8] {
        self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read_and_a_cut_is_noticed() {
        let mut writer = Writer::default();
        writer.number(u64::MAX);
        writer.signed(-3);
        writer.float(1.5);
        writer.text("zürich");
        writer.optional_text(None);
        writer.raw(b"rest");
        let bytes = writer.finish();
        let mut reader = Reader::new(&bytes);
        assert_eq!(reader.number(), Ok(u64::MAX));
        assert_eq!(reader.signed(), Ok(-3));
        assert_eq!(reader.float(), Ok(1.5));
        assert_eq!(reader.text(), Ok("zürich".to_owned()));
        assert_eq!(reader.optional_text(), Ok(None));
        assert_eq!(reader.rest(), b"rest");
        assert!(Reader::new(&[5, b'a']).text().is_err());
        assert!(Reader::new(&[0xff; 11]).number().is_err());
    }
}
