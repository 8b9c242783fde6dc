//! Turns plain text into the value that it stands for.

use tidemill_model::RawJson;

/// `null`, `true` and `false` and decimal numbers as such; everything else is a string.
pub fn static_value(text: &str) -> RawJson {
    match text {
        "null" | "true" | "false" => RawJson::new(text),
        _ => number(text).map_or_else(|| RawJson::string(text), RawJson::new),
    }
}

/// A decimal number as JSON writes it: no plus sign, no leading zeros, digits on both sides of the point.
fn number(text: &str) -> Option<String> {
    let (sign, digits) = match text.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", text.strip_prefix('+').unwrap_or(text)),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    let all_digits = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
    if !all_digits(whole) || !all_digits(fraction) || (whole.is_empty() && fraction.is_empty()) {
        return None;
    }
    let whole = whole.trim_start_matches('0');
    let whole = if whole.is_empty() { "0" } else { whole };
    let point = if fraction.is_empty() { "" } else { "." };
    Some(format!("{sign}{whole}{point}{fraction}"))
}

#[cfg(test)]
mod tests {
    use super::static_value;

    #[test]
    fn text_is_typed() {
        for (text, json) in [
            ("null", "null"),
            ("true", "true"),
            ("42", "42"),
            ("-1.50", "-1.50"),
            ("+007", "7"),
            (".5", "0.5"),
            ("5.", "5"),
            ("0", "0"),
            ("", "\"\""),
            (".", "\".\""),
            ("-", "\"-\""),
            ("1e5", "\"1e5\""),
            ("1.2.3", "\"1.2.3\""),
            ("True", "\"True\""),
            ("a \"b\"", "\"a \\\"b\\\"\""),
        ] {
            assert_eq!(static_value(text).as_str(), json, "{text}");
        }
    }
}
