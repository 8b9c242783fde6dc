//! Path data from numbers.

use crate::geometry::Point;
use crate::svg::Number;

#[derive(Default)]
pub(super) struct Path(String);

impl Path {
    pub(super) fn move_to(mut self, x: f64, y: f64) -> Path {
        self.push('M', &[x, y]);
        self
    }

    pub(super) fn line_to(mut self, x: f64, y: f64) -> Path {
        self.push('L', &[x, y]);
        self
    }

    pub(super) fn curve_to(mut self, control: Point, end: Point) -> Path {
        self.push('Q', &[control.x, control.y, end.x, end.y]);
        self
    }

    pub(super) fn arc_to(mut self, rx: f64, ry: f64, is_clockwise: bool, x: f64, y: f64) -> Path {
        self.push('A', &[rx, ry, 0.0, 0.0, f64::from(u8::from(is_clockwise)), x, y]);
        self
    }

    pub(super) fn close(mut self) -> Path {
        self.0.push('Z');
        self
    }

    pub(super) fn data(&self) -> &str {
        &self.0
    }

    fn push(&mut self, command: char, numbers: &[f64]) {
        self.0.push(command);
        for (n, number) in numbers.iter().enumerate() {
            if n > 0 {
                self.0.push(' ');
            }
            Number(*number).push(&mut self.0);
        }
    }
}
