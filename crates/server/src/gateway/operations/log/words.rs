//! A command in the words of the API: the name of its operation, and its members as a request has them. Commands that
//! the engine sends itself have no operation; their members are written alike.

use crate::gateway::json::{Raw, date_text};
use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};
use serde_json::{Map, Value, json};
use tidemill_model::command::DefinitionRef;
use tidemill_model::{Command, RawJson, Timestamp};

/// Variables are apart, because they are written as they came.
pub(super) struct Content {
    pub(super) members: Map<String, Value>,
    variables: Option<RawJson>,
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(None)?;
        for (name, value) in &self.members {
            map.serialize_entry(name, value)?;
        }
        if let Some(variables) = &self.variables {
            map.serialize_entry("variables", &Raw(variables))?;
        }
        map.end()
    }
}

/// Where the API and the engine call a member differently.
const NAMES: [(&str, &str); 28] = [
    ("after", "afterKey"),
    ("backoff_ms", "retryBackOff"),
    ("changes", "changeset"),
    ("due_at", "dueDate"),
    ("fetch_variables", "fetchVariable"),
    ("follow_up_at", "followUpDate"),
    ("incident", "incidentKey"),
    ("instance", "processInstanceKey"),
    ("is_local", "local"),
    ("job", "jobKey"),
    ("job_type", "type"),
    ("jobs", "jobKeys"),
    ("jobs_max", "maxJobsToActivate"),
    ("key", "resourceKey"),
    ("lease", "leaseToken"),
    ("message", "messageKey"),
    ("partition", "partitionId"),
    ("process_id", "processDefinitionId"),
    ("scope", "elementInstanceKey"),
    ("signal", "signalKey"),
    ("start", "startInstructions"),
    ("subscription", "messageSubscriptionKey"),
    ("task", "userTaskKey"),
    ("tenant", "tenantId"),
    ("tenants", "tenantIds"),
    ("terminate_after", "runtimeInstructions"),
    ("time_to_live_ms", "timeToLive"),
    ("timeout_ms", "timeout"),
];

/// The operation of a command, or the engine's own name for it.
pub(super) fn operation(command: &Command) -> String {
    let own = match serde_json::to_value(command) {
        Ok(Value::Object(tagged)) => tagged.keys().next().cloned().unwrap_or_default(),
        _ => command.intent().to_owned(),
    };
    let known = match command {
        Command::Deploy(_) => "createDeployment",
        Command::CreateInstance(_) => "createProcessInstance",
        Command::CancelInstance(_) => "cancelProcessInstance",
        Command::DeleteInstance(_) => "deleteProcessInstance",
        Command::SetVariables(_) => "createElementInstanceVariables",
        Command::AssignUserTask(c) if c.assignee.is_none() => "unassignUserTask",
        // The others are called alike, but for the first letter.
        _ => return own[..1].to_ascii_lowercase() + &own[1..],
    };
    known.to_owned()
}

/// Files of a deployment are told by name and size.
pub(super) fn content(command: &Command) -> Content {
    if let Command::Deploy(deploy) = command {
        let files = deploy.files.iter().map(|file| json!({"name": file.name, "bytes": file.content.len()}));
        let members = Map::from_iter([
            ("tenantId".to_owned(), json!(deploy.tenant)),
            ("resources".to_owned(), files.collect()),
        ]);
        return Content { members, variables: None };
    }
    let mut members = match serde_json::to_value(command) {
        Ok(Value::Object(tagged)) => tagged.into_iter().next().map_or(Value::Null, |(_, members)| members),
        _ => Value::Null,
    };
    let members = members.as_object_mut().map(std::mem::take).unwrap_or_default();
    let mut members: Map<String, Value> =
        members.into_iter().filter(|(name, _)| name != "variables").map(renamed).collect();
    match command {
        Command::CreateInstance(create) => name_definition(&mut members, &create.definition),
        Command::BroadcastSignal(_) => rename(&mut members, "name", "signalName"),
        _ => {}
    }
    let variables = variables(command).map(tidemill_model::Variables::to_json);
    Content { members, variables }
}

fn name_definition(members: &mut Map<String, Value>, definition: &DefinitionRef) {
    members.remove("definition");
    match definition {
        DefinitionRef::Key(key) => {
            members.insert("processDefinitionKey".to_owned(), json!(key.to_string()));
        }
        DefinitionRef::Latest(id) => {
            members.insert("processDefinitionId".to_owned(), json!(id));
        }
        DefinitionRef::Version(id, version) => {
            members.insert("processDefinitionId".to_owned(), json!(id));
            members.insert("processDefinitionVersion".to_owned(), json!(version));
        }
    }
    let ends = members.get_mut("runtimeInstructions").and_then(Value::as_array_mut);
    for end in ends.into_iter().flatten() {
        *end = json!({"type": "TERMINATE_PROCESS_INSTANCE", "afterElementId": end.take()});
    }
}

