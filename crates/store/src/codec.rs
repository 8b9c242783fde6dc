//! The one byte format for commands, answers and engine state in stores: MessagePack with field names, so
//! that a newer version can add fields and still read what an older one wrote.

use serde::{Serialize, de::DeserializeOwned};
use std::io::Write;
use tidemill_model::entity::FlowSet;
use tidemill_model::{Command, Entity};

#[derive(Debug, thiserror::Error)]
#[error("stored bytes cannot be read: {0}")]
pub struct CodecError(#[from] rmp_serde::decode::Error);

/// A value that has a form in bytes. `packed!` implements it, in one crate for each type: the code that writes and reads an
/// entity is long, and every crate that called a generic function would compile it again.
pub trait Packed: Sized {
    fn pack(&self) -> Vec<u8>;

    /// The bytes that a value takes when it is packed, without packing it.
    fn packed_len(&self) -> usize;

    fn unpack(bytes: &[u8]) -> Result<Self, CodecError>;
}

/// Gives types their form in bytes.
#[macro_export]
macro_rules! packed {
    ($($type:ty),+ $(,)?) => {$(
        impl $crate::Packed for $type {
            #[inline(never)]
            fn pack(&self) -> Vec<u8> {
                $crate::codec::write(self)
            }

            #[inline(never)]
            fn packed_len(&self) -> usize {
                $crate::codec::count(self)
            }

            #[inline(never)]
            fn unpack(bytes: &[u8]) -> Result<$type, $crate::CodecError> {
                $crate::codec::read(bytes)
            }
        }
    )+};
}

macro_rules! packed_entities {
    ([] $($kind:ident in $rows:ident $facts:tt)+) => {
        $(packed!(tidemill_model::entity::$kind);)+
    };
}

tidemill_model::for_each_entity!([packed_entities] []);
packed!(Command, Vec<Command>, Entity, Vec<Entity>, FlowSet);

pub fn pack<T: Packed>(value: &T) -> Vec<u8> {
    value.pack()
}

pub fn packed_len<T: Packed>(value: &T) -> usize {
    value.packed_len()
}

pub fn unpack<T: Packed>(bytes: &[u8]) -> Result<T, CodecError> {
    T::unpack(bytes)
}

/// Commands as `Vec<Command>` is packed, without a copy of them.
pub fn pack_commands(commands: &[&Command]) -> Vec<u8> {
    write(&commands)
}

/// Entities as `Vec<Entity>` is packed, without a copy of them.
pub fn pack_entities(entities: &[Entity]) -> Vec<u8> {
    write(&entities)
}

/// Only for `packed!`.
#[doc(hidden)]
pub fn write<T: Serialize>(value: &T) -> Vec<u8> {
    let mut sink = Sink::Bytes(Vec::with_capacity(128));
    write_to(&mut sink, value);
    match sink {
        Sink::Bytes(bytes) => bytes,
        Sink::Count(_) => Vec::new(),
    }
}

/// Only for `packed!`.
#[doc(hidden)]
pub fn count<T: Serialize>(value: &T) -> usize {
    let mut sink = Sink::Count(0);
    write_to(&mut sink, value);
    match sink {
        Sink::Bytes(bytes) => bytes.len(),
        Sink::Count(bytes) => bytes,
    }
}

/// Only for `packed!`.
#[doc(hidden)]
pub fn read<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, CodecError> {
    Ok(rmp_serde::from_slice(bytes)?)
}

fn write_to<T: Serialize>(sink: &mut Sink, value: &T) {
    rmp_serde::encode::write_named(sink, value).expect("plain data always has a MessagePack form");
}

/// Writing and counting are one type, so that the code of each value is made for one writer only.
enum Sink {
    Bytes(Vec<u8>),
    Count(usize),
}

impl Write for Sink {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self {
            Sink::Bytes(all) => all.extend_from_slice(bytes),
            Sink::Count(count) => *count += bytes.len(),
        }
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> std::io::Result<()> {
        self.write(bytes).map(drop)
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::Timestamp;
    use tidemill_model::command::ExpireLeases;

    #[test]
    fn counting_and_packing_agree_and_a_list_is_read_as_it_was_packed() {
        let command = Command::ExpireLeases(ExpireLeases { jobs: Vec::new(), at: Timestamp(7) });
        assert_eq!(packed_len(&command), pack(&command).len());
        let listed = pack_commands(&[&command, &command]);
        assert_eq!(listed, pack(&vec![command.clone(), command.clone()]));
        assert_eq!(unpack::<Vec<Command>>(&listed).expect("it was packed so"), [command.clone(), command]);
    }
}
