//! Byte offsets as lines and columns, found by binary search: a file may have thousands of findings.

pub(crate) struct Lines<'a> {
    text: &'a str,
    /// Where each line begins.
    starts: Vec<usize>,
}

impl<'a> Lines<'a> {
    pub(crate) fn new(text: &'a str) -> Lines<'a> {
        let breaks = text.bytes().enumerate().filter(|(_, byte)| *byte == b'\n');
        Lines { text, starts: std::iter::once(0).chain(breaks.map(|(n, _)| n + 1)).collect() }
    }

    /// Line and column from 1, the column in characters.
    pub(crate) fn position(&self, offset: usize) -> (u32, u32) {
        let line = self.starts.partition_point(|start| *start <= offset);
        let start = self.starts[line - 1];
        let column = self.text.get(start..offset).map_or(0, |before| before.chars().count());
        (line as u32, column as u32 + 1)
    }

    /// The inverse, as far as the place exists.
    pub(crate) fn offset(&self, line: u32, column: u32) -> usize {
        let start = self.starts.get((line as usize).saturating_sub(1)).copied().unwrap_or(self.text.len());
        let mut characters = self.text[start..].char_indices().map(|(n, _)| n);
        characters.nth((column as usize).saturating_sub(1)).map_or(self.text.len(), |n| start + n)
    }
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
}
