//! A cell: an element together with all that stays close to it, such as boundary events, notes and labels. Cells do
//! not overlap, so nothing in them does.

use super::plan::Plan;
use super::size::{self, EVENT};
use crate::draw::outside_size;
use crate::geometry::Rect;
use crate::model::{NodeIndex, Symbol};

/// Between the middles of boundary events, so that markers show between two of them, and from the corner of the activity to the middle of the first.
const EVENT_STEP: f64 = 56.0;
const EVENT_CORNER: f64 = 22.0;
const LABEL_GAP: f64 = 5.0;
/// Between flows that leave boundary events side by side.
const EXIT_STEP: f64 = 10.0;
const ARTIFACT_GAP: f64 = 20.0;
const LOOP_ROOM: f64 = 14.0;

pub(super) struct Cell {
    pub(super) node: NodeIndex,
    /// Size of the element itself.
    pub(super) width: f64,
    pub(super) height: f64,
    /// How far the cell reaches from the middle of the element.
    pub(super) above: f64,
    pub(super) below: f64,
    pub(super) half_width: f64,
    /// Boundary events from right to left: the middle of each, from the right edge of the element.
    pub(super) events: Vec<(NodeIndex, f64)>,
    artifacts: Vec<NodeIndex>,
    /// Which lane of the process, counted from the top.
    pub(super) lane: usize,
}

impl Cell {
    pub(super) fn new(
        plan: &Plan<'_>,
        node: NodeIndex,
        events: &[NodeIndex],
        artifacts: Vec<NodeIndex>,
        has_loop: bool,
    ) -> Cell {
        let (width, height) = size::of(plan, node);
        let mut cell = Cell {
            node,
            width,
            height,
            above: height / 2.0,
            below: height / 2.0,
            half_width: width / 2.0,
            events: Vec::new(),
            artifacts,
            lane: 0,
        };
        cell.hang_events(plan, events);
        cell.make_room_for_label(plan);
        cell.make_room_for_artifacts(plan);
        if has_loop {
            cell.above += LOOP_ROOM;
            cell.half_width += LOOP_ROOM;
        }
        (cell.above, cell.below) = (cell.above.ceil(), cell.below.ceil());
        cell.half_width = cell.half_width.ceil();
        cell
    }

    fn hang_events(&mut self, plan: &Plan<'_>, events: &[NodeIndex]) {
        let (mut middle, mut label_height, mut left) = (EVENT_CORNER, 0.0, 0.0);
        for event in events {
            self.events.push((*event, middle));
            let (label_width, height) = outside_size(&plan.model.nodes[*event].name);
            label_height = f64::max(label_height, height);
            left = middle + f64::max(EVENT_CORNER, label_width + 10.0);
            middle += f64::max(EVENT_STEP, label_width + 10.0).ceil();
        }
        if !events.is_empty() {
            self.width = self.width.max(left.ceil());
            self.half_width = self.width / 2.0;
            let exits = events.len() as f64 * EXIT_STEP;
            self.below = self.height / 2.0 + EVENT / 2.0 + f64::max(label_height, 4.0) + exits;
        }
    }

    fn make_room_for_label(&mut self, plan: &Plan<'_>) {
        let node = &plan.model.nodes[self.node];
        let (width, height) = match node.symbol {
            Symbol::Event(_) | Symbol::Gateway(_) | Symbol::Data(_) if !node.name.is_empty() => {
                outside_size(&node.name)
            }
            _ => return,
        };
        self.half_width = self.half_width.max(width / 2.0);
        // Flows leave gateways below, so their labels stand above.
        if matches!(node.symbol, Symbol::Gateway(_)) {
            self.above += height + LABEL_GAP;
        } else {
            self.below += height + LABEL_GAP;
        }
    }

    fn make_room_for_artifacts(&mut self, plan: &Plan<'_>) {
        let slots = self.artifacts.iter().map(|artifact| slot(plan, *artifact));
        let (width, height) =
            slots.fold((0.0, 0.0), |(w, h), (width, height)| (w + width, f64::max(h, height)));
        if width > 0.0 {
            self.half_width = self.half_width.max(width / 2.0);
            self.above += height + ARTIFACT_GAP;
        }
    }

    /// How far below the middle the flow of a boundary event may turn to the side.
    pub(super) fn exit_below(&self, event: usize) -> f64 {
        self.below - (self.events.len() - event) as f64 * EXIT_STEP + EXIT_STEP / 2.0
    }

    /// Writes the places of everything in the cell.
    pub(super) fn put(&self, plan: &mut Plan<'_>, x: f64, y: f64) {
        let place = Rect::new(x - self.width / 2.0, y - self.height / 2.0, self.width, self.height);
        plan.places[self.node] = Some(place);
        for (event, from_right) in &self.events {
            let middle = place.right() - from_right;
            plan.places[*event] =
                Some(Rect::new(middle - EVENT / 2.0, place.bottom() - EVENT / 2.0, EVENT, EVENT));
            let (width, height) = outside_size(&plan.model.nodes[*event].name);
            plan.labels[*event] =
                Some(Rect::new(middle - 6.0 - width, place.bottom() + EVENT / 2.0, width, height));
        }
        let mut top = place.y;
        if matches!(plan.symbol(self.node), Symbol::Gateway(_)) {
            let (width, height) = outside_size(&plan.model.nodes[self.node].name);
            top -= if height > 0.0 { height + LABEL_GAP } else { 0.0 };
            plan.labels[self.node] = (width > 0.0)
                .then(|| Rect::new(x - width / 2.0, place.y - height - LABEL_GAP + 2.0, width, height));
        }
        self.put_artifacts(plan, x, top - ARTIFACT_GAP);
    }

    fn put_artifacts(&self, plan: &mut Plan<'_>, x: f64, bottom: f64) {
        let slots: Vec<(f64, f64)> = self.artifacts.iter().map(|artifact| slot(plan, *artifact)).collect();
        let mut left = x - slots.iter().map(|(width, _)| width).sum::<f64>() / 2.0;
        for (artifact, (slot_width, slot_height)) in self.artifacts.iter().zip(slots) {
            let (width, height) = size::of(plan, *artifact);
            let place = Rect::new(left + (slot_width - width) / 2.0, bottom - height, width, height);
            plan.places[*artifact] = Some(place);
            // The association comes from below, so a label stands above.
            if matches!(plan.symbol(*artifact), Symbol::Data(_)) {
                let (width, height) = outside_size(&plan.model.nodes[*artifact].name);
                let x = place.center().x - width / 2.0;
                plan.labels[*artifact] =
                    (width > 0.0).then(|| Rect::new(x, bottom - slot_height, width, height));
            }
            left += slot_width;
        }
    }
}

/// The room that an artifact takes with its label and a distance to the next.
fn slot(plan: &Plan<'_>, artifact: NodeIndex) -> (f64, f64) {
    let (width, height) = size::of(plan, artifact);
    match plan.symbol(artifact) {
        Symbol::Data(_) => {
            let (label_width, label_height) = outside_size(&plan.model.nodes[artifact].name);
            (width.max(label_width).ceil() + 10.0, (height + label_height + LABEL_GAP).ceil())
        }
        _ => (width + 10.0, height),
    }
}
