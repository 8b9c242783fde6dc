//! Data objects, inputs and outputs, and stores.

use super::path::Path;
use super::pen::Pen;
use crate::model::{Data, DataKind};
use crate::scene::Shape;

/// The corner that is folded.
const FOLD: f64 = 10.0;

const ARROW: &str = "M5 8.5H11V5.5L17 10.5L11 15.5V12.5H5Z";

pub(super) fn draw(pen: &mut Pen<'_>, shape: &Shape, data: Data) {
    let (width, height) = (shape.bounds.width, shape.bounds.height);
    if data.kind == DataKind::Store {
        return store(pen, width, height);
    }
    let fold = FOLD.min(width / 2.0).min(height / 2.0);
    let page = Path::default().move_to(0.0, 0.0).line_to(width - fold, 0.0).line_to(width, fold);
    pen.shape(page.line_to(width, height).line_to(0.0, height).close().data(), 2.0);
    let corner = Path::default().move_to(width - fold, 0.0).line_to(width - fold, fold).line_to(width, fold);
    pen.line(corner.data(), 2.0);
    match data.kind {
        DataKind::Input => pen.shape(ARROW, 1.2),
        DataKind::Output => pen.solid(ARROW),
        DataKind::Object | DataKind::Store => {}
    }
    if data.is_collection {
        pen.open_at(width / 2.0 - 7.0, height - 16.0, 1.0);
        pen.solid("M3 1H4.8V13H3ZM6.1 1H7.9V13H6.1ZM9.2 1H11V13H9.2Z");
        pen.close();
    }
}

/// A drum with three rings.
fn store(pen: &mut Pen<'_>, width: f64, height: f64) {
    let (rx, ry) = (width / 2.0, (height / 8.0).min(width / 4.0));
    let drum = Path::default().move_to(0.0, ry).arc_to(rx, ry, true, width, ry);
    let drum = drum.line_to(width, height - ry).arc_to(rx, ry, true, 0.0, height - ry).close();
    pen.shape(drum.data(), 2.0);
    let mut rings = Path::default();
    for n in 0..3 {
        let y = ry + f64::from(n) * ry * 0.8;
        rings = rings.move_to(0.0, y).arc_to(rx, ry, false, width, y);
    }
    pen.line(rings.data(), 2.0);
}
