//! How much work one file may cause beyond its own size: what is referred to is read again each time.

/// Text of shared definitions and expressions, counted once per use.
const TEXT_MAX_BYTES: usize = 4 * 1024 * 1024;
/// Elements looked at to know what can reach the inclusive joins.
const JOIN_VISITS_MAX: usize = 20_000_000;

/// The work that is left for all processes of a file.
pub(crate) struct Budget {
    text_bytes: usize,
    join_visits: usize,
}

impl Default for Budget {
    fn default() -> Budget {
        Budget { text_bytes: TEXT_MAX_BYTES, join_visits: JOIN_VISITS_MAX }
    }
}

impl Budget {
    /// False when the budget is used up.
    pub(super) fn take_text(&mut self, bytes: usize) -> bool {
        take(&mut self.text_bytes, bytes)
    }

    pub(super) fn take_join(&mut self, visits: usize) -> bool {
        take(&mut self.join_visits, visits)
    }
}

/// A part that does not fit uses up the rest, so that nothing after it is tried either.
fn take(left: &mut usize, amount: usize) -> bool {
    let fits = amount <= *left;
    *left = left.saturating_sub(amount);
    fits
}
