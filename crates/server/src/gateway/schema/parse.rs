//! Reads the `.api` files. They are part of the program, so a mistake in one is a bug and panics at start;
//! a test reads them all.

use super::{Answer, Api, Content, Definition, Field, Operation, PageKind, Request, Search, Type};
use std::collections::BTreeMap;

pub(super) fn parse(sources: &[(&'static str, &'static str)]) -> Api {
    let mut api = Api { operations: Vec::new(), types: BTreeMap::new() };
    for (group, source) in sources {
        for block in blocks(source) {
            let (head, lines) = block.split_first().expect("a block has a first line");
            let mut words = head.split_whitespace();
            match words.next() {
                Some("object") => {
                    let name = words.next().expect("an object has a name");
                    api.types
                        .insert(name, Definition::Object(lines.iter().map(|line| field(line)).collect()));
                }
                Some("enum") => {
                    let name = words.next().expect("an enum has a name");
                    api.types.insert(name, Definition::Enum(words.collect()));
                }
                _ => api.operations.push(operation(group, head, lines)),
            }
        }
    }
    api
}

/// A block is a line without indentation and the indented lines below it.
fn blocks(source: &'static str) -> Vec<Vec<&'static str>> {
    let mut blocks: Vec<Vec<&'static str>> = Vec::new();
    for line in source.lines().filter(|line| !line.trim().is_empty()) {
        match blocks.last_mut() {
            Some(block) if line.starts_with(' ') => block.push(line.trim()),
            _ => blocks.push(vec![line]),
        }
    }
    blocks
}

fn operation(group: &'static str, head: &'static str, lines: &[&'static str]) -> Operation {
    let mut words = head.splitn(4, ' ');
    let mut word = || words.next().unwrap_or_default();
    let (method, path, id, summary) = (word(), word(), word(), word().trim_matches('"'));
    let mut operation = Operation {
        method,
        path,
        id,
        summary,
        query: Vec::new(),
        request: Request::None,
        answers: Vec::new(),
        group,
    };
    for line in lines {
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        match word {
            "query" => operation.query.push(field(rest)),
            "body" | "body*" => {
                operation.request = Request::Body { shape: shape(rest), is_required: word == "body*" };
            }
            "multipart" => operation.request = Request::Multipart,
            "search" | "search*" => operation.request = Request::Search(search(rest, word == "search*")),
            "sort" => match &mut operation.request {
                Request::Search(search) => search.sort = rest.split(' ').collect(),
                _ => panic!("{id}: only a search can be sorted"),
            },
            status => operation.answers.push(answer(status, rest)),
        }
    }
    operation
}

fn search(text: &'static str, is_required: bool) -> Search {
    let (page, filter) = text.split_once(' ').expect("a search has a page kind and a filter");
    let page = match page {
        "full" => PageKind::Full,
        "offset" => PageKind::Offset,
        "forward" => PageKind::Forward,
        other => panic!("unknown kind of page: {other}"),
    };
    Search { is_required, page, filter: Some(filter).filter(|name| *name != "-"), sort: Vec::new() }
}

fn answer(status: &str, content: &'static str) -> Answer {
    let status = status.parse().unwrap_or_else(|_| panic!("not a status: {status}"));
    let content = match content {
        "" => Content::Empty,
        other if other.contains('/') => Content::Other(other),
        other => match other.strip_prefix("page ") {
            Some(item) => Content::Page(shape(item)),
            None => Content::Json(shape(other)),
        },
    };
    Answer { status, content }
}

fn field(line: &'static str) -> Field {
    let (name, text) = line.split_once(' ').unwrap_or_else(|| panic!("a field without a type: {line}"));
    let (text, is_nullable) = match text.strip_suffix('?') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let is_required = name.ends_with('*');
    Field { name: name.trim_end_matches('*'), shape: shape(text), is_required, is_nullable }
}

fn shape(text: &'static str) -> Type {
    let inside = |open: &str, close: char| text.strip_prefix(open)?.strip_suffix(close);
    if let Some(item) = inside("[", ']') {
        return Type::List(Box::new(shape(item)));
    }
    if let Some(words) = inside("enum(", ')') {
        return Type::Enum(words.split(',').collect());
    }
    if let Some(value) = inside("filter(", ')') {
        return Type::Filter(Box::new(shape(value)));
    }
    match text {
        "string" => Type::String,
        "key" => Type::Key,
        "int32" => Type::Int32,
        "int64" => Type::Int64,
        "boolean" => Type::Boolean,
        "date-time" => Type::DateTime,
        "map" => Type::Map,
        "any" => Type::Any,
        "or" => Type::Or,
        name => Type::Named(name),
    }
}

#[cfg(test)]
mod tests {
    use super::super::*;

    fn assert_known(api: &Api, shape: &Type) {
        match shape {
            Type::Named(name) => assert!(api.types.contains_key(name), "nobody describes {name}"),
            Type::List(item) => assert_known(api, item),
            Type::Filter(value) => assert_known(api, value),
            _ => {}
        }
    }

    #[test]
    fn every_type_that_is_named_is_described() {
        let api = Api::get();
        for definition in api.types.values() {
            if let Definition::Object(fields) = definition {
                fields.iter().for_each(|field| assert_known(api, &field.shape));
            }
        }
        for operation in &api.operations {
            if let Request::Body { shape, .. } = &operation.request {
                assert_known(api, shape);
            }
            if let Request::Search(Search { filter: Some(filter), .. }) = &operation.request {
                assert!(api.types.contains_key(filter), "nobody describes {filter}");
            }
            for answer in &operation.answers {
                if let Content::Json(shape) | Content::Page(shape) = &answer.content {
                    assert_known(api, shape);
                }
            }
        }
    }

    #[test]
    fn an_operation_is_read_whole() {
        let operation = Api::get().operation("searchUserTaskEffectiveVariables").expect("described");
        assert_eq!(operation.method, "POST");
        assert_eq!(operation.parameters().collect::<Vec<_>>(), ["userTaskKey"]);
        assert_eq!(operation.query[0].name, "truncateValues");
        let Request::Search(search) = &operation.request else { panic!("a search") };
        assert_eq!(search.page, PageKind::Offset);
        assert_eq!(search.filter, Some("UserTaskVariableFilter"));
        assert_eq!(search.sort[..2], ["value", "name"]);
    }
}
