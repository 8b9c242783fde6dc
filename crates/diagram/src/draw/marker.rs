//! Markers at the lower edge of activities: collapsed, repeated, for compensation, ad hoc. Each is drawn within a
//! square of 14, and all of them side by side in the middle.

use super::pen::Pen;
use crate::model::{Activity, ActivityKind, Repetition, SubProcess};

const SIZE: f64 = 14.0;
const GAP: f64 = 4.0;
const BOTTOM: f64 = 4.0;

#[derive(Clone, Copy)]
pub(super) enum Marker {
    Collapsed,
    Loop,
    Parallel,
    Sequential,
    Compensation,
    AdHoc,
}

pub(super) fn of(activity: Activity, is_expanded: bool) -> Vec<Marker> {
    let mut markers = Vec::new();
    if activity.is_sub_process() && !is_expanded {
        markers.push(Marker::Collapsed);
    }
    markers.extend(activity.repetition.map(|repetition| match repetition {
        Repetition::Loop => Marker::Loop,
        Repetition::Parallel => Marker::Parallel,
        Repetition::Sequential => Marker::Sequential,
    }));
    if activity.is_for_compensation {
        markers.push(Marker::Compensation);
    }
    if activity.kind == ActivityKind::SubProcess(SubProcess::AdHoc) {
        markers.push(Marker::AdHoc);
    }
    markers
}

pub(super) fn draw_all(pen: &mut Pen<'_>, size: (f64, f64), markers: &[Marker]) {
    let width = markers.len() as f64 * (SIZE + GAP) - GAP;
    for (n, marker) in markers.iter().enumerate() {
        let x = (size.0 - width) / 2.0 + n as f64 * (SIZE + GAP);
        pen.open_at(x, size.1 - SIZE - BOTTOM, 1.0);
        draw(pen, *marker);
        pen.close();
    }
}

fn draw(pen: &mut Pen<'_>, marker: Marker) {
    match marker {
        Marker::Collapsed => {
            pen.line("M0 0H14V14H0Z", 1.2);
            pen.line("M7 3V11M3 7H11", 1.2);
        }
        Marker::Loop => {
            pen.line("M4.6 12.6A6 6 0 1 1 9.4 12.6", 1.5);
            pen.line("M1.4 11.8L4.8 12.7L5.2 9.2", 1.5);
        }
        Marker::Parallel => {
            pen.solid("M1.5 0.5H3.9V13.5H1.5ZM5.8 0.5H8.2V13.5H5.8ZM10.1 0.5H12.5V13.5H10.1Z")
        }
        Marker::Sequential => {
            pen.solid("M0.5 1.5V3.9H13.5V1.5ZM0.5 5.8V8.2H13.5V5.8ZM0.5 10.1V12.5H13.5V10.1Z")
        }
        Marker::Compensation => pen.shape("M6.6 1.8V12.2L0 7ZM13.4 1.8V12.2L6.8 7Z", 1.2),
        Marker::AdHoc => pen.solid(
            "M0.5 9.6V6.8C2.4 3.6 4.6 3.4 7 5.4C9.4 7.4 11.4 7 13.5 4.2V7C11.4 10.2 9.2 10.4 6.8 8.4\
             C4.4 6.4 2.6 6.8 0.5 9.6Z",
        ),
    }
}
