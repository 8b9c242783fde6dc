//! Test files: inputs and expected values.

use roxmltree::{Document, Node};
use tidemill_feel::temporal::{Date, DateTime, DaysDuration, MonthsDuration, Time};
use tidemill_feel::{Context, Number, Value};

pub(crate) struct Suite {
    pub(crate) model_name: String,
    pub(crate) cases: Vec<Case>,
}

pub(crate) struct Case {
    pub(crate) id: String,
    pub(crate) inputs: Vec<(String, Value)>,
    pub(crate) results: Vec<ExpectedResult>,
}

pub(crate) struct ExpectedResult {
    pub(crate) name: String,
    /// Asked of a decision service or another thing than a decision.
    pub(crate) is_decision: bool,
    pub(crate) is_error: bool,
    pub(crate) value: Value,
}

impl Suite {
    pub(crate) fn parse(text: &str) -> Result<Suite, String> {
        let document = Document::parse(text).map_err(|error| error.to_string())?;
        let root = document.root_element();
        let model_name =
            child(root, "modelName").and_then(|node| node.text()).unwrap_or_default().trim().to_owned();
        let cases = children(root, "testCase").map(parse_case).collect();
        Ok(Suite { model_name, cases })
    }
}

fn parse_case(node: Node<'_, '_>) -> Case {
    // Some cases ask for a decision service or a function by name.
    let invocable_name = node.attribute("invocableName");
    let results = children(node, "resultNode").map(|result| ExpectedResult {
        name: attribute(result, "name"),
        is_decision: invocable_name.is_none() && result.attribute("type") != Some("decisionService"),
        is_error: result.attribute("errorResult") == Some("true"),
        value: child(result, "expected").map_or(Value::Null, parse_value),
    });
    Case {
        id: attribute(node, "id"),
        inputs: children(node, "inputNode")
            .map(|input| (attribute(input, "name"), parse_value(input)))
            .collect(),
        results: results.collect(),
    }
}

pub(crate) fn children<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| child.is_element() && child.tag_name().name() == name)
}

pub(crate) fn child<'a, 'i>(node: Node<'a, 'i>, name: &'static str) -> Option<Node<'a, 'i>> {
    children(node, name).next()
}

pub(crate) fn attribute(node: Node<'_, '_>, name: &str) -> String {
    node.attribute(name).unwrap_or_default().to_owned()
}

const XSI: &str = "http://www.w3.org/2001/XMLSchema-instance";

/// A node that holds a `value`, a `list` or `component`s.
fn parse_value(node: Node<'_, '_>) -> Value {
    let is_nil = |node: Node<'_, '_>| node.attribute((XSI, "nil")) == Some("true");
    if is_nil(node) {
        return Value::Null;
    }
    if let Some(list) = child(node, "list") {
        if is_nil(list) {
            return Value::Null;
        }
        return children(list, "item").map(parse_value).collect::<Vec<_>>().into();
    }
    let mut components = children(node, "component").peekable();
    if components.peek().is_some() {
        let entries = components.map(|component| (attribute(component, "name"), parse_value(component)));
        return entries.collect::<Context>().into();
    }
    match child(node, "value") {
        Some(value) if !is_nil(value) => parse_scalar(value),
        _ => Value::Null,
    }
}

fn parse_scalar(node: Node<'_, '_>) -> Value {
    let text: String = node.descendants().filter(Node::is_text).filter_map(|text| text.text()).collect();
    let kind = node.attribute((XSI, "type")).unwrap_or("string");
    let kind = kind.rsplit(':').next().unwrap_or(kind);
    let trimmed = text.trim();
    match kind {
        "string" => text.as_str().into(),
        "boolean" => (trimmed == "true").into(),
        "decimal" | "double" | "float" | "integer" | "int" | "long" => Number::parse_json(trimmed).into(),
        "date" => Date::parse(trimmed).into(),
        "time" => Time::parse(trimmed).into(),
        "dateTime" => DateTime::parse(trimmed).into(),
        "duration" | "dayTimeDuration" | "yearMonthDuration" => MonthsDuration::parse(trimmed)
            .map(Value::from)
            .or_else(|| DaysDuration::parse(trimmed).map(Value::from))
            .into(),
        _ => text.as_str().into(),
    }
}
