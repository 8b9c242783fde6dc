//! From a scene to SVG. Containers come first, then flows, then what stands in them, labels, and overlays on top.

mod activity;
mod annotation;
mod badge;
mod data;
mod event;
mod event_icon;
mod flow;
mod gateway;
mod group;
mod label;
mod marker;
mod path;
mod pen;
mod pool;
mod shape;
mod style;
mod task_icon;
mod unknown;

pub use style::{Style, Theme};

pub(crate) use label::outside_size;

use crate::diagram::Diagram;
use crate::geometry::Rect;
use crate::overlay::Overlays;
use crate::svg::{Number, Svg, Value};
use label::Label;
use style::Palette;

const MARGIN: f64 = 20.0;
/// Bytes of SVG that one element usually takes.
const BYTES_PER_ELEMENT: usize = 900;

/// Facts that all parts of a drawing need.
pub(crate) struct Context<'a> {
    pub(crate) diagram: &'a Diagram,
    pub(crate) palette: Palette,
    pub(crate) overlays: &'a Overlays,
}

pub(crate) fn svg(diagram: &Diagram, style: &Style, overlays: &Overlays) -> String {
    let context = Context { diagram, palette: Palette::new(style.theme), overlays };
    let scene = &diagram.scene;
    let mut svg = Svg::with_capacity((scene.shapes.len() + scene.connections.len() + 4) * BYTES_PER_ELEMENT);
    let labels = label::all(&context);
    let view = view(&context, &labels);
    open(&mut svg, &context, style, view);
    for index in shape::in_drawing_order(diagram, |is_below_flows| is_below_flows) {
        shape::draw(&mut svg, &context, &scene.shapes[index]);
    }
    for connection in &scene.connections {
        flow::draw(&mut svg, &context, connection);
    }
    for index in shape::in_drawing_order(diagram, |is_below_flows| !is_below_flows) {
        shape::draw(&mut svg, &context, &scene.shapes[index]);
    }
    labels.iter().for_each(|label| label.draw(&mut svg));
    badge::all(&mut svg, &context);
    svg.end("g");
    svg.end("svg");
    svg.line_break();
    svg.finish()
}

fn view(context: &Context<'_>, labels: &[Label<'_>]) -> Rect {
    let scene = &context.diagram.scene;
    let shapes = scene.shapes.iter().map(|shape| shape.bounds);
    let points = scene.connections.iter().flat_map(|connection| &connection.points);
    let points = points.map(|point| Rect::new(point.x, point.y, 0.0, 0.0));
    let all = shapes.chain(points).chain(labels.iter().map(Label::extent));
    let view = all.reduce(Rect::union).unwrap_or(Rect::new(0.0, 0.0, 100.0, 60.0)).grown(MARGIN);
    // Whole pixels keep horizontal and vertical lines sharp.
    let (x, y) = (view.x.floor(), view.y.floor());
    Rect::new(x, y, (view.right() - x).ceil(), (view.bottom() - y).ceil())
}

fn open(svg: &mut Svg, context: &Context<'_>, style: &Style, view: Rect) {
    let numbers = [view.x, view.y, view.width, view.height].map(|number| Number(number).to_string());
    svg.tag("svg").attribute("xmlns", Value::Raw("http://www.w3.org/2000/svg"));
    svg.attribute("width", view.width).attribute("height", view.height);
    svg.attribute("viewBox", Value::Raw(&numbers.join(" "))).attribute("class", "tidemill-diagram");
    svg.open();
    svg.line_break();
    if style.has_background {
        svg.tag("rect").attribute("class", "background").attribute("x", view.x).attribute("y", view.y);
        svg.attribute("width", view.width).attribute("height", view.height);
        svg.attribute("fill", context.palette.background).close_empty();
        svg.line_break();
    }
    svg.tag("g").attribute("stroke-linejoin", "round");
    svg.attribute("font-family", "Arial, Helvetica, sans-serif").open();
    svg.line_break();
}
