//! The one byte format for commands, answers and engine state in stores: MessagePack with field names, so
//! that a newer version can add fields and still read what an older one wrote.

use serde::{Serialize, de::DeserializeOwned};

#[derive(Debug, thiserror::Error)]
#[error("stored bytes cannot be read: {0}")]
pub struct CodecError(#[from] rmp_serde::decode::Error);

pub fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    rmp_serde::to_vec_named(value).expect("plain data always has a MessagePack form")
}

/// The bytes that a value takes when it is packed, without packing it.
pub fn packed_len<T: Serialize>(value: &T) -> usize {
    let mut count = Count(0);
    rmp_serde::encode::write_named(&mut count, value).expect("plain data always has a MessagePack form");
    count.0
}

struct Count(usize);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len();
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    Ok(rmp_serde::from_slice(bytes)?)
}
