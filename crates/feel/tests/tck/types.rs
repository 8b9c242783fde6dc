//! The types that a model declares, as the FEEL types they stand for.

use crate::cases::{attribute, child, children};
use roxmltree::Node;
use std::collections::{HashMap, HashSet};

#[derive(Default)]
pub(crate) struct Types {
    by_name: HashMap<String, String>,
    /// Types that allow only some values, by themselves or in a part.
    constrained: HashSet<String>,
}

impl Types {
    pub(crate) fn parse(root: Node<'_, '_>) -> Types {
        let definitions: HashMap<String, Node<'_, '_>> =
            children(root, "itemDefinition").map(|node| (attribute(node, "name"), node)).collect();
        let texts = definitions.iter().map(|(name, node)| (name.clone(), definition(*node, &definitions, 0)));
        let constrained = definitions.iter().filter(|(_, node)| is_constrained(**node, &definitions, 0));
        Types { by_name: texts.collect(), constrained: constrained.map(|(name, _)| name.clone()).collect() }
    }

    pub(crate) fn is_constrained(&self, name: &str) -> bool {
        self.constrained.contains(name)
    }

    /// The FEEL type behind a name; none for `Any` and for names that are not declared.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let name = name.rsplit_once(':').map_or(name, |(_, local)| local);
        match self.by_name.get(name) {
            Some(text) => Some(text.clone()).filter(|text| text != "Any"),
            None => built_in(name).filter(|text| *text != "Any").map(str::to_owned),
        }
    }

    /// An expression whose value is converted to a type: null if it does not conform.
    pub(crate) fn converting(&self, expression: &str, type_name: &str) -> String {
        match self.text(type_name) {
            Some(text) => format!("(function(converted: {text}) converted)({expression})"),
            None => expression.to_owned(),
        }
    }

    /// Names and what they stand for, as the compiler takes them.
    pub(crate) fn known_types(&self) -> Vec<(String, String)> {
        self.by_name.iter().map(|(name, text)| (name.clone(), text.clone())).collect()
    }
}

fn built_in(name: &str) -> Option<&'static str> {
    Some(match name {
        "number" => "number",
        "string" => "string",
        "boolean" => "boolean",
        "date" => "date",
        "time" => "time",
        "dateTime" | "date and time" => "date and time",
        "dayTimeDuration" | "days and time duration" => "days and time duration",
        "yearMonthDuration" | "years and months duration" => "years and months duration",
        "Any" => "Any",
        _ => return None,
    })
}

fn is_constrained(node: Node<'_, '_>, known: &HashMap<String, Node<'_, '_>>, depth: usize) -> bool {
    node.descendants().any(|part| match part.tag_name().name() {
        "allowedValues" | "typeConstraint" => true,
        "typeRef" => {
            let referred = part.text().and_then(|name| known.get(name.trim()));
            depth < 10 && referred.is_some_and(|node| is_constrained(*node, known, depth + 1))
        }
        _ => false,
    })
}

fn definition(node: Node<'_, '_>, known: &HashMap<String, Node<'_, '_>>, depth: usize) -> String {
    let referred = |name: &str| match known.get(name) {
        Some(node) if depth < 10 => definition(*node, known, depth + 1),
        _ => built_in(name).unwrap_or("Any").to_owned(),
    };
    let components: Vec<String> = children(node, "itemComponent")
        .map(|component| {
            format!("{}: {}", attribute(component, "name"), definition(component, known, depth + 1))
        })
        .collect();
    let text = if let Some(function) = child(node, "functionItem") {
        let parameters = children(function, "parameters");
        let parameters: Vec<String> =
            parameters.map(|parameter| referred(parameter.attribute("typeRef").unwrap_or("Any"))).collect();
        let output = referred(function.attribute("outputTypeRef").unwrap_or("Any"));
        format!("function<{}>->{output}", parameters.join(", "))
    } else if !components.is_empty() {
        format!("context<{}>", components.join(", "))
    } else {
        child(node, "typeRef")
            .and_then(|node| node.text())
            .map_or("Any".to_owned(), |name| referred(name.trim()))
    };
    if node.attribute("isCollection") == Some("true") { format!("list<{text}>") } else { text }
}
