//! Small questions to XML elements.

use roxmltree::Node as Xml;

const BPMN: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";

/// True if an element belongs to BPMN itself. Files without namespaces count as well.
pub(super) fn is_bpmn(xml: &Xml<'_, '_>) -> bool {
    xml.is_element() && matches!(xml.tag_name().namespace(), Some(BPMN) | None)
}

pub(super) fn name<'a>(xml: &Xml<'a, '_>) -> &'a str {
    xml.tag_name().name()
}

pub(super) fn child<'a, 'i>(xml: &Xml<'a, 'i>, name: &str) -> Option<Xml<'a, 'i>> {
    xml.children().find(|child| child.is_element() && child.tag_name().name() == name)
}

pub(super) fn has_child(xml: &Xml<'_, '_>, name: &str) -> bool {
    child(xml, name).is_some()
}

pub(super) fn child_text<'a>(xml: &Xml<'a, '_>, name: &str) -> Option<&'a str> {
    child(xml, name).and_then(|child| child.text()).map(str::trim).filter(|text| !text.is_empty())
}

pub(super) fn is_true(xml: &Xml<'_, '_>, attribute: &str) -> bool {
    flag(xml, attribute).unwrap_or(false)
}

pub(super) fn flag(xml: &Xml<'_, '_>, attribute: &str) -> Option<bool> {
    match xml.attribute(attribute)?.trim() {
        "true" | "1" => Some(true),
        "false" | "0" => Some(false),
        _ => None,
    }
}

/// The value of an attribute by its local name, whatever its namespace.
pub(super) fn any_attribute<'a>(xml: &Xml<'a, '_>, local: &str) -> Option<&'a str> {
    xml.attributes().find(|attribute| attribute.name() == local).map(|attribute| attribute.value())
}

/// A reference may carry a prefix.
pub(super) fn local(reference: &str) -> &str {
    let reference = reference.trim();
    reference.rsplit_once(':').map_or(reference, |(_, local)| local)
}
