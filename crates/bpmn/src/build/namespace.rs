//! The names below `camunda` in expressions. Some of them exist. The others are refused, because they would evaluate to null silently.

use tidemill_feel::{Expression, nearest};

const NAMESPACE: &str = "camunda";
const INSTANCE: &str = "processInstance";
const OF_INSTANCE: [&str; 2] = ["key", "businessId"];

/// Why an expression asks for something that nobody has, and what to do about it.
pub(super) fn findings(expression: &Expression) -> Vec<(String, Option<String>)> {
    let Some(read) = expression.variables().iter().find(|variable| variable.name == NAMESPACE) else {
        return Vec::new();
    };
    let mut findings = Vec::new();
    for segment in &read.segments {
        match segment.as_str() {
            "vars" => {
                let reason = format!("Cluster variables ('{NAMESPACE}.vars') are not supported yet");
                findings.push((reason, Some("pass the value as a variable of the instance".to_owned())));
            }
            "secrets" => {
                let reason = format!("Secrets ('{NAMESPACE}.secrets') are not supported yet");
                findings.push((reason, Some("let the worker read the secret".to_owned())));
            }
            INSTANCE => findings.extend(unknown_members(expression)),
            // A variable of that name may have it.
            _ => {}
        }
    }
    findings
}

fn unknown_members(expression: &Expression) -> Vec<(String, Option<String>)> {
    let prefix = format!("{NAMESPACE}.{INSTANCE}.");
    let text = expression.format();
    let read = text.split(prefix.as_str()).skip(1).map(|rest| {
        let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
        &rest[..end]
    });
    let unknown = read.filter(|name| !name.is_empty() && !OF_INSTANCE.contains(name));
    let finding = |name: &str| {
        let reason = format!(
            "Expected one of {} of '{NAMESPACE}.{INSTANCE}', but found '{name}'",
            OF_INSTANCE.map(|name| format!("'{name}'")).join(", ")
        );
        let meant = nearest(name, OF_INSTANCE.into_iter());
        (reason, meant.map(|meant| format!("did you mean '{meant}'?")))
    };
    unknown.map(finding).collect()
}