fn rename(members: &mut Map<String, Value>, from: &str, to: &str) {
    if let Some(value) = members.remove(from) {
        members.insert(to.to_owned(), value);
    }
}

fn renamed((name, value): (String, Value)) -> (String, Value) {
    let value = match (&value, name.ends_with("_at") || name == "at") {
        (Value::Number(number), true) => json!(date_text(Timestamp(number.as_i64().unwrap_or_default()))),
        _ => in_words(value),
    };
    let known = NAMES.iter().find(|(ours, _)| *ours == name).map(|(_, theirs)| (*theirs).to_owned());
    // A member that is not a key keeps its name.
    let is_thing = value.is_object() && known.as_ref().is_some_and(|known| known.ends_with("Key"));
    match known {
        Some(known) if !is_thing => (known, value),
        _ => (camel_case(&name), value),
    }
}

fn in_words(value: Value) -> Value {
    match value {
        Value::Object(members) => Value::Object(members.into_iter().map(renamed).collect()),
        Value::Array(items) => items.into_iter().map(in_words).collect(),
        other => other,
    }
}

/// Names of kinds, which begin with a capital, stay as they are.
fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let first = words.next().unwrap_or_default().to_owned();
    words.fold(first, |name, word| {
        let (head, tail) = word.split_at(word.len().min(1));
        name + &head.to_ascii_uppercase() + tail
    })
}

fn variables(command: &Command) -> Option<&tidemill_model::Variables> {
    match command {
        Command::CreateInstance(c) => Some(&c.variables),
        Command::SetVariables(c) => Some(&c.variables),
        Command::CompleteJob(c) => Some(&c.variables),
        Command::FailJob(c) => Some(&c.variables),
        Command::ThrowJobError(c) => Some(&c.variables),
        Command::CompleteUserTask(c) => Some(&c.variables),
        Command::PublishMessage(c) => Some(&c.variables),
        Command::CorrelateMessage(c) => Some(&c.variables),
        Command::BroadcastSignal(c) => Some(&c.variables),
        Command::CorrelateSubscription(c) => Some(&c.variables),
        Command::AnswerCorrelation(c) => Some(&c.variables),
        Command::DeliverSignal(c) => Some(&c.variables),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tidemill_model::command::{CreateInstance, PublishMessage};
    use tidemill_model::{TenantId, Variables};

    fn told(command: &Command) -> Value {
        let text = serde_json::to_string(&content(command)).expect("JSON");
        serde_json::from_str(&text).expect("JSON")
    }

    #[test]
    fn a_command_reads_like_the_request_that_made_it() {
        let create = Command::CreateInstance(Box::new(CreateInstance {
            definition: DefinitionRef::Version("order".into(), 3),
            tenant: TenantId::default(),
            variables: Variables::parse(r#"{"amount": 1.50}"#).expect("JSON"),
            start: Vec::new(),
            terminate_after: vec!["pay".into()],
            tags: vec!["a".into()],
            business_id: Some("A-1".into()),
            is_unique: false,
        }));
        assert_eq!(operation(&create), "createProcessInstance");
        assert_eq!(
            told(&create),
            json!({"processDefinitionId": "order", "processDefinitionVersion": 3, "tenantId": "<default>",
                "variables": {"amount": 1.5}, "startInstructions": [], "tags": ["a"], "businessId": "A-1",
                "runtimeInstructions": [{"type": "TERMINATE_PROCESS_INSTANCE", "afterElementId": "pay"}]})
        );
        assert!(
            serde_json::to_string(&content(&create)).expect("JSON").contains("1.50"),
            "as it was written"
        );
    }

    #[test]
    fn times_and_lengths_are_called_as_in_requests() {
        let publish = Command::PublishMessage(PublishMessage {
            tenant: TenantId::default(),
            name: "paid".into(),
            correlation_key: "A-1".into(),
            message_id: None,
            business_id: None,
            time_to_live_ms: 5,
            variables: Variables::default(),
        });
        assert_eq!(operation(&publish), "publishMessage");
        assert_eq!(
            told(&publish),
            json!({"name": "paid", "correlationKey": "A-1", "messageId": null, "businessId": null,
                "timeToLive": 5, "tenantId": "<default>", "variables": {}})
        );
    }
}
