//! One XML element, asked in the words of BPMN: what it is called, what it holds, what extends it.

use roxmltree::Node;
use std::borrow::Cow;

const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";
const ZEEBE: &str = "http://camunda.org/schema/zeebe/1.0";

const CAMUNDA_7: &str = "http://camunda.org/schema/1.0/bpmn";

pub(crate) enum AttributeName<'a> {
    Plain(&'a str),
    Zeebe(&'a str),
    Camunda7(&'a str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) struct Tag<'a> {
    node: Node<'a, 'a>,
}

impl<'a> Tag<'a> {
    pub(crate) fn new(node: Node<'a, 'a>) -> Tag<'a> {
        Tag { node }
    }

    /// The name without its prefix.
    pub(crate) fn name(self) -> &'a str {
        self.node.tag_name().name()
    }

    pub(crate) fn is_bpmn(self) -> bool {
        self.node.tag_name().namespace() == Some(BPMN)
    }

    pub(crate) fn is_zeebe(self) -> bool {
        self.node.tag_name().namespace() == Some(ZEEBE)
    }

    /// An attribute without namespace. One that is empty counts as missing, as in Camunda.
    pub(crate) fn attribute(self, name: &str) -> Option<&'a str> {
        self.node.attribute(name).filter(|value| !value.is_empty())
    }

    pub(crate) fn id(self) -> Option<&'a str> {
        self.attribute("id")
    }

    /// XML writes booleans as words or digits.
    pub(crate) fn boolean(self, name: &str, default: bool) -> bool {
        match self.attribute(name).map(str::trim) {
            Some("true" | "1") => true,
            Some("false" | "0") => false,
            _ => default,
        }
    }

    pub(crate) fn parent(self) -> Option<Tag<'a>> {
        self.node.parent_element().map(Tag::new)
    }

    /// All elements inside, whatever their namespace.
    pub(crate) fn elements(self) -> impl Iterator<Item = Tag<'a>> {
        self.node.children().filter(Node::is_element).map(Tag::new)
    }

    /// The names of its attributes: those without a namespace, and those that Zeebe has for elements of BPMN.
    pub(crate) fn attribute_names(self) -> impl Iterator<Item = AttributeName<'a>> {
        self.node.attributes().filter_map(|attribute| match attribute.namespace() {
            None => Some(AttributeName::Plain(attribute.name())),
            Some(ZEEBE) => Some(AttributeName::Zeebe(attribute.name())),
            Some(CAMUNDA_7) => Some(AttributeName::Camunda7(attribute.name())),
            Some(_) => None,
        })
    }

    pub(crate) fn is_camunda_7(self) -> bool {
        self.node.tag_name().namespace() == Some(CAMUNDA_7)
    }

    /// The namespace of a prefix, unless that is the namespace of Zeebe's extensions.
    pub(crate) fn other_namespace_of(self, prefix: &str) -> Option<&'a str> {
        self.node.lookup_namespace_uri(Some(prefix)).filter(|uri| *uri != ZEEBE)
    }

    /// The BPMN elements directly inside.
    pub(crate) fn children(self) -> impl Iterator<Item = Tag<'a>> {
        self.node.children().filter(Node::is_element).map(Tag::new).filter(|tag| tag.is_bpmn())
    }

    pub(crate) fn child(self, name: &str) -> Option<Tag<'a>> {
        self.children().find(|tag| tag.name() == name)
    }

    /// The Zeebe extensions of that name.
    pub(crate) fn extensions(self, name: &'static str) -> impl Iterator<Item = Tag<'a>> {
        let holders = self.children().filter(|tag| tag.name() == "extensionElements");
        holders.flat_map(move |holder| holder.zeebe_children(name))
    }

    pub(crate) fn extension(self, name: &'static str) -> Option<Tag<'a>> {
        self.extensions(name).next()
    }

    pub(crate) fn zeebe_children(self, name: &'static str) -> impl Iterator<Item = Tag<'a>> {
        let elements = self.node.children().filter(Node::is_element).map(Tag::new);
        elements.filter(move |tag| tag.is_zeebe() && tag.name() == name)
    }

    /// Event definitions inside, and references to shared ones.
    pub(crate) fn event_definitions(self) -> impl Iterator<Item = Tag<'a>> {
        self.children()
            .filter(|tag| tag.name().ends_with("EventDefinition") || tag.name() == "eventDefinitionRef")
    }

    /// The text inside without the blanks around it.
    pub(crate) fn text(self) -> Cow<'a, str> {
        let mut parts = self.node.children().filter(|child| child.is_text()).filter_map(|child| child.text());
        match (parts.next(), parts.next()) {
            (None, _) => Cow::Borrowed(""),
            (Some(only), None) => Cow::Borrowed(only.trim()),
            (Some(first), Some(second)) => {
                let all: String = [first, second].into_iter().chain(parts).collect();
                Cow::Owned(all.trim().to_string())
            }
        }
    }

    /// Where it begins in the file.
    pub(crate) fn offset(self) -> usize {
        self.node.range().start
    }
}
