//! Why bytes are not a block.

#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
pub enum Error {
    #[error("Expected a block of timers, but it ends after {0} bytes")]
    Truncated(usize),
    #[error("Expected a block of timers, but it begins with other bytes")]
    Foreign,
    #[error(
        "Expected a block of version {supported} or below, but this is version {found}; a newer server wrote it"
    )]
    Version { found: u8, supported: u8 },
    #[error(
        "Expected the block's checksum to be {expected:08x}, but it is {found:08x}: the bytes were damaged"
    )]
    Checksum { expected: u32, found: u32 },
    #[error("Expected a block within its limits, but {0}")]
    Limit(&'static str),
    #[error("Expected a well-formed block, but {0}")]
    Malformed(&'static str),
}
