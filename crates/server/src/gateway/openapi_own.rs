//! The description of what we offer beyond the API that clients know, under /v1. Operations for operators are not part of it.

use super::reference;
use serde_json::{Value, json};

pub(super) fn paths(problem: &Value) -> [(String, Value); 4] {
    let mut paths = [
        ("/v1/commands/{position}".to_owned(), command_status(problem)),
        ("/v1/process-definitions/{processDefinitionKey}/diagram.svg".to_owned(), diagram(problem)),
        ("/v1/process-instances/{processInstanceKey}/events".to_owned(), instance_events(problem)),
        ("/v1/process-instances/{processInstanceKey}/timers".to_owned(), instance_timers(problem)),
    ];
    paths.iter_mut().for_each(|(_, methods)| reference::explain(&mut methods["get"]));
    paths
}

fn command_status(problem: &Value) -> Value {
    json!({"get": {
        "operationId": "getCommand",
        "tags": ["System"],
        "summary": "Tell what became of a command that was sent with Prefer: respond-async",
        "parameters": [{"name": "position", "in": "path", "required": true, "schema": {"type": "string"}}],
        "responses": {
            "200": {
                "description": "Its state and, once it ran, its result or problem",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            "default": problem,
        },
    }})
}

fn diagram(problem: &Value) -> Value {
    json!({"get": {
        "operationId": "getProcessDefinitionDiagram",
        "tags": ["Process definitions"],
        "summary": "Draw a process definition; shapes and flows carry their ids as data-element-id",
        "parameters": [
            {"name": "processDefinitionKey", "in": "path", "required": true, "schema": {"type": "string"}},
            {"name": "theme", "in": "query", "schema": {"type": "string", "enum": ["light", "dark"]}},
        ],
        "responses": {
            "200": {
                "description": "The diagram of the file, or an automatic layout where it has none",
                "content": {"image/svg+xml": {"schema": {"type": "string"}}},
            },
            "default": problem,
        },
    }})
}

fn instance_events(problem: &Value) -> Value {
    let event = json!({
        "type": "object",
        "required": ["number", "type", "date", "key", "elementId", "detail"],
        "properties": {
            "number": {"type": "string"},
            "type": {"type": "string", "enum": [
                "INSTANCE_STARTED", "INSTANCE_COMPLETED", "INSTANCE_TERMINATED", "ELEMENT_STARTED",
                "ELEMENT_COMPLETED", "ELEMENT_TERMINATED", "JOB_CREATED", "JOB_COMPLETED", "JOB_FAILED",
                "INCIDENT_RAISED", "INCIDENT_RESOLVED", "VARIABLE_SET", "MESSAGE_CORRELATED", "TIMER_FIRED",
            ]},
            "date": {"type": "string", "format": "date-time"},
            "key": {"type": "string", "description": "Of the instance, element, job, incident, variable or subscription"},
            "elementId": {"type": ["string", "null"]},
            "detail": {"type": ["string", "null"], "description": "Type of a job, name of a variable or message, words of an incident"},
        },
    });
    json!({"get": {
        "operationId": "getProcessInstanceEvents",
        "tags": ["Process instances"],
        "summary": "List what has happened in a process instance, the oldest first",
        "parameters": [
            {"name": "processInstanceKey", "in": "path", "required": true, "schema": {"type": "string"}},
        ],
        "responses": {
            "200": {
                "description": "Its events; cursor is the number of the last one that was executed",
                "content": {"application/json": {"schema": {
                    "type": "object",
                    "required": ["items", "cursor", "isComplete"],
                    "properties": {
                        "items": {"type": "array", "items": event},
                        "cursor": {"type": "string"},
                        "isComplete": {"type": "boolean"},
                    },
                }}},
            },
            "default": problem,
        },
    }})
}

fn instance_timers(problem: &Value) -> Value {
    let text = |is_optional: bool| json!({"type": if is_optional { json!(["string", "null"]) } else { json!("string") }});
    let timer = json!({
        "type": "object",
        "required": ["timerKey", "dueDate", "repetitions", "elementInstanceKey", "elementId", "jobKey"],
        "properties": {
            "timerKey": text(false),
            "dueDate": {"type": "string", "format": "date-time"},
            "repetitions": {"type": ["integer", "null"], "description": "Firings left, -1 for ever, null for one"},
            "elementInstanceKey": text(true),
            "elementId": text(true),
            "jobKey": {"type": ["string", "null"], "description": "Of a failed job that waits to be tried again"},
        },
    });
    json!({"get": {
        "operationId": "getProcessInstanceTimers",
        "tags": ["Process instances"],
        "summary": "List the timers that a process instance waits for, the next one first",
        "parameters": [
            {"name": "processInstanceKey", "in": "path", "required": true, "schema": {"type": "string"}},
        ],
        "responses": {
            "200": {
                "description": "Its timers; of a very large instance those of its own scope only",
                "content": {"application/json": {"schema": {
                    "type": "object",
                    "required": ["items", "isComplete"],
                    "properties": {
                        "items": {"type": "array", "items": timer},
                        "isComplete": {"type": "boolean"},
                    },
                }}},
            },
            "default": problem,
        },
    }})
}
