//! All elements of a file that can be drawn, in document order and without recursion.

use super::lookup::Lookup;
use super::tag::{child_text, has_child, is_bpmn, is_true, local, name};
use super::{activity, connect, edge, event};
use crate::model::{Data, DataKind, DiagramNode, Edge, End, Model, NodeIndex, Symbol};
use roxmltree::{Document, Node as Xml};
use rustc_hash::FxHashMap;

/// The elements of a file as they were read, before references between them are followed.
#[derive(Default)]
pub(super) struct Reading<'a> {
    pub(super) model: Model,
    /// Of each edge, the ids of its ends.
    pub(super) ends: Vec<(Option<&'a str>, Option<&'a str>)>,
    /// Of each node, the XML element that it was read from.
    pub(super) tags: Vec<Xml<'a, 'a>>,
    lookup: Lookup<'a>,
    /// The nodes and other scopes by the number of their XML element.
    scopes: FxHashMap<u32, NodeIndex>,
}

pub(super) fn model<'a>(document: &'a Document<'a>) -> Model {
    let mut reading = Reading { lookup: Lookup::new(document), ..Reading::default() };
    for xml in document.root_element().descendants().filter(is_bpmn) {
        reading.element(xml);
    }
    connect::references(&mut reading);
    reading.model
}

impl<'a> Reading<'a> {
    fn element(&mut self, xml: Xml<'a, 'a>) {
        if let Some(read) = edge::edge(&xml) {
            return self.edge(xml, read);
        }
        let parent = xml.parent().and_then(|parent| self.scopes.get(&parent.id().get()).copied());
        if let Some(symbol) = symbol(&xml, parent.map(|parent| &self.model.nodes[parent]), &self.lookup) {
            self.node(xml, symbol, parent);
        } else if name(&xml) == "laneSet" || name(&xml) == "childLaneSet" {
            // Lanes stand in whatever their set stands in.
            self.scopes.extend(parent.map(|parent| (xml.id().get(), parent)));
        }
    }

    fn node(&mut self, xml: Xml<'a, 'a>, symbol: Symbol, parent: Option<NodeIndex>) {
        let index = self.model.nodes.len();
        let id = xml.attribute("id").unwrap_or_default().to_string();
        self.scopes.insert(xml.id().get(), index);
        if !id.is_empty() {
            self.model.by_id.entry(id.clone()).or_insert(End::DiagramNode(index));
        }
        self.model.nodes.push(DiagramNode {
            id,
            tag: name(&xml).to_string(),
            name: label(&xml, symbol),
            symbol,
            parent,
            host: None,
            lane: None,
            process: None,
            category: child_text(&xml, "categoryValueRef")
                .or(xml.attribute("categoryValueRef"))
                .map(|reference| local(reference).to_string()),
        });
        self.tags.push(xml);
    }

    fn edge(&mut self, xml: Xml<'a, 'a>, read: edge::EdgeTag<'a>) {
        let index = self.model.edges.len();
        let id = xml.attribute("id").unwrap_or_default().to_string();
        if !id.is_empty() {
            self.model.by_id.entry(id.clone()).or_insert(End::Edge(index));
        }
        let (tag, label) = (name(&xml).to_string(), xml.attribute("name").unwrap_or_default().to_string());
        self.model.edges.push(Edge { id, tag, name: label, kind: read.kind, source: None, target: None });
        self.ends.push((read.source, read.target));
    }
}

fn label(xml: &Xml<'_, '_>, symbol: Symbol) -> String {
    let name = xml.attribute("name").filter(|name| !name.trim().is_empty());
    let text = match symbol {
        Symbol::Annotation => child_text(xml, "text"),
        Symbol::Event(_) => name.or_else(|| event::link_name(xml)),
        _ => name,
    };
    text.unwrap_or_default().to_string()
}

fn symbol(xml: &Xml<'_, '_>, parent: Option<&DiagramNode>, lookup: &Lookup<'_>) -> Option<Symbol> {
    let known = event::event(xml, lookup)
        .map(Symbol::Event)
        .or_else(|| activity::activity(xml).map(Symbol::Activity))
        .or_else(|| activity::gateway(xml).map(Symbol::Gateway));
    if known.is_some() {
        return known;
    }
    let data = |kind, is_collection| Some(Symbol::Data(Data { kind, is_collection }));
    match name(xml) {
        "process" => Some(Symbol::Process),
        "participant" => Some(Symbol::Participant { is_multiple: has_child(xml, "participantMultiplicity") }),
        "lane" => Some(Symbol::Lane),
        "textAnnotation" => Some(Symbol::Annotation),
        "group" => Some(Symbol::Group),
        "dataObjectReference" => data(DataKind::Object, is_collection(xml, lookup)),
        "dataStoreReference" => data(DataKind::Store, false),
        "dataInput" if is_of_process(xml) => data(DataKind::Input, is_true(xml, "isCollection")),
        "dataOutput" if is_of_process(xml) => data(DataKind::Output, is_true(xml, "isCollection")),
        other => {
            let is_in_scope = parent.is_some_and(|parent| parent.symbol.is_scope());
            (is_in_scope && xml.attribute("id").is_some() && !is_invisible(other)).then_some(Symbol::Unknown)
        }
    }
}

/// The reference is drawn, but only the object knows whether it is many.
fn is_collection(xml: &Xml<'_, '_>, lookup: &Lookup<'_>) -> bool {
    xml.attribute("dataObjectRef").is_some_and(|object| lookup.collections.contains(local(object)))
}

/// Inputs and outputs of activities have no symbol, those of a process have.
fn is_of_process(xml: &Xml<'_, '_>) -> bool {
    let owner = xml.parent().and_then(|specification| specification.parent());
    owner.is_some_and(|owner| name(&owner) == "process")
}

/// Parts of processes and subprocesses that BPMN gives no symbol.
fn is_invisible(tag: &str) -> bool {
    const PARTS: &[&str] = &[
        "artifact",
        "auditing",
        "categoryValueRef",
        "completionCondition",
        "correlationSubscription",
        "dataObject",
        "documentation",
        "extensionElements",
        "flowElement",
        "humanPerformer",
        "incoming",
        "ioBinding",
        "ioSpecification",
        "laneSet",
        "monitoring",
        "multiInstanceLoopCharacteristics",
        "outgoing",
        "performer",
        "potentialOwner",
        "property",
        "resourceRole",
        "standardLoopCharacteristics",
        "supports",
    ];
    PARTS.contains(&tag)
}
