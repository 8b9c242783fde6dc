//! Bytes of memory that something takes that was just made. The allocator of the server counts what each thread allocates and frees, so
//! the difference is what is left. Where the allocator does not count, as in tests, there is only a guess.

use std::cell::Cell;

thread_local! {
    /// Bytes that this thread has allocated less those that it has freed. It may fall below zero: threads free what others made.
    static HELD: Cell<isize> = const { Cell::new(0) };
}

/// For the allocator of the server: so many bytes were allocated by this thread, or freed, where it is negative.
#[inline]
pub fn note_allocation(bytes: isize) {
    // A thread that ends has no counter any more, and nobody asks for it.
    let _ = HELD.try_with(|held| held.set(held.get().wrapping_add(bytes)));
}

/// The value that `make` gives, and the bytes that it still takes. None where the allocator does not count.
pub(super) fn measured<T>(make: impl FnOnce() -> T) -> (T, Option<usize>) {
    let before = HELD.with(Cell::get);
    let made = make();
    let held = HELD.with(Cell::get).wrapping_sub(before);
    (made, usize::try_from(held).ok().filter(|held| *held > 0))
}

/// Compiled processes take about so many times the bytes of their file.
pub(super) fn guessed(file_bytes: usize) -> usize {
    file_bytes * 2
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_freed_again_does_not_count() {
        let (_, held) = measured(|| {
            note_allocation(500);
            note_allocation(100);
            note_allocation(-500);
        });
        assert_eq!(held, Some(100));
        assert_eq!(measured(|| ()).1, None, "nobody has counted");
    }
}
