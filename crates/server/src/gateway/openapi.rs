//! The OpenAPI 3.1 document, made from the description of the API.

use super::schema::{Answer, Api, Content, Definition, Field, Operation, PageKind, Request, Search, Type};
use super::{openapi_own, reference, timers};
use serde_json::{Map, Value, json};
use std::sync::OnceLock;

/// Not commands of the engine, or of no use to those who do not wait.
const ANSWERED_AT_ONCE: [&str; 5] =
    ["activateJobs", "deleteProcessInstance", "evaluateExpression", "pinClock", "resetClock"];

pub(super) fn document() -> &'static Value {
    static DOCUMENT: OnceLock<Value> = OnceLock::new();
    DOCUMENT.get_or_init(|| build(Api::get()))
}

fn build(api: &Api) -> Value {
    let mut paths: Map<String, Value> = Map::new();
    for operation in api.operations.iter().filter(|operation| operation.is_offered()) {
        let path = paths.entry(format!("/v2{}", operation.path)).or_insert_with(|| json!({}));
        path[operation.method.to_lowercase()] = describe(operation);
    }
    paths.extend(openapi_own::paths(&problem_response()));
    paths.extend(timers::described::paths(&problem_response()));
    let mut schemas: Map<String, Value> =
        api.types.iter().map(|(name, definition)| ((*name).to_owned(), defined(name, definition))).collect();
    schemas.extend(shared_schemas());
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Tidemill",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Durable process and timer engine, compatible with the Camunda 8 REST API v2.",
        },
        "paths": paths,
        "components": {"schemas": schemas},
    })
}

fn describe(operation: &Operation) -> Value {
    let mut parameters: Vec<Value> = operation
        .parameters()
        .map(|name| {
            let shape = if name.ends_with("Key") { Type::Key } else { Type::String };
            json!({"name": name, "in": "path", "required": true, "schema": schema(&shape)})
        })
        .collect();
    parameters.extend(operation.query.iter().map(|field| {
        json!({"name": field.name, "in": "query", "required": field.is_required, "schema": schema(&field.shape)})
    }));
    if answers_later(operation) {
        parameters.extend(["Idempotency-Key", "Prefer"].map(
            |name| json!({"name": name, "in": "header", "required": false, "schema": {"type": "string"}}),
        ));
    }
    let mut description = json!({
        "operationId": operation.id,
        "tags": [operation.group],
        "summary": operation.summary,
        "parameters": parameters,
        "responses": responses(operation),
    });
    if let Some(body) = request_body(&operation.request) {
        description["requestBody"] = body;
    }
    reference::explain(&mut description);
    description
}

fn request_body(request: &Request) -> Option<Value> {
    let json_body = |required: bool, schema: Value| json!({"required": required, "content": {"application/json": {"schema": schema}}});
    match request {
        Request::None => None,
        Request::Body { shape, is_required } => Some(json_body(*is_required, schema(shape))),
        Request::Search(search) => Some(json_body(search.is_required, search_schema(search))),
        Request::Multipart => Some(json!({"required": true, "content": {"multipart/form-data": {"schema": {
            "type": "object",
            "required": ["resources"],
            "properties": {
                "resources": {"type": "array", "items": {"type": "string", "format": "binary"}},
                "tenantId": {"type": "string"},
            },
        }}}})),
    }
}

