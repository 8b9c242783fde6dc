//! Measures the work of a search in the database, for tests of plans.

/// Of one search: what its parts read, in units of the database, and how they were planned.
#[derive(Debug)]
pub struct Work {
    /// The questions for keys and the page.
    pub page: u64,
    /// The total, which is counted up to its limit.
    pub count: u64,
    pub plan: String,
}
