//! Points in time as epoch milliseconds.

use serde::{Deserialize, Serialize};
use std::ops::{Add, Sub};

/// Milliseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, Debug, Default)]
#[serde(transparent)]
pub struct Timestamp(pub i64);

impl Timestamp {
    pub const MAX: Timestamp = Timestamp(i64::MAX);

    pub fn millis(self) -> i64 {
        self.0
    }
}

/// Plus milliseconds, held at the ends of the range.
impl Add<i64> for Timestamp {
    type Output = Timestamp;

    fn add(self, millis: i64) -> Timestamp {
        Timestamp(self.0.saturating_add(millis))
    }
}

/// Milliseconds between two points.
impl Sub<Timestamp> for Timestamp {
    type Output = i64;

    fn sub(self, earlier: Timestamp) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}
