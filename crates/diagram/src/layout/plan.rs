//! The positions that a layout has chosen so far. They are relative to the scope of each element until the end, when
//! they become positions in the whole picture.

use crate::geometry::{Point, Rect};
use crate::limits::LAYOUT_ELEMENTS_MAX;
use crate::model::{EdgeIndex, Model, NodeIndex, Symbol};
use crate::scene::{Colors, Connection, Scene, Shape};
use rustc_hash::{FxHashMap, FxHashSet};

pub(super) struct Plan<'a> {
    pub(super) model: &'a Model,
    /// Of each scope, what stands in it.
    pub(super) members: Vec<Vec<NodeIndex>>,
    /// Of each scope, the edges whose source stands in it.
    pub(super) edges: Vec<Vec<EdgeIndex>>,
    /// Of each process, its lanes, outer before inner.
    pub(super) lanes_of: FxHashMap<NodeIndex, Vec<NodeIndex>>,
    /// The pool of each process.
    pub(super) pool_of: FxHashMap<NodeIndex, NodeIndex>,
    /// Category values that elements other than groups have.
    categories: FxHashSet<&'a str>,
    pub(super) places: Vec<Option<Rect>>,
    pub(super) labels: Vec<Option<Rect>>,
    pub(super) routes: Vec<Option<Vec<Point>>>,
    pub(super) flow_labels: Vec<Option<Rect>>,
    /// Of each scope, how large its contents are.
    pub(super) sizes: Vec<(f64, f64)>,
    /// Of each scope that is not drawn itself, where its contents begin.
    pub(super) origins: Vec<Point>,
    /// Upper and lower edges of the lanes of each process, in the process.
    pub(super) lanes: Vec<Vec<(f64, f64)>>,
}

impl<'a> Plan<'a> {
    pub(super) fn new(model: &'a Model) -> Plan<'a> {
        let count = model.nodes.len().min(LAYOUT_ELEMENTS_MAX);
        let mut plan = Plan {
            model,
            members: vec![Vec::new(); count],
            edges: vec![Vec::new(); count],
            lanes_of: FxHashMap::default(),
            pool_of: FxHashMap::default(),
            categories: FxHashSet::default(),
            places: vec![None; count],
            labels: vec![None; count],
            routes: vec![None; model.edges.len()],
            flow_labels: vec![None; model.edges.len()],
            sizes: vec![(0.0, 0.0); count],
            origins: vec![Point::default(); count],
            lanes: vec![Vec::new(); count],
        };
        for node in 0..count {
            plan.note_node(node);
        }
        for (index, edge) in model.edges.iter().enumerate() {
            let source = model.node(edge.source).filter(|source| *source < count);
            let is_left_out = model.node(edge.target).is_some_and(|target| target >= count);
            let scope = source.and_then(|source| model.nodes[source].parent);
            if let Some(scope) = scope.filter(|_| !is_left_out) {
                plan.edges[scope].push(index);
            }
        }
        plan
    }

    fn note_node(&mut self, node: NodeIndex) {
        let found = &self.model.nodes[node];
        if found.symbol != Symbol::Group {
            self.categories.extend(found.category.as_deref());
        }
        match (found.symbol, found.parent) {
            (Symbol::Participant { .. }, _) => {
                if let Some(process) = found.process {
                    self.pool_of.entry(process).or_insert(node);
                }
            }
            (Symbol::Lane, _) => {
                let parents = std::iter::successors(found.parent, |parent| self.model.nodes[*parent].parent);
                let process = parents.into_iter().find(|parent| self.symbol(*parent) == Symbol::Process);
                if let Some(process) = process {
                    self.lanes_of.entry(process).or_default().push(node);
                }
            }
            (_, Some(scope)) => self.members[scope].push(node),
            (_, None) => {}
        }
    }

    /// True if a node is a group with members: it follows them and needs no place of its own.
    pub(super) fn is_frame(&self, node: NodeIndex) -> bool {
        let found = &self.model.nodes[node];
        let has_members = |category: &String| self.categories.contains(category.as_str());
        found.symbol == Symbol::Group && found.category.as_ref().is_some_and(has_members)
    }

    /// How many nodes take part.
    pub(super) fn count(&self) -> usize {
        self.places.len()
    }

    pub(super) fn symbol(&self, node: NodeIndex) -> Symbol {
        self.model.nodes[node].symbol
    }

    /// The activity that an event hangs on, if both stand in the same scope.
    pub(super) fn host(&self, node: NodeIndex) -> Option<NodeIndex> {
        let found = &self.model.nodes[node];
        let host = found.host.filter(|host| *host < self.count())?;
        (self.model.nodes[host].parent == found.parent && host != node).then_some(host)
    }

    /// Moves everything from the coordinates of its scope to those of the picture.
    pub(super) fn make_absolute(&mut self) {
        for scope in 0..self.count() {
            if !self.symbol(scope).is_scope() {
                continue;
            }
            let origin = match self.places[scope] {
                Some(place) => Point::new(place.x, place.y),
                None => self.origins[scope],
            };
            for member in std::mem::take(&mut self.members[scope]) {
                let place = self.places[member].map(|place| place.moved(origin.x, origin.y));
                self.places[member] = place;
                self.labels[member] = self.labels[member].map(|label| label.moved(origin.x, origin.y));
            }
            for edge in std::mem::take(&mut self.edges[scope]) {
                let points = self.routes[edge].iter_mut().flatten();
                points.for_each(|point| *point = Point::new(point.x + origin.x, point.y + origin.y));
                self.flow_labels[edge] = self.flow_labels[edge].map(|label| label.moved(origin.x, origin.y));
            }
        }
    }

    pub(super) fn into_scene(self) -> Scene {
        let mut scene = Scene::default();
        for (node, place) in self.places.iter().enumerate() {
            let Some(bounds) = *place else { continue };
            let mut shape = Shape::new(node, bounds);
            shape.label = self.labels[node];
            if let Symbol::Activity(activity) = self.symbol(node) {
                shape.is_expanded = !activity.is_sub_process() || self.sizes[node].0 > 0.0;
            }
            scene.shapes.push(shape);
        }
        for (edge, route) in self.routes.into_iter().enumerate() {
            if let Some(points) = route.filter(|points| points.len() >= 2) {
                let label = self.flow_labels[edge];
                scene.connections.push(Connection { edge, points, label, colors: Colors::default() });
            }
        }
        scene
    }
}
