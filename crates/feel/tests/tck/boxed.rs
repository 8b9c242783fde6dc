//! Boxed expressions as the FEEL text they stand for.

use crate::cases::{attribute, child, children};
use crate::types::Types;
use roxmltree::Node;

type Feel = Result<String, &'static str>;

const EXPRESSIONS: [&str; 12] = [
    "literalExpression",
    "context",
    "list",
    "relation",
    "functionDefinition",
    "invocation",
    "decisionTable",
    "conditional",
    "filter",
    "for",
    "some",
    "every",
];

/// The expression that a node holds.
pub(crate) fn expression_of<'a, 'i>(node: Node<'a, 'i>) -> Option<Node<'a, 'i>> {
    node.children().find(|child| EXPRESSIONS.contains(&child.tag_name().name()))
}

pub(crate) fn to_feel(node: Node<'_, '_>, types: &Types) -> Feel {
    match node.tag_name().name() {
        "literalExpression" => literal(node, types),
        "context" => context(node, types),
        "list" => all(node.children().filter(Node::is_element), types).map(|items| format!("[{items}]")),
        "relation" => relation(node, types),
        "functionDefinition" => function_to_feel(node, types),
        "invocation" => invocation(node, types),
        "conditional" => {
            let part = |name| inner(node, name, types);
            Ok(format!("(if {} then {} else {})", part("if")?, part("then")?, part("else")?))
        }
        "filter" => Ok(format!("{}[{}]", inner(node, "in", types)?, inner(node, "match", types)?)),
        "for" => iterator(node, "return", types),
        "some" | "every" => iterator(node, "satisfies", types),
        "decisionTable" => Err("a decision table"),
        _ => Err("an unknown kind of expression"),
    }
}

/// The text is on lines of its own, so that a comment at its end hides nothing else.
fn literal(node: Node<'_, '_>, types: &Types) -> Feel {
    let text = child(node, "text").and_then(|text| text.text()).unwrap_or("null");
    if text.contains("external") && text.contains("java") {
        return Err("a function in Java");
    }
    if child(node, "importedValues").is_some() {
        return Err("values from another file");
    }
    let text = format!("(\n{text}\n)");
    Ok(match node.attribute("typeRef") {
        Some(type_name) => types.converting(&text, type_name),
        None => text,
    })
}

fn inner(node: Node<'_, '_>, name: &'static str, types: &Types) -> Feel {
    let expression = child(node, name).and_then(expression_of).ok_or("an incomplete expression")?;
    to_feel(expression, types)
}

fn all<'a, 'i: 'a>(nodes: impl Iterator<Item = Node<'a, 'i>>, types: &Types) -> Feel {
    let expressions = nodes.filter(|node| EXPRESSIONS.contains(&node.tag_name().name()));
    let texts: Result<Vec<String>, _> = expressions.map(|node| to_feel(node, types)).collect();
    Ok(texts?.join(", "))
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Entries in order; the one without a name, if any, is the result.
fn context(node: Node<'_, '_>, types: &Types) -> Feel {
    const RESULT: &str = "boxed_result";
    let mut entries = Vec::new();
    let mut has_result = false;
    for entry in children(node, "contextEntry") {
        let expression = expression_of(entry).ok_or("an incomplete expression")?;
        let variable = child(entry, "variable");
        let mut text = to_feel(expression, types)?;
        if let Some(type_name) = variable.and_then(|variable| variable.attribute("typeRef")) {
            text = types.converting(&text, type_name);
        }
        has_result |= variable.is_none();
        let name = variable.map_or(RESULT.to_owned(), |variable| attribute(variable, "name"));
        entries.push(format!("{}: {text}", quoted(&name)));
    }
    let suffix = if has_result { format!(".{RESULT}") } else { String::new() };
    Ok(format!("{{{}}}{suffix}", entries.join(", ")))
}

fn relation(node: Node<'_, '_>, types: &Types) -> Feel {
    let columns: Vec<String> =
        children(node, "column").map(|column| quoted(&attribute(column, "name"))).collect();
    let mut rows = Vec::new();
    for row in children(node, "row") {
        let cells = row.children().filter(|cell| EXPRESSIONS.contains(&cell.tag_name().name()));
        let mut entries = Vec::new();
        for (column, cell) in columns.iter().zip(cells) {
            entries.push(format!("{column}: {}", to_feel(cell, types)?));
        }
        rows.push(format!("{{{}}}", entries.join(", ")));
    }
    Ok(format!("[{}]", rows.join(", ")))
}

/// A function definition, or the logic of a business knowledge model.
pub(crate) fn function_to_feel(node: Node<'_, '_>, types: &Types) -> Feel {
    if node.attribute("kind").is_some_and(|kind| kind != "FEEL") {
        return Err("a function in Java");
    }
    let parameters: Vec<String> = children(node, "formalParameter")
        .map(|parameter| {
            let name = attribute(parameter, "name");
            match parameter.attribute("typeRef").and_then(|name| types.text(name)) {
                Some(type_text) => format!("{name}: {type_text}"),
                None => name,
            }
        })
        .collect();
    let body = expression_of(node).ok_or("a function without logic")?;
    let mut body = to_feel(body, types)?;
    if let Some(type_name) = node.attribute("typeRef") {
        body = types.converting(&body, type_name);
    }
    Ok(format!("(function({}) {body})", parameters.join(", ")))
}

fn invocation(node: Node<'_, '_>, types: &Types) -> Feel {
    let function = expression_of(node).ok_or("an incomplete expression")?;
    let mut arguments = Vec::new();
    for binding in children(node, "binding") {
        let name =
            child(binding, "parameter").map(|parameter| attribute(parameter, "name")).unwrap_or_default();
        let value = expression_of(binding).map_or(Ok("null".to_owned()), |value| to_feel(value, types))?;
        arguments.push(format!("{name}: {value}"));
    }
    Ok(format!("{}({})", to_feel(function, types)?.trim(), arguments.join(", ")))
}

fn iterator(node: Node<'_, '_>, result: &'static str, types: &Types) -> Feel {
    let kind = node.tag_name().name();
    let variable = attribute(node, "iteratorVariable");
    let (list, body) = (inner(node, "in", types)?, inner(node, result, types)?);
    Ok(format!("({kind} {variable} in {list} {result} {body})"))
}
