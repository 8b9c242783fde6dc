//! The kinds of deployed files, and reading and checking each.

use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::sync::Arc;
use tidemill_bpmn::{Findings, Process};
use tidemill_model::Text;
use tidemill_model::command::ResourceFile;

const BPMN_NAMESPACE: &str = "http://www.omg.org/spec/BPMN/20100524/MODEL";

/// A file that can be deployed.
pub(crate) struct Readable {
    pub(crate) name: Text,
    pub(crate) checksum: Text,
    pub(crate) content: Content,
}

pub(crate) enum Content {
    Bpmn { processes: Vec<Arc<Process>>, xml: Arc<str> },
    Form { id: Text, version_tag: Option<Text>, schema: Arc<str> },
    Other { id: Text, version_tag: Option<Text>, content: Arc<[u8]> },
}

impl Readable {
    pub(super) fn processes(&self) -> &[Arc<Process>] {
        match &self.content {
            Content::Bpmn { processes, .. } => processes,
            Content::Form { .. } | Content::Other { .. } => &[],
        }
    }
}

/// Reads a file by its name's ending. Errors are written the way that clients show them.
pub(super) fn read(file: &ResourceFile) -> Result<Readable, String> {
    let ending = file.name.rsplit_once('.').map_or("", |(_, ending)| ending);
    let is_bpmn = ending == "bpmn" || ending == "xml" && is_bpmn_text(&file.content);
    let content = match ending {
        _ if is_bpmn => read_bpmn(file)?,
        "form" => read_form(file)?,
        "rpa" => read_rpa(file)?,
        "dmn" => {
            return Err(format!(
                "'{}': Expected a resource of a known kind, but decisions (DMN) are not supported yet",
                file.name
            ));
        }
        _ => Content::Other { id: file.name.clone(), version_tag: None, content: file.content.clone() },
    };
    Ok(Readable { name: file.name.clone(), checksum: checksum(&file.content), content })
}

fn is_bpmn_text(content: &[u8]) -> bool {
    tidemill_bpmn::decode(content).is_ok_and(|text| text.contains(BPMN_NAMESPACE))
}

fn read_bpmn(file: &ResourceFile) -> Result<Content, String> {
    let document = tidemill_bpmn::read(&file.content).map_err(|findings| describe(&file.name, &findings))?;
    let xml = tidemill_bpmn::in_utf8(&file.content)
        .map_err(|finding| describe(&file.name, &Findings(vec![finding])))?;
    let processes = document.processes.into_iter().map(Arc::new).collect();
    Ok(Content::Bpmn { processes, xml: Arc::from(&*xml) })
}

fn describe(name: &str, findings: &Findings) -> String {
    let mut text = format!("'{name}': ");
    let mut place = None;
    for finding in &findings.0 {
        // Findings of one place stand together.
        if place != Some(&finding.path) {
            let _ = writeln!(text, "- Element: {}", finding.path);
            place = Some(&finding.path);
        }
        let _ = writeln!(text, "    - ERROR: {}", finding.reason);
    }
    text.trim_end().to_owned()
}

fn read_form(file: &ResourceFile) -> Result<Content, String> {
    let refuse = |why: &str| Err(format!("'{}': {why}", file.name));
    let Ok(schema) = std::str::from_utf8(&file.content) else {
        return refuse("Expected the form to be UTF-8 text");
    };
    let form: serde_json::Value = match serde_json::from_str(schema) {
        Ok(form) => form,
        Err(error) => return Err(format!("Failed to parse form JSON. '{}': {error}", file.name)),
    };
    let text = |name: &str| form.get(name).and_then(serde_json::Value::as_str).map(Text::from);
    match text("id").filter(|id| !id.trim().is_empty()) {
        Some(id) => Ok(Content::Form { id, version_tag: text("versionTag"), schema: schema.into() }),
        None => refuse("Expected the form id to be present, but none given"),
    }
}

/// A robot's script: JSON that names itself.
fn read_rpa(file: &ResourceFile) -> Result<Content, String> {
    let script: serde_json::Map<String, serde_json::Value> = serde_json::from_slice(&file.content)
        .map_err(|error| format!("Failed to parse resource JSON. '{}': {error}", file.name))?;
    let text = |name: &str| match script.get(name)? {
        serde_json::Value::String(text) => Some(Text::from(text.as_str())),
        serde_json::Value::Number(number) => Some(Text::from(number.to_string())),
        _ => None,
    };
    match text("id") {
        None => Err("Expected the resource id to be present, but none given".into()),
        Some(id) if id.trim().is_empty() => {
            Err("Expected the resource id to be filled, but it is blank".into())
        }
        Some(id) => {
            let content = file.content.clone();
            Ok(Content::Other { id, version_tag: text("versionTag"), content })
        }
    }
}

fn checksum(content: &[u8]) -> Text {
    let mut text = String::with_capacity(64);
    for byte in Sha256::digest(content) {
        let _ = write!(text, "{byte:02x}");
    }
    text.into()
}
