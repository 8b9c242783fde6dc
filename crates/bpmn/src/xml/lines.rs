//! Byte offsets as lines and columns, found quickly even in a file of one long line.

const BLOCK_BYTES: usize = 1024;

pub(crate) struct Lines<'a> {
    text: &'a str,
    /// Where each line begins.
    starts: Vec<usize>,
    /// The characters before each block of bytes.
    characters: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Lines<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        let starts = std::iter::once(0).chain(breaks.map(|(n, _)| n + 1)).collect();
        let mut characters = vec![0];
        for block in text.as_bytes().chunks(BLOCK_BYTES) {
            characters.push(characters[characters.len() - 1] + count(block));
        }
        Lines { text, starts, characters }
    }

    /// Line and column from 1, the column in characters.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let column = self.characters_before(offset) - self.characters_before(self.starts[line - 1]);
        (line as u32, column as u32 + 1)
    }

    fn characters_before(&self, offset: usize) -> usize {
        let offset = offset.min(self.text.len());
        let block = offset / BLOCK_BYTES;
        self.characters[block] + count(&self.text.as_bytes()[block * BLOCK_BYTES..offset])
    }

    /// The inverse, as far as the place exists.
    pub(crate) fn offset(&self, line: u32, column: u32) -> usize {
        let start = self.starts.get((line as usize).saturating_sub(1)).copied().unwrap_or(self.text.len());
        let mut characters = self.text[start..].char_indices().map(|(n, _)| n);
        characters.nth((column as usize).saturating_sub(1)).map_or(self.text.len(), |n| start + n)
    }
}

/// Characters that begin in these bytes of UTF-8.
fn count(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn positions_count_lines_and_characters_from_one() {
        let lines = Lines::new("aé\nb\n\nc");
        assert_eq!(lines.position(0), (1, 1));
        assert_eq!(lines.position(3), (1, 3));
        assert_eq!(lines.position(4), (2, 1));
        assert_eq!(lines.position(7), (4, 1));
        assert_eq!(lines.offset(1, 3), 3);
        assert_eq!(lines.offset(4, 1), 7);
        assert_eq!(lines.offset(99, 1), 8);
    }

    #[test]
    fn long_lines_are_counted_over_blocks() {
        let text = format!("\n{}x", "é".repeat(5_000));
        let lines = Lines::new(&text);
        assert_eq!(lines.position(text.len() - 1), (2, 5_001));
        assert_eq!(lines.position(text.len()), (2, 5_002));
    }
}
