//! Draws the icon of a task type in the upper left corner of the task, within a square of 22 units.

use super::pen::Pen;
use crate::model::TaskKind;

const WIDTH: f64 = 1.1;

const GEAR_BEHIND: &str = "M12.8 6.9L14.5 7L14.5 9L12.8 9.1L12.2 10.6L13.3 11.9L11.9 13.3L10.6 12.2L9.1 12.8L9 14.5\
    L7 14.5L6.9 12.8L5.4 12.2L4.1 13.3L2.7 11.9L3.8 10.6L3.2 9.1L1.5 9L1.5 7L3.2 6.9L3.8 5.4L2.7 4.1L4.1 2.7L5.4 3.8\
    L6.9 3.2L7 1.5L9 1.5L9.1 3.2L10.6 3.8L11.9 2.7L13.3 4.1L12.2 5.4ZM10.4 8a2.4 2.4 0 1 0 -4.8 0a2.4 2.4 0 1 0 4.8 0Z";
const GEAR: &str = "M18.3 12.4L20 12.5L20 14.5L18.3 14.6L17.7 16.1L18.8 17.4L17.4 18.8L16.1 17.7L14.6 18.3L14.5 20\
    L12.5 20L12.4 18.3L10.9 17.7L9.6 18.8L8.2 17.4L9.3 16.1L8.7 14.6L7 14.5L7 12.5L8.7 12.4L9.3 10.9L8.2 9.6L9.6 8.2\
    L10.9 9.3L12.4 8.7L12.5 7L14.5 7L14.6 8.7L16.1 9.3L17.4 8.2L18.8 9.6L17.7 10.9ZM15.9 13.5a2.4 2.4 0 1 0 -4.8 0\
    a2.4 2.4 0 1 0 4.8 0Z";
const ENVELOPE: &str = "M2 4.5H20V16.5H2Z";
const FLAP: &str = "M2 4.5L11 11.5L20 4.5";
const SMALL_ENVELOPE: &str = "M5.5 7.5H16.5V14.5H5.5Z";
const SMALL_FLAP: &str = "M5.5 7.5L11 11.8L16.5 7.5";
const HEAD: &str =
    "M11 2.2C13.4 2.2 15 4 15 6.4C15 9 13.3 11.4 11 11.4C8.7 11.4 7 9 7 6.4C7 4 8.6 2.2 11 2.2Z";
const SHOULDERS: &str = "M2.5 19.5C2.5 14.6 4.6 12.7 8.2 11.6C9 13 10 13.6 11 13.6C12 13.6 13 13 13.8 11.6\
    C17.4 12.7 19.5 14.6 19.5 19.5Z";
const ARMS: &str = "M6 19.5V16.3M16 19.5V16.3";
const HAIR: &str = "M7 6.4C7 3.7 8.7 2 11 2C13.3 2 15 3.7 15 6.4C13.2 6.6 12 6 11.2 5C10.2 6 8.6 6.6 7 6.4Z";
const HAND: &str = "M2 9.2C3.6 6.4 5.6 4.2 7.6 3.4H11.4C12.9 3.4 12.9 5.6 11.4 5.6H9.4L8.6 7.2H18.4\
    C19.9 7.2 19.9 9.5 18.4 9.5H19.2C20.7 9.5 20.7 11.8 19.2 11.8H18.6C20 11.8 20 14.1 18.6 14.1H17.4\
    C18.8 14.1 18.8 16.3 17.4 16.3H7C5 16.3 3.4 15.6 2 14.6Z";
const FINGERS: &str = "M12 9.5H18.4M12 11.8H18.6M12 14.1H17.4";
const TABLE: &str = "M2 4.5H20V17.5H2Z";
const TABLE_HEAD: &str = "M2 4.5H20V8.5H2Z";
const TABLE_LINES: &str = "M2 8.5H20M2 13H20M7.5 8.5V17.5";
const SCROLL: &str = "M7.5 2.5H19C15 6 15.4 8 17.2 11C19 14 18.4 16.6 14.8 19.5H3.2C6.8 16.6 7.4 14 5.6 11\
    C3.8 8 3.6 5.6 7.5 2.5Z";
const SCROLL_LINES: &str = "M6.9 6H13.2M7.6 9.2H13.8M9 12.6H15.2M8.6 16H14.8";

pub(super) fn draw(pen: &mut Pen<'_>, kind: TaskKind) {
    match kind {
        TaskKind::Plain => {}
        TaskKind::Service => {
            pen.shape(GEAR_BEHIND, 1.0);
            pen.shape(GEAR, 1.0);
        }
        TaskKind::Send => {
            pen.solid(ENVELOPE);
            pen.inverse_line(FLAP, WIDTH);
        }
        TaskKind::Receive { instantiates: false } => {
            pen.shape(ENVELOPE, WIDTH);
            pen.line(FLAP, WIDTH);
        }
        TaskKind::Receive { instantiates: true } => {
            pen.circle(11.0, 11.0, 9.0, 1.0, None);
            pen.shape(SMALL_ENVELOPE, 1.0);
            pen.line(SMALL_FLAP, 1.0);
        }
        TaskKind::User => {
            pen.shape(SHOULDERS, WIDTH);
            pen.line(ARMS, WIDTH);
            pen.shape(HEAD, WIDTH);
            pen.solid(HAIR);
        }
        TaskKind::Manual => {
            pen.shape(HAND, WIDTH);
            pen.line(FINGERS, WIDTH);
        }
        TaskKind::BusinessRule => {
            pen.shape(TABLE, WIDTH);
            pen.solid(TABLE_HEAD);
            pen.line(TABLE_LINES, WIDTH);
        }
        TaskKind::Script => {
            pen.shape(SCROLL, WIDTH);
            pen.line(SCROLL_LINES, WIDTH);
        }
    }
}