fn search_schema(search: &Search) -> Value {
    let page = match search.page {
        PageKind::Full => "Page",
        PageKind::Offset => "OffsetPage",
        PageKind::Forward => "ForwardPage",
    };
    let mut properties = json!({"page": reference(page)});
    if let Some(filter) = search.filter {
        properties["filter"] = reference(filter);
    }
    if !search.sort.is_empty() {
        properties["sort"] = json!({"type": "array", "items": {
            "type": "object",
            "required": ["field"],
            "properties": {
                "field": {"type": "string", "enum": search.sort},
                "order": {"type": "string", "enum": ["ASC", "DESC"], "default": "ASC"},
            },
        }});
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn responses(operation: &Operation) -> Value {
    let mut responses: Map<String, Value> =
        operation.answers.iter().map(|answer| (answer.status.to_string(), response(answer))).collect();
    if answers_later(operation) {
        responses.insert("202".to_owned(), accepted_response());
    }
    responses.insert("default".to_owned(), problem_response());
    Value::Object(responses)
}

/// With `Prefer: respond-async`, commands are taken in and run later.
fn accepted_response() -> Value {
    json!({
        "description": "Taken in, because of Prefer: respond-async. Location names the place to ask for the result. \
                        Refused with 400 where the request asks to wait as well, as by awaitCompletion",
        "headers": {"Location": {"schema": {"type": "string"}}},
        "content": {"application/json": {"schema": {
            "type": "object",
            "required": ["commandPosition", "timestamp"],
            "properties": {
                "commandPosition": {"type": "string"},
                "timestamp": schema(&Type::DateTime),
            },
        }}},
    })
}

fn answers_later(operation: &Operation) -> bool {
    let is_search = matches!(operation.request, Request::Search(_));
    operation.method != "GET" && !is_search && !ANSWERED_AT_ONCE.contains(&operation.id)
}

fn problem_response() -> Value {
    json!({
        "description": "What is wrong",
        "content": {"application/problem+json": {"schema": reference("Problem")}},
    })
}

fn response(answer: &Answer) -> Value {
    let content = |media_type: &str, schema: Value| json!({"description": "Done", "content": {media_type: {"schema": schema}}});
    match &answer.content {
        Content::Empty => json!({"description": "Done; nothing more to tell"}),
        Content::Json(shape) => content("application/json", schema(shape)),
        Content::Page(item) => content(
            "application/json",
            json!({
                "type": "object",
                "required": ["items", "page"],
                "properties": {
                    "items": {"type": "array", "items": schema(item)},
                    "page": reference("PageInfo"),
                },
            }),
        ),
        Content::Other(media_type) => content(media_type, json!({"type": "string"})),
    }
}

fn reference(name: &str) -> Value {
    json!({"$ref": format!("#/components/schemas/{name}")})
}

fn schema(shape: &Type) -> Value {
    match shape {
        Type::String => json!({"type": "string"}),
        Type::Key => json!({"type": "string", "pattern": "^-?[0-9]+$"}),
        Type::Int32 => json!({"type": "integer", "format": "int32"}),
        Type::Int64 => json!({"type": "integer", "format": "int64"}),
        Type::Boolean => json!({"type": "boolean"}),
        Type::DateTime => json!({"type": "string", "format": "date-time"}),
        Type::Map => json!({"type": "object", "additionalProperties": true}),
        Type::Any | Type::Or => json!({}),
        Type::List(item) => json!({"type": "array", "items": schema(item)}),
        Type::Enum(words) => json!({"type": "string", "enum": words}),
        Type::Named(name) => reference(name),
        Type::Filter(base) => json!({"anyOf": [schema(base), operators(base)]}),
    }
}

fn operators(base: &Type) -> Value {
    let value = schema(base);
    let list = json!({"type": "array", "items": value});
    let mut properties = json!({
        "$eq": value, "$neq": value, "$exists": {"type": "boolean"}, "$in": list, "$notIn": list,
    });
    match base {
        Type::Int32 | Type::Int64 | Type::DateTime => {
            for operator in ["$gt", "$gte", "$lt", "$lte"] {
                properties[operator] = value.clone();
            }
        }
        Type::Key => {}
        _ => properties["$like"] = json!({"type": "string"}),
    }
    json!({"type": "object", "additionalProperties": false, "properties": properties})
}

fn defined(name: &str, definition: &Definition) -> Value {
    match definition {
        Definition::Enum(words) => json!({"type": "string", "enum": words}),
        Definition::Object(fields) => {
            let required: Vec<_> = fields.iter().filter(|f| f.is_required).map(|f| f.name).collect();
            let properties: Map<String, Value> =
                fields.iter().map(|field| (field.name.to_owned(), property(name, field))).collect();
            json!({
                "type": "object",
                "additionalProperties": false,
                "required": required,
                "properties": properties,
            })
        }
    }
}

fn property(object: &str, field: &Field) -> Value {
    let value = match field.shape {
        Type::Or => json!({"type": "array", "items": reference(object)}),
        _ => schema(&field.shape),
    };
    if field.is_nullable { json!({"anyOf": [value, {"type": "null"}]}) } else { value }
}

fn shared_schemas() -> Map<String, Value> {
    let count = json!({"type": "integer", "minimum": 0});
    let cursor = json!({"type": "string"});
    let limit = json!({"type": "integer", "minimum": 0, "maximum": 10000, "default": 100});
    let page =
        |members: Value| json!({"type": "object", "additionalProperties": false, "properties": members});
    let nullable = json!({"type": ["string", "null"]});
    let schemas = json!({
        "Page": page(json!({"from": count, "after": cursor, "before": cursor, "limit": limit})),
        "OffsetPage": page(json!({"from": count, "limit": limit})),
        "ForwardPage": page(json!({"after": cursor, "limit": limit})),
        "PageInfo": {
            "type": "object",
            "required": ["totalItems", "hasMoreTotalItems", "startCursor", "endCursor"],
            "properties": {
                "totalItems": count,
                "hasMoreTotalItems": {"type": "boolean"},
                "startCursor": nullable,
                "endCursor": nullable,
            },
        },
        "Problem": {
            "type": "object",
            "required": ["type", "title", "status", "detail", "instance"],
            "properties": {
                "type": {"type": "string"},
                "title": {"type": "string"},
                "status": {"type": "integer"},
                "detail": {"type": "string"},
                "instance": {"type": "string"},
            },
        },
    });
    match schemas {
        Value::Object(schemas) => schemas,
        _ => Map::new(),
    }
}
