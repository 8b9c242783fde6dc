//! The description of timers for `/openapi.json` and the reference.

use serde_json::{Map, Value, json};

/// Every operation, with its path and method.
pub(in crate::gateway) fn paths(problem: &Value) -> Vec<(String, Value)> {
    let mut paths: Vec<(String, Value)> = Vec::new();
    for operation in operations() {
        let path = format!("/v1/timers{}", operation.path);
        let described = operation.described(&path, problem);
        match paths.iter_mut().find(|(known, _)| *known == path) {
            Some((_, methods)) => methods[operation.method] = described,
            None => paths.push((path, json!({operation.method: described}))),
        }
    }
    paths
}

struct Described {
    method: &'static str,
    path: &'static str,
    id: &'static str,
    summary: &'static str,
    query: Vec<Value>,
    body: Option<Value>,
    /// Status and schema; none for an answer without a body.
    answers: Vec<(&'static str, Option<Value>)>,
    /// True where bodies are lines of JSON.
    is_lines: bool,
}

impl Described {
    fn described(&self, path: &str, problem: &Value) -> Value {
        let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
        let mut parameters: Vec<Value> = names
            .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
            .collect();
        parameters.extend(self.query.iter().cloned());
        let media_type = if self.is_lines { "application/x-ndjson" } else { "application/json" };
        let answer = |schema: &Option<Value>| match schema {
            Some(schema) => json!({"description": "Done", "content": {media_type: {"schema": schema}}}),
            None => json!({"description": "Done; nothing more to tell"}),
        };
        let mut responses: Map<String, Value> =
            self.answers.iter().map(|(status, schema)| ((*status).to_owned(), answer(schema))).collect();
        responses.insert("default".to_owned(), problem.clone());
        let mut described = json!({
            "operationId": self.id,
            "tags": ["Timers"],
            "summary": self.summary,
            "parameters": parameters,
            "responses": responses,
        });
        if let Some(schema) = &self.body {
            described["requestBody"] = json!({"required": true, "content": {media_type: {"schema": schema}}});
        }
        crate::gateway::reference::explain(&mut described);
        described
    }
}

fn text() -> Value {
    json!({"type": "string"})
}

fn date() -> Value {
    json!({"type": "string", "format": "date-time"})
}

fn duration() -> Value {
    json!({"type": ["string", "integer"], "description": "An ISO 8601 duration, or milliseconds"})
}

fn object(properties: Value, required: Value) -> Value {
    json!({"type": "object", "properties": properties, "required": required})
}

fn query(name: &str, schema: Value) -> Value {
    json!({"name": name, "in": "query", "required": false, "schema": schema})
}

fn namespace() -> Vec<Value> {
    vec![query("namespace", json!({"type": "string", "default": "default"})), tenant()]
}

fn tenant() -> Value {
    query("tenantId", text())
}

fn with(more: impl IntoIterator<Item = Value>) -> Vec<Value> {
    namespace().into_iter().chain(more).collect()
}

fn limit(most: u32) -> Value {
    query("limit", json!({"type": "integer", "minimum": 1, "maximum": most, "default": 100}))
}

fn schedule() -> Value {
    json!({"anyOf": [text(), object(
        json!({
            "expression": text(), "zone": text(), "misfire": {"enum": ["all", "once", "skip"]},
            "misfireAge": duration(), "jitter": duration(),
        }),
        json!(["expression"]),
    )]})
}

fn target() -> Value {
    let kind = |name: &str, mut properties: Value, required: Value| {
        properties["type"] = json!({"enum": [name]});
        object(properties, required)
    };
    json!({"anyOf": [
        kind(
            "http",
            json!({
                "url": text(), "headers": {"type": "object"}, "timeout": duration(),
                "batch": {"type": "integer", "minimum": 1, "maximum": 1000}, "signingKey": text(),
            }),
            json!(["type", "url"]),
        ),
        kind(
            "message",
            json!({"name": text(), "correlationKey": text(), "timeToLive": duration()}),
            json!(["type", "name"]),
        ),
        kind(
            "process",
            json!({"processDefinitionId": text(), "version": {"type": ["integer", "null"]}}),
            json!(["type", "processDefinitionId"]),
        ),
        kind("stream", json!({}), json!(["type"])),
    ]})
}

fn new_timer() -> Value {
    object(
        json!({
            "id": text(), "namespace": text(), "tenantId": text(), "mode": {"enum": ["replace", "keep", "fail"]},
            "executeAt": date(), "delay": duration(), "schedule": schedule(), "jitter": duration(),
            "payload": {}, "target": target(),
            "retry": object(
                json!({
                    "attempts": {"type": "integer"}, "duration": duration(), "initial": duration(),
                    "factor": {"type": "number"}, "maximum": duration(), "jitter": {"type": "number"},
                }),
                json!([]),
            ),
        }),
        json!(["target"]),
    )
}

fn made() -> Value {
    object(
        json!({"id": text(), "executeAt": date(), "created": {"type": "boolean"}}),
        json!(["id", "executeAt", "created"]),
    )
}

fn timer() -> Value {
    object(
        json!({
            "id": text(), "namespace": text(), "state": {"enum": ["SCHEDULED", "PAUSED"]},
            "executeAt": date(), "scheduledAt": date(), "attempt": {"type": "integer"},
            "target": {}, "retry": {}, "schedule": {}, "occurrencesLeft": {"type": ["integer", "null"]},
            "payload": {},
        }),
        json!(["id", "namespace", "state", "executeAt", "scheduledAt", "attempt", "target", "retry"]),
    )
}

fn letter() -> Value {
    object(
        json!({"letterId": text(), "timestamp": date(), "reason": text(), "timer": {}}),
        json!(["letterId", "timestamp", "reason", "timer"]),
    )
}

fn list(item: Value, more: Value) -> Value {
    let mut properties = json!({"items": {"type": "array", "items": item}});
    if let (Value::Object(properties), Value::Object(more)) = (&mut properties, more) {
        properties.extend(more);
    }
    object(properties, json!(["items"]))
}

fn cursor() -> Value {
    json!({"cursor": {"type": ["string", "null"]}})
}

fn operation(method: &'static str, path: &'static str, id: &'static str, summary: &'static str) -> Described {
    let (query, answers) = (namespace(), vec![("204", None)]);
    Described { method, path, id, summary, query, body: None, answers, is_lines: false }
}

fn answering(described: Described, schema: Value) -> Described {
    Described { answers: vec![("200", Some(schema))], ..described }
}

fn operations() -> Vec<Described> {
    one().into_iter().chain(many()).chain(apart()).collect()
}

fn one() -> Vec<Described> {
    let moved = object(json!({"executeAt": date(), "delay": duration()}), json!([]));
    let cancelled = object(
        json!({"id": text(), "result": {"enum": ["CANCELLED", "FIRED", "ABSENT"]}}),
        json!(["id", "result"]),
    );
    vec![
        Described {
            query: Vec::new(),
            body: Some(new_timer()),
            answers: vec![("200", Some(made())), ("201", Some(made()))],
            ..operation("post", "", "createTimer", "Make a timer")
        },
        answering(operation("get", "/{timerId}", "getTimer", "Read a timer"), timer()),
        Described {
            body: Some(moved),
            ..answering(
                operation("patch", "/{timerId}", "rescheduleTimer", "Move a timer to another time"),
                object(json!({"id": text(), "executeAt": date()}), json!(["id", "executeAt"])),
            )
        },
        answering(operation("delete", "/{timerId}", "cancelTimer", "Cancel a timer"), cancelled),
        operation("post", "/{timerId}/pause", "pauseTimer", "Pause a timer"),
        operation("post", "/{timerId}/resume", "resumeTimer", "Resume a timer"),
        operation("post", "/{timerId}/trigger", "triggerTimer", "Fire a timer now"),
    ]
}

fn many() -> Vec<Described> {
    let line = |mut schema: Value| {
        schema["properties"]["line"] = json!({"type": "integer"});
        schema["required"] = json!(["line"]);
        schema
    };
    let first_line = || query("firstLine", json!({"type": "integer", "minimum": 1, "default": 1}));
    let search = object(
        json!({
            "namespace": text(), "tenantId": text(), "state": {"enum": ["SCHEDULED", "PAUSED"]}, "from": date(), "to": date(),
            "payload": object(json!({"path": text(), "equals": {}}), json!(["path", "equals"])),
            "limit": {"type": "integer", "minimum": 1, "maximum": 1000, "default": 100}, "cursor": text(),
        }),
        json!([]),
    );
    let mut found = cursor();
    found["scanned"] = json!({"type": "integer"});
    let count = json!({"type": "integer"});
    let counts = object(
        json!({
            "minutes": {"type": "array", "items": object(json!({"from": date(), "timers": count}), json!(["from", "timers"]))},
            "isExact": {"type": "boolean"},
            "slots": {"type": "array", "items": object(json!({"from": date(), "to": date(), "timers": count}), json!(["from", "to", "timers"]))},
        }),
        json!(["minutes", "isExact", "slots"]),
    );
    let asked = object(
        json!({"schedule": schedule(), "count": {"type": "integer", "minimum": 1, "default": 10}}),
        json!(["schedule"]),
    );
    vec![
        Described {
            query: with([query("stream", text()), first_line()]),
            body: Some(new_timer()),
            is_lines: true,
            ..answering(
                operation("post", "/bulk", "createTimers", "Make many timers, one for each line"),
                line(made()),
            )
        },
        Described {
            query: with([first_line()]),
            body: Some(
                json!({"anyOf": [text(), object(json!({"id": text(), "namespace": text(), "tenantId": text()}), json!(["id"]))]}),
            ),
            is_lines: true,
            ..answering(
                operation("post", "/bulk-cancel", "cancelTimers", "Cancel many timers, one for each line"),
                line(object(json!({"id": text(), "result": text()}), json!([]))),
            )
        },
        Described {
            query: Vec::new(),
            body: Some(search),
            ..answering(
                operation("post", "/search", "searchTimers", "Search timers that wait"),
                list(timer(), found),
            )
        },
        answering(
            operation("get", "/counts", "countTimers", "Count timers by the time at which they are due"),
            counts,
        ),
        Described {
            query: Vec::new(),
            body: Some(asked),
            ..answering(
                operation(
                    "post",
                    "/occurrences",
                    "previewTimerOccurrences",
                    "Tell when a schedule would be due",
                ),
                object(json!({"occurrences": {"type": "array", "items": date()}}), json!(["occurrences"])),
            )
        },
    ]
}

fn apart() -> Vec<Described> {
    let paused = object(json!({"namespace": text(), "state": text()}), json!(["namespace", "state"]));
    let wait = query("waitMs", json!({"type": "integer", "minimum": 0, "maximum": 60000, "default": 0}));
    let none = |described: Described| Described { query: vec![tenant()], ..described };
    vec![
        none(answering(
            operation(
                "get",
                "/namespaces",
                "listPausedTimerNamespaces",
                "List the namespaces that are paused",
            ),
            list(paused, json!({})),
        )),
        none(operation(
            "post",
            "/namespaces/{namespace}/pause",
            "pauseTimerNamespace",
            "Pause all timers of a namespace",
        )),
        none(operation(
            "post",
            "/namespaces/{namespace}/resume",
            "resumeTimerNamespace",
            "Resume the timers of a namespace",
        )),
        Described {
            query: with([query("cursor", text()), limit(10_000), wait]),
            ..answering(
                operation("get", "/stream", "readTimerStream", "Read timers of a namespace that have fired"),
                list(json!({"type": "object"}), json!({"cursor": text()})),
            )
        },
        Described {
            body: Some(object(json!({"cursor": text()}), json!(["cursor"]))),
            ..operation(
                "post",
                "/stream/acknowledge",
                "acknowledgeTimerStream",
                "Acknowledge what was read of a stream",
            )
        },
        Described {
            query: with([query("after", text()), limit(1_000)]),
            ..answering(
                operation(
                    "get",
                    "/dead-letters",
                    "listTimerDeadLetters",
                    "List deliveries that were given up",
                ),
                list(letter(), cursor()),
            )
        },
        answering(
            operation(
                "delete",
                "/dead-letters",
                "purgeTimerDeadLetters",
                "Drop all deliveries that were given up",
            ),
            object(json!({"dropped": {"type": "integer"}}), json!(["dropped"])),
        ),
        answering(
            operation(
                "get",
                "/dead-letters/{letterId}",
                "getTimerDeadLetter",
                "Read a delivery that was given up",
            ),
            letter(),
        ),
        operation(
            "delete",
            "/dead-letters/{letterId}",
            "dropTimerDeadLetter",
            "Drop a delivery that was given up",
        ),
        operation(
            "post",
            "/dead-letters/{letterId}/retry",
            "retryTimerDeadLetter",
            "Deliver again what was given up",
        ),
    ]
}
