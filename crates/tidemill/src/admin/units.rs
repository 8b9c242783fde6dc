//! Ages and sizes as people read them.

use serde_json::Value;

/// How long something takes or waits, in milliseconds; null where there is nothing.
pub(super) fn duration(millis: &Value) -> String {
    match millis.as_i64() {
        None => "-".to_owned(),
        Some(millis @ ..10_000) => format!("{millis} ms"),
        Some(millis) => format!("{} s", millis / 1_000),
    }
}

/// -1 is for ever.
pub(super) fn age(millis: i64) -> String {
    const UNITS: [(i64, &str); 4] = [(86_400_000, "d"), (3_600_000, "h"), (60_000, "m"), (1_000, "s")];
    if millis < 0 {
        return "forever".to_owned();
    }
    let whole = UNITS.iter().find(|(unit, _)| millis >= *unit && millis % unit == 0);
    whole.map_or_else(|| format!("{millis} ms"), |(unit, name)| format!("{}{name}", millis / unit))
}

pub(super) fn size(bytes: u64) -> String {
    match bytes {
        ..10_000 => format!("{bytes} B"),
        10_000..10_000_000 => format!("{} kB", bytes / 1_000),
        10_000_000..10_000_000_000 => format!("{} MB", bytes / 1_000_000),
        _ => format!("{} GB", bytes / 1_000_000_000),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn ages_and_sizes_are_short() {
        assert_eq!(["30d", "36h", "90s", "1 ms", "forever"], {
            [30 * 86_400_000, 36 * 3_600_000, 90_000, 1, -1].map(age)
        });
        assert_eq!(
            [json!(9_999), json!(90_000), json!(null)].map(|value| duration(&value)),
            ["9999 ms", "90 s", "-"]
        );
        assert_eq!([9_999, 20_480, 99_000_000].map(size), ["9999 B", "20 kB", "99 MB"]);
    }
}
