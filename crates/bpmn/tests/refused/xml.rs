//! Files that are not BPMN, not XML, or hostile.

use crate::support::{file, findings, refused};

#[test]
fn a_file_has_an_executable_process() {
    let xml = file("\n<startEvent id=\"s\"/>", "").replace(" isExecutable=\"true\"", "");
    refused(&xml, &[("definitions", 1, "Must contain at least one executable process")]);
}

#[test]
fn pools_that_are_not_executable_are_ignored_whole() {
    let xml =
        file("\n<startEvent id=\"s\"/>", "<process id=\"q\"><complexGateway/><task id=\"s\"/></process>");
    assert_eq!(findings(&xml), []);
}

#[test]
fn other_documents_are_told_apart() {
    refused(
        "<html/>",
        &[("html", 1, "Expected 'definitions' of BPMN 2.0 as root element, but found 'html'")],
    );
    refused("", &[("definitions", 1, "Expected well-formed XML, but ")]);
    refused("<a>\n<b></a>", &[("definitions", 2, "Expected well-formed XML, but ")]);
}

#[test]
fn document_types_are_refused() {
    let bomb = "<?xml version=\"1.0\"?>\n<!DOCTYPE a [<!ENTITY b \"c\">]>\n<a>&b;</a>";
    refused(bomb, &[("definitions", 2, "Expected XML without a document type")]);
}

#[test]
fn depth_is_limited() {
    let deep = format!("{}{}", "<a>".repeat(100_000), "</a>".repeat(100_000));
    refused(&deep, &[("definitions", 1, "Expected at most 200 levels of nested elements")]);
}

#[test]
fn nodes_are_limited() {
    let many = format!("<a>{}</a>", "<b/>".repeat(500_001));
    refused(&many, &[("definitions", 1, "Expected well-formed XML, but ")]);
}

#[test]
fn all_findings_come_at_once_in_document_order() {
    let xml = file(
        "\n<startEvent id=\"s\"/>\n<serviceTask id=\"a\"/>\n<callActivity id=\"b\"/>\n<startEvent id=\"c\"/>",
        "",
    );
    let lines: Vec<u32> = findings(&xml).into_iter().map(|(_, line, _)| line).collect();
    assert_eq!(lines, [3, 4, 5]);
}

#[test]
fn shared_text_cannot_be_multiplied_without_end() {
    let key = "1 + ".repeat(15_000);
    let catches: String = (0..400)
        .map(|n| format!("<intermediateCatchEvent id=\"c{n}\"><messageEventDefinition messageRef=\"m\"/></intermediateCatchEvent>"))
        .collect();
    let xml = file(
        &format!("\n<startEvent id=\"s\"/>{catches}"),
        &format!(
            "<message id=\"m\" name=\"m\"><extensionElements><z:subscription correlationKey=\"={key}1\"/></extensionElements></message>"
        ),
    );
    refused(&xml, &[("definitions", 1, "Expected less text in shared definitions and expressions")]);
}

#[test]
fn a_file_of_one_long_line_is_read_quickly() {
    let tasks: String = (0..30_000).map(|n| format!("<userTask id=\"t{n}\"/>")).collect();
    assert_eq!(findings(&file(&format!("<startEvent id=\"s\"/>{tasks}"), "")), []);
}
