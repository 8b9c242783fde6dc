//! Overlays: frames around active elements, and figures at the corners of their shapes.

use super::Context;
use crate::color::Color;
use crate::geometry::Rect;
use crate::scene::Shape;
use crate::svg::Svg;
use crate::text::width;

const HEIGHT: f64 = 18.0;
const SIZE: f64 = 11.0;

pub(super) fn all(svg: &mut Svg, context: &Context<'_>) {
    if context.overlays.is_empty() {
        return;
    }
    for shape in &context.diagram.scene.shapes {
        of_shape(svg, context, shape);
    }
}

fn of_shape(svg: &mut Svg, context: &Context<'_>, shape: &Shape) {
    let node = &context.diagram.model.nodes[shape.node];
    let overlay = context.overlays.of(&node.id);
    if overlay == crate::overlay::Overlay::default() {
        return;
    }
    let (bounds, palette) = (&shape.bounds, &context.palette);
    svg.tag("g").attribute("class", "overlay").attribute("data-overlay-of", &node.id).open();
    if overlay.tokens > 0 || overlay.incidents > 0 {
        let color = if overlay.incidents > 0 { palette.incident } else { palette.token };
        frame(svg, bounds.grown(4.0), color);
    }
    // Tokens and incidents above, where boundary events are rare; what is over below.
    if overlay.tokens > 0 {
        let badge = Badge { kind: "tokens", figure: figure(overlay.tokens), color: palette.token };
        badge.draw(svg, context, (bounds.x, bounds.y));
    }
    if overlay.incidents > 0 {
        let figure = format!("!{}", figure(overlay.incidents));
        let badge = Badge { kind: "incidents", figure, color: palette.incident };
        badge.draw(svg, context, (bounds.right(), bounds.y));
    }
    if overlay.completed > 0 {
        let badge = Badge { kind: "completed", figure: figure(overlay.completed), color: palette.completed };
        badge.draw(svg, context, (bounds.x, bounds.bottom()));
    }
    svg.end("g");
    svg.line_break();
}

fn frame(svg: &mut Svg, bounds: Rect, color: Color) {
    svg.tag("rect").attribute("x", bounds.x).attribute("y", bounds.y);
    svg.attribute("width", bounds.width).attribute("height", bounds.height).attribute("rx", 12.0);
    svg.attribute("fill", "none").attribute("stroke", color).attribute("stroke-width", 2.5).close_empty();
}

struct Badge {
    kind: &'static str,
    figure: String,
    color: Color,
}

impl Badge {
    fn draw(&self, svg: &mut Svg, context: &Context<'_>, at: (f64, f64)) {
        let wide = (width(&self.figure, SIZE) + 10.0).max(HEIGHT);
        svg.tag("g").attribute("class", self.kind).open();
        svg.tag("rect").attribute("x", at.0 - wide / 2.0).attribute("y", at.1 - HEIGHT / 2.0);
        svg.attribute("width", wide).attribute("height", HEIGHT).attribute("rx", HEIGHT / 2.0);
        svg.attribute("fill", self.color).attribute("stroke", context.palette.background);
        svg.attribute("stroke-width", 1.5).close_empty();
        svg.tag("text").attribute("x", at.0).attribute("y", at.1 + SIZE * 0.36);
        svg.attribute("font-size", SIZE).attribute("font-weight", "bold").attribute("text-anchor", "middle");
        svg.attribute("fill", context.palette.background).open().text(&self.figure);
        svg.end("text");
        svg.end("g");
    }
}

/// Large figures in short.
fn figure(count: u64) -> String {
    match count {
        0..10_000 => count.to_string(),
        10_000..1_000_000 => format!("{}k", count / 1_000),
        1_000_000..1_000_000_000 => format!("{}M", count / 1_000_000),
        _ => format!("{}G", count / 1_000_000_000),
    }
}
