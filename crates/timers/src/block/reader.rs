//! Reads the body of a block from its front.

use super::Error;
use crate::varint;

pub(super) struct Reader<'a> {
    rest: &'a [u8],
}

impl<'a> Reader<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Reader<'a> {
        Reader { rest: bytes }
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.rest.is_empty()
    }

    pub(super) fn rest(&self) -> &'a [u8] {
        self.rest
    }

    pub(super) fn byte(&mut self) -> Result<u8, Error> {
        let (first, rest) = self.rest.split_first().ok_or(Error::Malformed("a column ends too soon"))?;
        self.rest = rest;
        Ok(*first)
    }

    pub(super) fn bytes(&mut self, count: usize) -> Result<&'a [u8], Error> {
        let (bytes, rest) =
            self.rest.split_at_checked(count).ok_or(Error::Malformed("a column ends too soon"))?;
        self.rest = rest;
        Ok(bytes)
    }

    #[inline]
    pub(super) fn varint(&mut self) -> Result<u64, Error> {
        match self.rest.split_first() {
            Some((first, rest)) if *first < 0x80 => {
                self.rest = rest;
                Ok(u64::from(*first))
            }
            _ => {
                let wrong = Error::Malformed("a number ends too soon or is longer than 64 bits");
                varint::take(&mut self.rest).ok_or(wrong)
            }
        }
    }
}
