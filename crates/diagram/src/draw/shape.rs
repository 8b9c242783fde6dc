//! One shape: its group, which pages bind to, and the symbol inside.

use super::pen::Pen;
use super::{Context, activity, annotation, data, event, gateway, group, pool, unknown};
use crate::diagram::Diagram;
use crate::model::Symbol;
use crate::scene::Shape;
use crate::svg::{Svg, Value};

/// Containers by depth, then flow nodes, then boundary events. `choose` is asked with whether a shape is drawn below
/// the flows.
pub(super) fn in_drawing_order(diagram: &Diagram, choose: impl Fn(bool) -> bool) -> Vec<usize> {
    let depths = depths(diagram);
    let rank = |shape: &Shape| {
        let node = &diagram.model.nodes[shape.node];
        let depth = depths[shape.node];
        match node.symbol {
            Symbol::Participant { .. } => (0, 0),
            Symbol::Lane => (1, depth),
            Symbol::Activity(activity) if activity.is_sub_process() && shape.is_expanded => (2, depth),
            Symbol::Group => (5, 0),
            Symbol::Event(_) if node.symbol.is_boundary_event() => (4, 0),
            _ => (3, 0),
        }
    };
    let shapes = diagram.scene.shapes.iter().enumerate();
    let mut order: Vec<(usize, usize, usize)> = shapes
        .map(|(index, shape)| (rank(shape), index))
        .map(|((rank, depth), index)| (rank, depth, index))
        .filter(|(rank, ..)| choose(*rank < 3))
        .collect();
    order.sort_unstable();
    order.into_iter().map(|(_, _, index)| index).collect()
}

/// How many scopes each node stands in. Parents come before their children.
fn depths(diagram: &Diagram) -> Vec<usize> {
    let mut depths = vec![0; diagram.model.nodes.len()];
    for (index, node) in diagram.model.nodes.iter().enumerate() {
        depths[index] = node.parent.map_or(0, |parent| depths[parent] + 1);
    }
    depths
}

pub(super) fn draw(svg: &mut Svg, context: &Context<'_>, shape: &Shape) {
    let node = &context.diagram.model.nodes[shape.node];
    let ink = context.ink(&shape.colors);
    svg.tag("g").attribute("class", "element").attribute("data-element-id", &node.id);
    svg.attribute("data-element-type", &node.tag)
        .attribute("transform", Value::Move(shape.bounds.x, shape.bounds.y));
    svg.attribute("fill", ink.fill).attribute("stroke", ink.stroke).open();
    let pen = &mut Pen { svg, ink };
    match node.symbol {
        Symbol::Event(event) => event::draw(pen, shape, event),
        Symbol::Activity(activity) => activity::draw(pen, shape, node, activity),
        Symbol::Gateway(gateway) => gateway::draw(pen, shape, gateway),
        Symbol::Participant { is_multiple } => pool::participant(pen, shape, node, is_multiple),
        Symbol::Lane => pool::lane(pen, shape, node),
        Symbol::Data(data) => data::draw(pen, shape, data),
        Symbol::Annotation => annotation::draw(pen, shape, node),
        Symbol::Group => group::draw(pen, shape),
        Symbol::Process | Symbol::Unknown => unknown::draw(pen, shape, node),
    }
    pen.close();
    svg.line_break();
}
