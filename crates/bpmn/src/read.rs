//! The way of a file: bytes, text, XML, outline, then rules and contents; all findings together at the end.

use crate::build::{self, Budget};
use crate::definitions::Definitions;
use crate::executable::Process;
use crate::extensions;
use crate::finding::{Finding, Findings};
use crate::outline::Outline;
use crate::report::Report;
use crate::rules;
use crate::xml::{self, Tag};
use std::borrow::Cow;

/// The executable processes of one file; those that are not executable are left out.
#[derive(Clone, Debug)]
pub struct Document {
    pub processes: Vec<Process>,
}

/// Reads BPMN 2.0 XML. Either every executable process of the file can run, or all findings come back.
pub fn read(xml: impl AsRef<[u8]>) -> Result<Document, Findings> {
    read_with(xml.as_ref(), false)
}

fn read_with(xml: &[u8], is_deployed: bool) -> Result<Document, Findings> {
    let text = decode(xml).map_err(|finding| Findings(vec![finding]))?;
    let parsed = parse(&text).map_err(|finding| Findings(vec![finding]))?;
    let mut report = Report::new(parsed.input_text());
    report.is_deployed = is_deployed;
    let processes = processes(Tag::new(parsed.root_element()), &mut report);
    report.into_result(Document { processes })
}

/// Reads one process of a file that was deployed, perhaps by another version. An error is the reason why this version cannot read it: the
/// first finding, and how many there are besides.
pub fn read_process(xml: &[u8], process_id: &str) -> Result<Process, String> {
    let document = read_with(xml, true).map_err(|findings| match &findings.0[..] {
        [first, others @ ..] if !others.is_empty() => format!("{first} (and {} more findings)", others.len()),
        _ => findings.to_string(),
    })?;
    let found = document.processes.into_iter().find(|process| process.id() == process_id);
    found.ok_or_else(|| format!("the file has no executable process '{process_id}'"))
}

/// The text of a file in one of the encodings that XML is written in, within the limit on its size.
pub fn decode(xml: &[u8]) -> Result<Cow<'_, str>, Finding> {
    xml::decode(xml).map_err(|fault| fault.finding(""))
}

/// The file in UTF-8, with a declaration that says so: as it is kept.
pub fn in_utf8(xml: &[u8]) -> Result<Cow<'_, str>, Finding> {
    xml::in_utf8(xml).map_err(|fault| fault.finding(""))
}

/// Parses XML within the limits on its depth, attributes and namespaces, without a look at what it says.
pub fn parse(text: &str) -> Result<roxmltree::Document<'_>, Finding> {
    xml::parse(text).map_err(|fault| fault.finding(text))
}

/// A warning about an element or attribute that has no effect. The file can be deployed all the same.
pub fn warnings(xml: &[u8]) -> Vec<Finding> {
    let Ok(text) = decode(xml) else { return Vec::new() };
    let Ok(parsed) = parse(&text) else { return Vec::new() };
    let mut report = Report::new(parsed.input_text());
    extensions::check(Tag::new(parsed.root_element()), &mut report);
    report.into_result(()).map_or_else(|warnings| warnings.0, |()| Vec::new())
}

fn processes<'a>(root: Tag<'a>, report: &mut Report<'a>) -> Vec<Process> {
    let Some(definitions) = Definitions::read(root, report) else { return Vec::new() };
    let outlines: Vec<Outline<'a>> =
        definitions.executable_processes().map(|process| Outline::read(process, report)).collect();
    rules::check(&definitions, &outlines, report);
    let mut budget = Budget::default();
    let built: Vec<Option<Process>> =
        outlines.iter().map(|outline| build::process(&definitions, outline, report, &mut budget)).collect();
    if report.is_empty() && built.iter().any(Option::is_none) {
        report.refuse(root, "Expected every part of the processes to be understood, but one is not");
    }
    built.into_iter().flatten().collect()
}
