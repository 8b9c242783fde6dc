//! Ages and sizes as people write them: `30d`, `12h`, `4MB`.

use serde::Deserialize;
use std::str::FromStr;
use std::time::Duration;

/// Longer than anybody keeps anything, yet within the reach of calendars.
const FOREVER: Duration = Duration::from_secs(100 * 365 * 24 * 60 * 60);

/// How long something is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Age(pub(crate) Duration);

impl FromStr for Age {
    type Err = String;

    fn from_str(text: &str) -> Result<Age, String> {
        if text == "forever" {
            return Ok(Age(FOREVER));
        }
        let seconds = scaled(text, &[("s", 1), ("m", 60), ("h", 3_600), ("d", 86_400)]);
        let age = seconds.map(Duration::from_secs).filter(|age| *age <= FOREVER);
        age.map(Age).ok_or_else(|| format!("'{text}' is no age; write 30d, 12h, 15m, 45s or forever"))
    }
}

impl TryFrom<String> for Age {
    type Error = String;

    fn try_from(text: String) -> Result<Age, String> {
        text.parse()
    }
}

/// A number of bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(try_from = "String")]
pub(crate) struct Size(pub(crate) usize);

impl FromStr for Size {
    type Err = String;

    fn from_str(text: &str) -> Result<Size, String> {
        let units = [("B", 1), ("kB", 1 << 10), ("KB", 1 << 10), ("MB", 1 << 20), ("GB", 1 << 30), ("", 1)];
        let bytes = scaled(text, &units).and_then(|bytes| usize::try_from(bytes).ok());
        bytes.map(Size).ok_or_else(|| format!("'{text}' is no size; write 512kB, 4MB or a number of bytes"))
    }
}

impl TryFrom<String> for Size {
    type Error = String;

    fn try_from(text: String) -> Result<Size, String> {
        text.parse()
    }
}

/// A number with one of the units, in the smallest of them.
fn scaled(text: &str, units: &[(&str, u64)]) -> Option<u64> {
    let unit_at = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(unit_at);
    let (_, scale) = units.iter().find(|(name, _)| *name == unit)?;
    number.parse::<u64>().ok()?.checked_mul(*scale)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_and_sizes_have_units() {
        assert_eq!("2d".parse(), Ok(Age(Duration::from_secs(172_800))));
        assert_eq!("90s".parse(), Ok(Age(Duration::from_secs(90))));
        assert_eq!("forever".parse(), Ok(Age(FOREVER)));
        assert_eq!("4MB".parse(), Ok(Size(4 << 20)));
        assert_eq!("17".parse(), Ok(Size(17)));
        for wrong in ["", "7", "d", "-1d", "1.5h", "99999999999999999d"] {
            assert!(wrong.parse::<Age>().is_err(), "{wrong}");
        }
        for wrong in ["", "MB", "4 MB", "4TB"] {
            assert!(wrong.parse::<Size>().is_err(), "{wrong}");
        }
    }
}
