//! Numbers with two decimals at most, written without the formatting machinery: a picture has tens of thousands.

use std::fmt;

#[derive(Clone, Copy)]
pub(crate) struct Number(pub(crate) f64);

impl Number {
    pub(crate) fn push(self, out: &mut String) {
        // Reading a file has replaced values that are no numbers; the cast saturates in any case.
        let hundredths = (self.0 * 100.0).round() as i64;
        if hundredths < 0 {
            out.push('-');
        }
        let hundredths = hundredths.unsigned_abs();
        push_integer(out, hundredths / 100);
        let rest = (hundredths % 100) as u8;
        if rest != 0 {
            out.push('.');
            out.push(char::from(b'0' + rest / 10));
            if !rest.is_multiple_of(10) {
                out.push(char::from(b'0' + rest % 10));
            }
        }
    }
}

fn push_integer(out: &mut String, mut value: u64) {
    let mut digits = [0u8; 20];
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + (value % 10) as u8;
        value /= 10;
        if value == 0 {
            break;
        }
    }
    out.push_str(std::str::from_utf8(&digits[at..]).unwrap_or_default());
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push(&mut text);
        f.write_str(&text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        let cases = [
            (0.0, "0"),
            (-0.001, "0"),
            (12.5, "12.5"),
            (-3.456, "-3.46"),
            (1e6, "1000000"),
            (0.05, "0.05"),
            (0.1, "0.1"),
        ];
        for (value, text) in cases {
            assert_eq!(Number(value).to_string(), text);
        }
    }
}
