//! The one byte format for commands, answers and engine state in stores: MessagePack with field names, so
//! that a newer version can add fields and still read what an older one wrote.

use serde::{Serialize, de::DeserializeOwned};

#[derive(Debug, thiserror::Error)]
#[error("stored bytes cannot be read: {0}")]
pub struct CodecError(#[from] rmp_serde::decode::Error);

pub fn pack<T: Serialize>(value: &T) -> Vec<u8> {
    rmp_serde::to_vec_named(value).expect("plain data always has a MessagePack form")
}

pub fn unpack<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    Ok(rmp_serde::from_slice(bytes)?)
}
