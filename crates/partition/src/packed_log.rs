//! The commands of a batch as the log keeps them: written with every batch, read for operators.

use tidemill_model::Command;

pub(crate) fn pack(commands: &[&Command]) -> Vec<u8> {
    // Every commit packs its log, so speed counts more than size.
    lz4_flex::compress_prepend_size(&tidemill_store::pack_commands(commands))
}

/// The commands and the bytes that they take unpacked; or why they cannot be read.
pub fn unpack(log: &[u8]) -> Result<(Vec<Command>, usize), String> {
    let bytes = lz4_flex::decompress_size_prepended(log).map_err(|error| error.to_string())?;
    let commands: Vec<Command> = tidemill_store::unpack(&bytes).map_err(|error| error.to_string())?;
    Ok((commands, bytes.len()))
}
