//! How wide a text is.

/// Widths of the printable ASCII characters, from the space on, in thousandths of the size.
#[rustfmt::skip]
const ASCII: [u16; 95] = [
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278,
    556, 556, 556, 556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556,
    1015, 667, 667, 722, 722, 667, 611, 778, 722, 278, 500, 667, 556, 833, 722, 778,
    667, 778, 722, 667, 611, 722, 667, 944, 667, 667, 611, 278, 278, 278, 469, 556,
    333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500, 222, 833, 556, 556,
    556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
];

/// Many machines draw with a slightly wider font than the one the widths are of.
const RESERVE: f64 = 1.1;

pub(crate) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|character| character_width(character, size)).sum()
}

pub(super) fn character_width(character: char, size: f64) -> f64 {
    f64::from(thousandths(character)) * size * RESERVE / 1000.0
}

fn thousandths(character: char) -> u16 {
    match character as u32 {
        code @ 0x20..=0x7e => ASCII[code as usize - 0x20],
        // Accents that stand on the character before them, and joiners.
        0x0300..=0x036f | 0x200b..=0x200f | 0xfe00..=0xfe0f => 0,
        // Scripts of East Asia, and pictures.
        0x1100..=0x115f | 0x2e80..=0xa4cf | 0xac00..=0xd7a3 | 0xf900..=0xfaff | 0xff00..=0xff60 => 1000,
        0x1f300..=0x1faff | 0x20000..=0x3fffd => 1000,
        _ => 600,
    }
}
