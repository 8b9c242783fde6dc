//! How much memory a JSON text takes as a value, known before it is read: `[[],[],[]]` takes twenty times its length.

use crate::value::{Extent, Value};

/// No text takes more than this for each of its bytes: an empty list needs three of them with its comma.
const BYTES_PER_BYTE_MAX: u64 = 32;

/// True if the value of the text takes no more than that. Short texts are not looked at.
pub(crate) fn fits(text: &str, bytes_max: u64) -> bool {
    let length = text.len() as u64;
    length.saturating_mul(BYTES_PER_BYTE_MAX) <= bytes_max
        || length.saturating_add(of_nodes(text)) <= bytes_max
}

/// Each value but the first comes after a comma, a colon or an opening bracket.
fn of_nodes(text: &str) -> u64 {
    let (mut values, mut collections) = (1, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => skip_string(&mut bytes),
            b',' => values += 1,
            b'[' | b'{' => {
                values += 1;
                collections += 1;
            }
            _ => {}
        }
    }
    values * Value::OWN_WEIGHT + collections * Extent::OWN_WEIGHT
}

fn skip_string(bytes: &mut std::str::Bytes<'_>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => {
                let _escaped = bytes.next();
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_known_before_it_is_read() {
        for item in [
            "1,",
            "[],",
            "{},",
            "[[]],",
            r#"{"a":1},"#,
            r#""a,[,{\"","#,
            "\"long enough not to stand inline\",",
        ] {
            let text = format!("[{}0]", item.repeat(10_000));
            let weight = Value::from_json(&text).expect("valid").weight();
            assert!(!fits(&text, weight * 2 / 3), "{item}");
            assert!(fits(&text, weight * 3), "{item}");
        }
        assert!(fits("[1,2]", 1_000));
    }
}
