//! A block: the timers or cancellations that one commit put into one slot, packed, compressed and checksummed.
//!
//! ```text
//! magic 0x54 0x4d, version, kind, packing (0 plain, 1 LZ4)
//! count, length of the body before packing              -- varints
//! body                                                  -- columns, see below
//! checksum                                              -- low half of xxHash64 over all before it, little endian
//! ```
//! The body begins with the least due time and the first key, both zigzag. Then come the columns, each one number for
//! all entries or one for each: key deltas, due offsets, generations. Blocks of timers go on with the table of scopes
//! (tenant and namespace), and the columns scope, target, attempt, due minus scheduled time (zigzag), flags, payload
//! length; then the place ids of those that have one, 16 bytes each, and the payloads. Entries are in the order of
//! their keys, so that neighbours differ little.

mod column;
mod decode;
mod encode;
mod entry;
mod error;
mod reader;

pub use decode::decode;
pub use encode::encode;
pub use entry::{Entry, Flags, PlaceId, Scope, Tombstone};
pub use error::Error;

/// The version that this code writes. It reads all versions up to this one.
pub const VERSION: u8 = 1;
/// Entries that a block holds at most.
pub const ENTRIES_MAX: usize = 65_536;
/// Bytes that the body of a block may have before packing.
pub const BODY_BYTES_MAX: usize = 32 << 20;
/// Bytes of a tenant's or namespace's name.
pub const NAME_BYTES_MAX: usize = 512;
/// Bytes of a payload.
pub const PAYLOAD_BYTES_MAX: usize = 128 << 10;

const MAGIC: [u8; 2] = *b"TM";
const PLAIN: u8 = 0;
const LZ4: u8 = 1;
const CHECKSUM_BYTES: usize = 4;

/// The kinds of blocks. The order is that of reading a slot: cancellations are known before the timers that they meet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[repr(u8)]
pub enum Kind {
    Tombstones = 0,
    Entries = 1,
    Paused = 2,
}

impl Kind {
    pub fn from_code(code: u8) -> Option<Kind> {
        [Kind::Tombstones, Kind::Entries, Kind::Paused].into_iter().find(|kind| *kind as u8 == code)
    }
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Block {
    Tombstones(Vec<Tombstone>),
    Entries(Vec<Entry>),
    Paused(Vec<Entry>),
}

impl Block {
    pub fn kind(&self) -> Kind {
        match self {
            Block::Tombstones(_) => Kind::Tombstones,
            Block::Entries(_) => Kind::Entries,
            Block::Paused(_) => Kind::Paused,
        }
    }

    pub fn len(&self) -> usize {
        match self {
            Block::Tombstones(tombstones) => tombstones.len(),
            Block::Entries(entries) | Block::Paused(entries) => entries.len(),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }
}

fn checksum(bytes: &[u8]) -> u32 {
    twox_hash::XxHash64::oneshot(0, bytes) as u32
}
