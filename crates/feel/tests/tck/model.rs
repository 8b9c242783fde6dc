//! DMN models: what decisions and functions there are, and what they require.

use crate::boxed;
use crate::cases::{attribute, child};
use crate::types::Types;
use roxmltree::{Document, Node};
use std::collections::{BTreeSet, HashMap};

pub(crate) struct Model {
    pub(crate) elements: HashMap<String, Element>,
    pub(crate) types: Types,
    /// All names that the model declares.
    pub(crate) names: BTreeSet<String>,
    pub(crate) has_imports: bool,
}

/// A decision, a function or an input, by its id.
pub(crate) struct Element {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) type_name: Option<String>,
    pub(crate) requires: Vec<String>,
}

pub(crate) enum Kind {
    Input,
    /// A decision or function as FEEL text, or why it cannot be one.
    Logic(Result<String, &'static str>),
}

impl Model {
    pub(crate) fn parse(text: &str) -> Result<Model, String> {
        let document = Document::parse(text).map_err(|error| error.to_string())?;
        let root = document.root_element();
        let types = Types::parse(root);
        let mut elements = HashMap::new();
        for node in root.children().filter(Node::is_element) {
            if let Some(kind) = kind(node, &types) {
                let element = Element {
                    name: attribute(node, "name"),
                    kind,
                    type_name: child(node, "variable")
                        .and_then(|v| v.attribute("typeRef"))
                        .map(str::to_owned),
                    requires: requirements(node),
                };
                let id = node.attribute("id").unwrap_or(&element.name).to_owned();
                elements.insert(id, element);
            }
        }
        let has_imports = child(root, "import").is_some();
        Ok(Model { elements, names: names(root), has_imports, types })
    }

    pub(crate) fn decision(&self, name: &str) -> Option<&Element> {
        self.elements.values().find(|element| element.name == name && matches!(element.kind, Kind::Logic(_)))
    }
}

fn kind(node: Node<'_, '_>, types: &Types) -> Option<Kind> {
    Some(match node.tag_name().name() {
        "inputData" => Kind::Input,
        "decision" => Kind::Logic(match boxed::expression_of(node) {
            Some(expression) => boxed::to_feel(expression, types),
            None => Err("a decision without logic"),
        }),
        "businessKnowledgeModel" => Kind::Logic(match child(node, "encapsulatedLogic") {
            Some(function) => boxed::function_to_feel(function, types),
            None => Err("a function without logic"),
        }),
        "decisionService" => Kind::Logic(Err("a decision service")),
        _ => return None,
    })
}

/// The ids of what an element requires.
fn requirements(node: Node<'_, '_>) -> Vec<String> {
    let references = ["requiredInput", "requiredDecision", "requiredKnowledge"];
    let hrefs = node
        .descendants()
        .filter(|node| references.contains(&node.tag_name().name()))
        .filter_map(|node| node.attribute("href"));
    hrefs.map(|href| href.rsplit('#').next().unwrap_or(href).to_owned()).collect()
}

fn names(root: Node<'_, '_>) -> BTreeSet<String> {
    let declaring = [
        "inputData",
        "decision",
        "businessKnowledgeModel",
        "variable",
        "formalParameter",
        "itemComponent",
        "column",
        "parameter",
    ];
    let declared = root.descendants().filter(|node| declaring.contains(&node.tag_name().name()));
    let iterators = root.descendants().filter_map(|node| node.attribute("iteratorVariable"));
    declared.filter_map(|node| node.attribute("name")).chain(iterators).map(str::to_owned).collect()
}
