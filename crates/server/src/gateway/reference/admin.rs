//! The description of what operators use, under /v1/admin. Clients need none of it, so `/openapi.json` leaves it out.

use super::explain;
use serde_json::{Value, json};

/// Method, path, operation, summary; the shape of the request.
type Described = (&'static str, &'static str, &'static str, &'static str, Option<Value>);

pub(super) fn paths() -> Vec<(String, Value)> {
    let mut paths: Vec<(String, Value)> = Vec::new();
    for (method, path, id, summary, body) in operations() {
        let path = format!("/v1/admin{path}");
        let mut operation = json!({
            "operationId": id,
            "tags": ["Administration"],
            "summary": summary,
            "parameters": parameters(&path),
            "responses": {"200": {"description": "Done", "content": {"application/json": {}}}},
        });
        if let Some(schema) = body {
            operation["requestBody"] =
                json!({"required": true, "content": {"application/json": {"schema": schema}}});
        }
        explain(&mut operation);
        match paths.iter_mut().find(|(known, _)| *known == path) {
            Some((_, methods)) => methods[method] = operation,
            None => paths.push((path, json!({method: operation}))),
        }
    }
    paths
}

fn parameters(path: &str) -> Value {
    let names = path.split('/').filter_map(|segment| segment.strip_prefix('{')?.strip_suffix('}'));
    names
        .map(|name| json!({"name": name, "in": "path", "required": true, "schema": {"type": "string"}}))
        .collect()
}

fn operations() -> [Described; 18] {
    let object = |properties: Value, required: Value| {
        Some(json!({"type": "object", "properties": properties, "required": required}))
    };
    let text = json!({"type": "string"});
    let milliseconds = json!({"type": ["integer", "null"]});
    let log = json!({
        "partitionId": {"type": "integer"}, "from": {"type": "string", "format": "date-time"},
        "to": {"type": "string", "format": "date-time"}, "processInstanceKey": text,
        "isNewestFirst": {"type": "boolean"}, "after": text, "limit": {"type": "integer"},
    });
    [
        ("get", "/nodes", "listNodes", "List the servers that share the store", None),
        (
            "post",
            "/nodes/{name}/drain",
            "drainNode",
            "Take the partitions from a server, or let it have some again",
            object(json!({"isDraining": {"type": "boolean"}}), json!(["isDraining"])),
        ),
        ("get", "/partitions", "listPartitions", "List the partitions and who holds them", None),
        (
            "post",
            "/partitions/{id}/move",
            "movePartition",
            "Give a partition to a certain server",
            object(json!({"node": text}), json!(["node"])),
        ),
        ("get", "/lag", "getLag", "Tell what waits, and for how long", None),
        ("get", "/cache", "getDefinitionCaches", "Show the caches of definitions", None),
        ("post", "/log/search", "searchLog", "Read the log of commands", object(log, json!([]))),
        ("get", "/retention", "getRetention", "Tell how long history and log are kept", None),
        (
            "patch",
            "/retention",
            "setRetention",
            "Set how long history and log are kept",
            object(json!({"historyMs": milliseconds, "logMs": milliseconds}), json!([])),
        ),
        (
            "post",
            "/backup",
            "makeBackup",
            "Copy the embedded store into a new file",
            object(json!({"file": text}), json!(["file"])),
        ),
        (
            "get",
            "/timers/stats",
            "getTimerStats",
            "Tell how many timers wait, and whether they fire in time",
            None,
        ),
        ("get", "/timers/slots", "listTimerSlots", "List the time slots that hold timers", None),
        ("get", "/timers/blocks", "listTimerBlocks", "Name the blocks of a time slot", None),
        ("get", "/timers/blocks/{block}", "getTimerBlock", "Read what is in a block of timers", None),
        ("get", "/dead-letters", "listDeadLetters", "List commands that were put aside", None),
        ("get", "/dead-letters/{number}", "getDeadLetter", "Read a command that was put aside", None),
        ("delete", "/dead-letters/{number}", "dropDeadLetter", "Let a command go that was put aside", None),
        (
            "post",
            "/dead-letters/{number}/retry",
            "retryDeadLetter",
            "Run a command again that was put aside",
            None,
        ),
    ]
}
