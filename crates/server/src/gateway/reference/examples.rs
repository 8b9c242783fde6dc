//! Examples as they were recorded: requests that a test has sent to a server, with its answers.

use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::sync::OnceLock;

const RECORDED: &str = include_str!("examples.json");

#[derive(Deserialize)]
pub(super) struct Example {
    pub(super) operation: String,
    /// With its query.
    pub(super) path: String,
    #[serde(default)]
    pub(super) body: Option<Value>,
    /// Names of the files of a deployment.
    #[serde(default)]
    pub(super) files: Vec<String>,
    pub(super) status: u16,
    pub(super) answer: Value,
}

pub(super) fn find(operation: &str) -> Option<&'static Example> {
    static EXAMPLES: OnceLock<BTreeMap<String, Example>> = OnceLock::new();
    let examples = EXAMPLES.get_or_init(|| {
        let all: Vec<Example> = serde_json::from_str(RECORDED).expect("the test that records writes them so");
        all.into_iter().map(|example| (example.operation.clone(), example)).collect()
    });
    examples.get(operation)
}
