//! Gateways: a diamond with its marker, which is drawn for a size of 50.

use super::path::Path;
use super::pen::Pen;
use crate::model::Gateway;
use crate::scene::Shape;

const SIZE: f64 = 50.0;

const CROSS: &str = "M17 14L25 22L33 14L36 17L28 25L36 33L33 36L25 28L17 36L14 33L22 25L14 17Z";
const PLUS: &str = "M22.8 11H27.2V22.8H39V27.2H27.2V39H22.8V27.2H11V22.8H22.8Z";
const STAR: &str = "M23 11H27V19.9L33.2 13.7L36.3 16.8L30.1 23H39V27H30.1L36.3 33.2L33.2 36.3L27 30.1V39H23V30.1\
    L16.8 36.3L13.7 33.2L19.9 27H11V23H19.9L13.7 16.8L16.8 13.7L23 19.9Z";
const PENTAGON: &str = "M25 18.4L31.7 23.2L29.1 31.1L20.9 31.1L18.3 23.2Z";
const SMALL_PLUS: &str = "M23.3 18.5H26.7V23.3H31.5V26.7H26.7V31.5H23.3V26.7H18.5V23.3H23.3Z";

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape, gateway: Gateway) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    let (x, y) = (width / 2.0, height / 2.0);
    let diamond =
        Path::default().move_to(x, 0.0).line_to(width, y).line_to(x, height).line_to(0.0, y).close();
    pen.shape(diamond.data(), 2.0);
    if gateway == Gateway::Exclusive && !shape.has_marker {
        return;
    }
    let side = width.min(height);
    pen.open_at(x - side / 2.0, y - side / 2.0, side / SIZE);
    marker(pen, gateway);
    pen.close();
}

fn marker(pen: &mut Pen<'_>, gateway: Gateway) {
    let ring = |pen: &mut Pen<'_>, radius| pen.circle(25.0, 25.0, radius, 1.2, None);
    match gateway {
        Gateway::Exclusive => pen.solid(CROSS),
        Gateway::Parallel => pen.solid(PLUS),
        Gateway::Inclusive => pen.circle(25.0, 25.0, 12.0, 3.0, None),
        Gateway::Complex => pen.solid(STAR),
        Gateway::EventBased => {
            ring(pen, 13.5);
            ring(pen, 11.0);
            pen.line(PENTAGON, 1.2);
        }
        Gateway::EventBasedStart => {
            ring(pen, 12.5);
            pen.line(PENTAGON, 1.2);
        }
        Gateway::ParallelEventBasedStart => {
            ring(pen, 12.5);
            pen.line(SMALL_PLUS, 1.2);
        }
    }
}
