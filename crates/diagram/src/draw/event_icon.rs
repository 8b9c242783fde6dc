//! Draws the icon of an event definition within a circle of 36 units. Catching events have an outlined icon, throwing
//! events a filled one.

use super::pen::Pen;
use crate::model::Trigger;

const WIDTH: f64 = 1.3;

const ENVELOPE: &str = "M9.5 12H26.5V24H9.5Z";
const FLAP: &str = "M9.5 12L18 18.8L26.5 12";
const CLOCK_TICKS: &str = "M28.3 18L26.6 18M26.9 23.1L25.4 22.3M23.2 26.9L22.3 25.4M18 28.3L18 26.6\
    M12.9 26.9L13.7 25.4M9.1 23.1L10.6 22.3M7.7 18L9.4 18M9.1 12.9L10.6 13.7M12.8 9.1L13.7 10.6M18 7.7L18 9.4\
    M23.2 9.1L22.3 10.6M26.9 12.8L25.4 13.7";
const CLOCK_HANDS: &str = "M20.3 10.6L18 18H23.4";
const LIGHTNING: &str = "M9.8 26.3L14.6 11.8L20.6 19.6L26.3 9.8L21.8 25L15.4 17.6Z";
const ARROW_UP: &str = "M18 8.6L24.6 26L18 19.4L11.4 26Z";
const CROSS: &str = "M11.4 9.3L18 15.9L24.6 9.3L26.7 11.4L20.1 18L26.7 24.6L24.6 26.7L18 20.1L11.4 26.7L9.3 24.6\
    L15.9 18L9.3 11.4Z";
const BACK: &str = "M17.2 11.4V24.6L8.2 18ZM26.2 11.4V24.6L17.2 18Z";
const PAGE: &str = "M11 9H25V27H11Z";
const PAGE_LINES: &str = "M13.5 12.6H22.5M13.5 16.2H22.5M13.5 19.8H22.5M13.5 23.4H22.5";
const ARROW_RIGHT: &str = "M8.6 15.2H18.6V11.2L27.4 18L18.6 24.8V20.8H8.6Z";
const TRIANGLE: &str = "M18 8.8L26.6 24H9.4Z";
const PENTAGON: &str = "M18 9L27.1 15.6L23.6 26.4L12.4 26.4L8.9 15.6Z";
const PLUS: &str = "M15.6 8.8H20.4V15.6H27.2V20.4H20.4V27.2H15.6V20.4H8.8V15.6H15.6Z";

pub(super) fn draw(pen: &mut Pen<'_>, trigger: Trigger, is_filled: bool) {
    let mut icon = |data: &str| if is_filled { pen.solid(data) } else { pen.shape(data, WIDTH) };
    match trigger {
        Trigger::None => {}
        Trigger::Message => {
            icon(ENVELOPE);
            if is_filled { pen.inverse_line(FLAP, WIDTH) } else { pen.line(FLAP, WIDTH) }
        }
        Trigger::Timer => {
            pen.circle(18.0, 18.0, 10.4, WIDTH, None);
            pen.line(CLOCK_TICKS, 1.0);
            pen.line(CLOCK_HANDS, WIDTH);
        }
        Trigger::Error => icon(LIGHTNING),
        Trigger::Escalation => icon(ARROW_UP),
        Trigger::Cancel => icon(CROSS),
        Trigger::Compensation => icon(BACK),
        Trigger::Conditional => {
            pen.shape(PAGE, WIDTH);
            pen.line(PAGE_LINES, WIDTH);
        }
        Trigger::Link => icon(ARROW_RIGHT),
        Trigger::Signal => icon(TRIANGLE),
        Trigger::Terminate => pen.solid("M18 7.5A10.5 10.5 0 0 1 18 28.5A10.5 10.5 0 0 1 18 7.5Z"),
        Trigger::Multiple => icon(PENTAGON),
        Trigger::ParallelMultiple => icon(PLUS),
    }
}
