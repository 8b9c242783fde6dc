//! Events: one thin ring for those that begin, two for those in between, a thick one for those that end. Dashed
//! rings do not interrupt.

use super::event_icon;
use super::pen::Pen;
use crate::model::{Event, EventPlace, Trigger};
use crate::scene::Shape;

/// Icons are drawn for a circle of this diameter.
const SIZE: f64 = 36.0;
const RING_GAP: f64 = 3.0;
const DASHES: &str = "5 3.5";

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape, event: Event) {
    let (x, y) = (shape.bounds.width / 2.0, shape.bounds.height / 2.0);
    let radius = x.min(y);
    let dashes = (!event.is_interrupting).then_some(DASHES);
    match event.place {
        EventPlace::Start => pen.circle(x, y, radius, 2.0, dashes),
        EventPlace::End => pen.circle(x, y, radius, 4.0, None),
        EventPlace::Catch | EventPlace::Boundary | EventPlace::Throw => {
            pen.circle(x, y, radius, 1.5, dashes);
            pen.circle(x, y, (radius - RING_GAP).max(0.0), 1.5, dashes);
        }
    }
    if event.trigger != Trigger::None {
        let is_filled = matches!(event.place, EventPlace::Throw | EventPlace::End);
        let scale = 2.0 * radius / SIZE;
        pen.open_at(x - radius, y - radius, scale);
        event_icon::draw(pen, event.trigger, is_filled);
        pen.close();
    }
}
