//! Colours of files. They are read into numbers and written again, so nothing of a file's text reaches the picture.

mod names;

use std::fmt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Color {
    red: u8,
    green: u8,
    blue: u8,
}

impl Color {
    pub(crate) const fn hex(value: u32) -> Color {
        Color { red: (value >> 16) as u8, green: (value >> 8) as u8, blue: value as u8 }
    }

    /// Reads `#rgb`, `#rrggbb`, `rgb(...)` and the names of CSS. Transparency is left out.
    pub(crate) fn parse(text: &str) -> Option<Color> {
        let text = text.trim();
        if text.len() > 64 || !text.is_ascii() {
            return None;
        }
        let text = text.to_ascii_lowercase();
        if let Some(digits) = text.strip_prefix('#') {
            return from_digits(digits);
        }
        match text.strip_prefix("rgba(").or(text.strip_prefix("rgb(")) {
            Some(rest) => from_parts(rest.strip_suffix(')')?),
            None => names::find(&text),
        }
    }

    /// How bright it is to the eye, from 0 to 1.
    fn luminance(self) -> f64 {
        let part = |value: u8| {
            let value = f64::from(value) / 255.0;
            if value <= 0.04045 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
        };
        0.2126 * part(self.red) + 0.7152 * part(self.green) + 0.0722 * part(self.blue)
    }

    fn contrast(self, other: Color) -> f64 {
        let (a, b) = (self.luminance() + 0.05, other.luminance() + 0.05);
        if a > b { a / b } else { b / a }
    }

    /// This colour, or one like it that can be told from the background.
    pub(crate) fn readable_on(self, background: Color) -> Color {
        const CONTRAST_MIN: f64 = 4.0;
        let end = if background.luminance() < 0.18 { Color::hex(0xffffff) } else { Color::hex(0) };
        let shades = (0..10).map(|step| self.mixed(end, f64::from(step) / 10.0));
        shades.into_iter().find(|shade| shade.contrast(background) >= CONTRAST_MIN).unwrap_or(end)
    }

    fn mixed(self, other: Color, part: f64) -> Color {
        let mix = |a: u8, b: u8| (f64::from(a) + (f64::from(b) - f64::from(a)) * part).round() as u8;
        Color {
            red: mix(self.red, other.red),
            green: mix(self.green, other.green),
            blue: mix(self.blue, other.blue),
        }
    }

    pub(crate) fn push(self, out: &mut String) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        out.push('#');
        for part in [self.red, self.green, self.blue] {
            out.push(char::from(DIGITS[usize::from(part >> 4)]));
            out.push(char::from(DIGITS[usize::from(part & 15)]));
        }
    }
}

impl fmt::Display for Color {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        self.push(&mut text);
        f.write_str(&text)
    }
}

fn from_digits(digits: &str) -> Option<Color> {
    if !digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    match digits.len() {
        3 | 4 => {
            let wide: String = digits.chars().take(3).flat_map(|digit| [digit, digit]).collect();
            u32::from_str_radix(&wide, 16).ok().map(Color::hex)
        }
        6 | 8 => u32::from_str_radix(&digits[..6], 16).ok().map(Color::hex),
        _ => None,
    }
}

fn from_parts(parts: &str) -> Option<Color> {
    let mut numbers = parts.split([',', ' ', '/']).filter(|part| !part.is_empty()).map(part);
    let color = Color { red: numbers.next()??, green: numbers.next()??, blue: numbers.next()?? };
    (numbers.count() <= 1).then_some(color)
}

fn part(text: &str) -> Option<u8> {
    let value = match text.strip_suffix('%') {
        Some(percent) => percent.parse::<f64>().ok()? * 2.55,
        None => text.parse::<f64>().ok()?,
    };
    value.is_finite().then(|| value.round().clamp(0.0, 255.0) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> String {
        Color::parse(text).map(|color| color.to_string()).unwrap_or_default()
    }

    #[test]
    fn colours_of_css_are_read() {
        assert_eq!(read("#BBDEFB"), "#bbdefb");
        assert_eq!(read(" #fa0 "), "#ffaa00");
        assert_eq!(read("#ffaa0080"), "#ffaa00");
        assert_eq!(read("rgb(205, 223, 228)"), "#cddfe4");
        assert_eq!(read("rgba(100%,0%,300,0.5)"), "#ff00ff");
        assert_eq!(read("RebeccaPurple"), "#663399");
    }

    #[test]
    fn everything_else_is_no_colour() {
        for text in [
            "",
            "#12",
            "#12345g",
            "url(#x)",
            "red\"><script>",
            "rgb(1,2)",
            "rgb(1,2,3,4,5)",
            "rgb(nan,1,2)",
            "#ä1",
            "expression(1)",
        ] {
            assert_eq!(read(text), "", "{text}");
        }
    }

    #[test]
    fn dark_colours_become_readable_on_dark_ground() {
        let ground = Color::hex(0x1c1e24);
        let readable = Color::hex(0x0d4372).readable_on(ground);
        assert!(readable.contrast(ground) >= 4.0, "{readable}");
        assert_eq!(Color::hex(0xffe0b2).readable_on(ground), Color::hex(0xffe0b2));
    }
}
