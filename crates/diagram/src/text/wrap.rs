//! Lines of a label: broken at spaces, within words only where a word alone is too wide.

use super::measure::{character_width, width};
use crate::limits::{LABEL_CHARACTERS_MAX, LABEL_LINES_MAX};

/// At most `lines_max` lines; what does not fit is left out and an ellipsis says so.
pub(crate) fn wrap(text: &str, width_max: f64, size: f64, lines_max: usize) -> Vec<String> {
    let lines_max = lines_max.clamp(1, LABEL_LINES_MAX);
    let kept: String = text.trim().chars().take(LABEL_CHARACTERS_MAX).collect();
    let mut lines = Lines { done: Vec::new(), current: String::new(), used: 0.0, width_max, size };
    for paragraph in kept.lines() {
        for word in paragraph.split_whitespace() {
            lines.add(word);
            if lines.done.len() > lines_max {
                break;
            }
        }
        lines.finish();
    }
    let mut lines = lines.done;
    if lines.len() > lines_max {
        lines.truncate(lines_max);
        end_with_ellipsis(&mut lines[lines_max - 1], width_max, size);
    }
    lines
}

struct Lines {
    done: Vec<String>,
    current: String,
    used: f64,
    width_max: f64,
    size: f64,
}

impl Lines {
    fn add(&mut self, word: &str) {
        let (wide, space) = (width(word, self.size), width(" ", self.size));
        if !self.current.is_empty() && self.used + space + wide > self.width_max {
            self.finish();
        }
        if wide > self.width_max {
            return self.add_in_pieces(word);
        }
        if !self.current.is_empty() {
            self.current.push(' ');
            self.used += space;
        }
        self.current.push_str(word);
        self.used += wide;
    }

    /// A word that is wider than a line breaks after a hyphen or the like where it can.
    fn add_in_pieces(&mut self, word: &str) {
        for character in word.chars() {
            let wide = character_width(character, self.size);
            if !self.current.is_empty() && self.used + wide > self.width_max {
                let rest = self.split_at_mark();
                self.finish();
                self.used = width(&rest, self.size);
                self.current = rest;
            }
            self.current.push(character);
            self.used += wide;
        }
    }

    /// Takes off what stands behind the last mark of the line, if there is one in its second half.
    fn split_at_mark(&mut self) -> String {
        let mark = self.current.rfind(['-', '_', '/', '.', ':']);
        match mark {
            Some(at) if at * 2 > self.current.len() && at + 1 < self.current.len() => {
                self.current.split_off(at + 1)
            }
            _ => String::new(),
        }
    }

    fn finish(&mut self) {
        if !self.current.is_empty() {
            self.done.push(std::mem::take(&mut self.current));
        }
        self.used = 0.0;
    }
}

fn end_with_ellipsis(line: &mut String, width_max: f64, size: f64) {
    while !line.is_empty() && width(line, size) + width("…", size) > width_max {
        line.pop();
    }
    line.truncate(line.trim_end().len());
    line.push('…');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_break_at_spaces() {
        assert_eq!(wrap("Collect the money", 66.0, 12.0, 9), ["Collect the", "money"]);
        assert_eq!(wrap(" a \n\n b ", 60.0, 12.0, 9), ["a", "b"]);
        assert!(wrap("  ", 60.0, 12.0, 9).is_empty());
    }

    #[test]
    fn a_word_that_is_too_wide_is_broken() {
        assert_eq!(wrap("retry-payment-later", 60.0, 12.0, 9), ["retry-", "payment-", "later"]);
        assert!(wrap(&"x".repeat(50), 60.0, 12.0, 9).len() > 4);
        assert_eq!(wrap("xyz", 0.0, 12.0, 9), ["x", "y", "z"]);
    }

    #[test]
    fn what_does_not_fit_ends_with_an_ellipsis() {
        assert_eq!(wrap("one two three four", 52.0, 12.0, 2), ["one two", "three…"]);
        assert!(wrap(&"word ".repeat(100_000), 40.0, 12.0, 1_000).len() <= LABEL_LINES_MAX);
    }
}
