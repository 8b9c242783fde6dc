//! The elements of a file as far as drawing needs them: symbols and what connects them, without regard to whether a
//! process could run.

mod symbol;

pub(crate) use symbol::{
    Activity, ActivityKind, Data, DataKind, Event, EventPlace, Gateway, Repetition, SubProcess, Symbol,
    TaskKind, Trigger,
};

use rustc_hash::FxHashMap;

pub(crate) type NodeIndex = usize;
pub(crate) type EdgeIndex = usize;

#[derive(Clone, Debug, Default)]
pub(crate) struct Model {
    /// Those that contain others come before what they contain.
    pub(crate) nodes: Vec<DiagramNode>,
    pub(crate) edges: Vec<Edge>,
    pub(crate) by_id: FxHashMap<String, End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum End {
    DiagramNode(NodeIndex),
    Edge(EdgeIndex),
}

#[derive(Clone, Debug)]
pub(crate) struct DiagramNode {
    pub(crate) id: String,
    /// The element's name in BPMN, such as `serviceTask`.
    pub(crate) tag: String,
    /// The text of the label.
    pub(crate) name: String,
    pub(crate) symbol: Symbol,
    /// The process, subprocess, pool or lane that it stands in.
    pub(crate) parent: Option<NodeIndex>,
    /// The activity that a boundary event is attached to.
    pub(crate) host: Option<NodeIndex>,
    pub(crate) lane: Option<NodeIndex>,
    /// The process of a pool.
    pub(crate) process: Option<NodeIndex>,
    /// The id of the category value: of a group, or of a member of it.
    pub(crate) category: Option<String>,
}

#[derive(Clone, Debug)]
pub(crate) struct Edge {
    pub(crate) id: String,
    pub(crate) tag: String,
    pub(crate) name: String,
    pub(crate) kind: EdgeKind,
    pub(crate) source: Option<End>,
    pub(crate) target: Option<End>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum EdgeKind {
    Sequence {
        is_default: bool,
        is_conditional: bool,
    },
    Message,
    Association {
        at_source: bool,
        at_target: bool,
    },
    Data,
    /// A conversation link, or something unknown.
    Plain,
}

impl Model {
    pub(crate) fn id_of(&self, end: End) -> &str {
        match end {
            End::DiagramNode(node) => &self.nodes[node].id,
            End::Edge(edge) => &self.edges[edge].id,
        }
    }

    pub(crate) fn node(&self, end: Option<End>) -> Option<NodeIndex> {
        match end {
            Some(End::DiagramNode(node)) => Some(node),
            _ => None,
        }
    }
}
