//! Writing the model as XML, one element per line.

use super::{Element, FlowLine, ModelBuilder};

const DEFINITIONS: &[(&str, &str)] = &[
    ("xmlns:bpmn", "http://www.omg.org/spec/BPMN/20100524/MODEL"),
    ("xmlns:zeebe", "http://camunda.org/schema/zeebe/1.0"),
    ("id", "definitions"),
    ("targetNamespace", "http://bpmn.io/schema/bpmn"),
];

pub(super) fn document(model: &ModelBuilder) -> String {
    let mut children = vec![Vec::new(); model.elements.len()];
    let mut roots = Vec::new();
    for (n, element) in model.elements.iter().enumerate() {
        element.scope.map_or(&mut roots, |scope| &mut children[scope]).push(n);
    }
    let mut flows: Vec<Vec<&FlowLine>> = vec![Vec::new(); model.elements.len()];
    for flow in &model.flows {
        flows[flow.scope].push(flow);
    }
    // Inner elements are added after their scopes, so from the end every element finds its inside written.
    let mut written: Vec<String> = vec![String::new(); model.elements.len()];
    for n in (0..model.elements.len()).rev() {
        let mut inside: String =
            children[n].iter().map(|child| std::mem::take(&mut written[*child])).collect();
        inside.extend(flows[n].iter().map(|flow| sequence_flow(flow)));
        written[n] = write_element(&model.elements[n], &inside);
    }
    let mut inside = String::new();
    roots.iter().for_each(|root| inside.push_str(&written[*root]));
    model.shared.write(&mut inside);
    format!("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n{}", tag("bpmn:definitions", DEFINITIONS, &inside))
}

fn write_element(element: &Element, inside: &str) -> String {
    let mut attributes = vec![("id", element.id.as_str())];
    attributes.extend(element.options.name.iter().map(|name| ("name", name.as_str())));
    attributes.extend(element.attributes.iter().map(|(name, value)| (*name, value.as_str())));
    let extensions = format!("{}{}", element.extensions, element.options.extensions());
    let mut content = String::new();
    if !extensions.is_empty() {
        content.push_str(&tag("bpmn:extensionElements", &[], &extensions));
    }
    content.push_str(&element.content);
    content.push_str(&element.options.loop_characteristics());
    content.push_str(inside);
    tag(&format!("bpmn:{}", element.tag), &attributes, &content)
}

fn sequence_flow(flow: &FlowLine) -> String {
    let attributes = [("id", &*flow.id), ("sourceRef", &*flow.source), ("targetRef", &*flow.target)];
    let condition = flow.condition.as_ref().map(|condition| text("bpmn:conditionExpression", condition));
    tag("bpmn:sequenceFlow", &attributes, &condition.unwrap_or_default())
}

pub(super) fn tag(name: &str, attributes: &[(&str, &str)], inside: &str) -> String {
    if inside.is_empty() {
        return empty_tag(name, attributes);
    }
    format!("<{name}{}>\n{inside}</{name}>\n", written(attributes))
}

pub(super) fn empty_tag(name: &str, attributes: &[(&str, &str)]) -> String {
    format!("<{name}{}/>\n", written(attributes))
}

pub(super) fn text(name: &str, text: &str) -> String {
    format!("<{name}>{}</{name}>\n", escaped(text))
}

fn written(attributes: &[(&str, &str)]) -> String {
    attributes.iter().map(|(name, value)| format!(" {name}=\"{}\"", escaped(value))).collect()
}

fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\n' => escaped.push_str("&#10;"),
            '\t' => escaped.push_str("&#9;"),
            c => escaped.push(c),
        }
    }
    escaped
}
