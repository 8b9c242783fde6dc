//! Tasks, call activities and subprocesses.

use super::label;
use super::pen::{Border, Pen};
use super::{marker, task_icon};
use crate::geometry::Rect;
use crate::model::{Activity, ActivityKind, DiagramNode, SubProcess, TaskKind};
use crate::scene::Shape;

const RADIUS: f64 = 10.0;
const PADDING: f64 = 5.0;
const MARKERS_HEIGHT: f64 = 18.0;
const ICON_AT: f64 = 4.0;
const ICON_HEIGHT: f64 = 20.0;
/// Where others stand inside, the name keeps clear of a second border.
const OPEN_PADDING: f64 = 7.0;

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape, node: &DiagramNode, activity: Activity) {
    let size = (shape.bounds.width, shape.bounds.height);
    border(pen, size, activity.kind);
    let icon = match activity.kind {
        ActivityKind::Task(kind) if kind != TaskKind::Plain => Some(kind),
        _ => None,
    };
    if let Some(kind) = icon {
        pen.open_at(ICON_AT, ICON_AT, 1.0);
        task_icon::draw(pen, kind);
        pen.close();
    }
    let markers = marker::of(activity, shape.is_expanded);
    marker::draw_all(pen, size, &markers);
    if activity.is_sub_process() && shape.is_expanded {
        let room = Rect::new(OPEN_PADDING, OPEN_PADDING, size.0 - 2.0 * OPEN_PADDING, size.1 - OPEN_PADDING);
        return label::inside(pen, &node.name, room, room.height, label::Vertical::Top);
    }
    let above = if icon.is_some() { ICON_HEIGHT } else { PADDING };
    let below = if markers.is_empty() { 0.0 } else { MARKERS_HEIGHT };
    let room = Rect::new(PADDING, 0.0, size.0 - 2.0 * PADDING, size.1);
    // Three lines in the middle keep clear of icons and markers.
    let height = (size.1 - above - below).max(size.1 - 2.0 * MARKERS_HEIGHT);
    label::inside(pen, &node.name, room, height, label::Vertical::MiddleBelow(above));
}

fn border(pen: &mut Pen<'_>, size: (f64, f64), kind: ActivityKind) {
    match kind {
        ActivityKind::Task(_) => pen.rectangle(size, 0.0, Border::plain(2.0, RADIUS)),
        ActivityKind::Call => pen.rectangle(size, 0.0, Border::plain(5.0, RADIUS)),
        ActivityKind::SubProcess(SubProcess::Event) => {
            pen.rectangle(size, 0.0, Border { dashes: Some("0.1 5"), ..Border::plain(2.0, RADIUS) });
        }
        ActivityKind::SubProcess(SubProcess::Transaction) => {
            pen.rectangle(size, 0.0, Border::plain(1.5, RADIUS));
            pen.rectangle(size, 3.5, Border { is_filled: false, ..Border::plain(1.5, RADIUS - 3.0) });
        }
        ActivityKind::SubProcess(_) => pen.rectangle(size, 0.0, Border::plain(2.0, RADIUS)),
    }
}
