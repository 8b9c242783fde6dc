//! Files from their interesting part, and findings compared whole: nothing missing, nothing extra.

use tidemill_bpmn::read;

/// A file with one process. The parts are raw strings that begin with a line break, so that the first line of
/// `process` is line 2.
pub(crate) fn file(process: &str, shared: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL" xmlns:z="http://camunda.org/schema/zeebe/1.0"><process id="p" isExecutable="true">{process}</process>{shared}</definitions>"#
    )
}

pub(crate) fn findings(xml: &str) -> Vec<(String, u32, String)> {
    let Err(findings) = read(xml) else { return Vec::new() };
    let tuple =
        |finding: tidemill_bpmn::Finding| (finding.element_id.to_string(), finding.line, finding.reason);
    findings.0.into_iter().map(tuple).collect()
}

/// Exactly these findings: element id, line, and the beginning of the reason.
#[track_caller]
pub(crate) fn refused(xml: &str, expected: &[(&str, u32, &str)]) {
    let found = findings(xml);
    let matches = found.len() == expected.len()
        && found.iter().zip(expected).all(|((id, line, reason), (expected_id, expected_line, beginning))| {
            id == expected_id && line == expected_line && reason.starts_with(beginning)
        });
    assert!(matches, "expected {expected:#?}\nfound {found:#?}");
}

#[track_caller]
pub(crate) fn accepted(xml: &str) {
    refused(xml, &[]);
}
