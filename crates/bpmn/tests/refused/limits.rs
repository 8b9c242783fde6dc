//! Files that ask for more than a file may: each limit says its number.

use crate::support::{accepted, file, findings, refused};

#[test]
fn attributes_of_one_element() {
    let with = |count: usize| {
        let attributes: String = (0..count).map(|n| format!(" a{n}=\"\"")).collect();
        file(&format!("\n<startEvent id=\"s\"{attributes}/>"), "")
    };
    accepted(&with(255));
    refused(&with(256), &[("definitions", 2, "Expected at most 256 attributes on one element")]);
}

#[test]
fn namespaces_in_one_place() {
    let with = |count: usize| {
        let namespaces: String = (0..count).map(|n| format!(" xmlns:n{n}=\"urn:{n}\"")).collect();
        file(&format!("\n<startEvent id=\"s\"{namespaces}/>"), "")
    };
    accepted(&with(126));
    refused(&with(127), &[("definitions", 2, "Expected at most 128 namespaces in one place")]);
}

#[test]
fn bytes_of_a_file() {
    let padding = " ".repeat(10 * 1024 * 1024);
    let xml = file(&format!("\n<startEvent id=\"s\"/>{padding}"), "");
    refused(&xml, &[("definitions", 1, "Expected at most 10485760 bytes, but the file has ")]);
}

#[test]
fn bytes_of_an_id() {
    let with = |bytes: usize| file(&format!("\n<startEvent id=\"{}\"/>", "s".repeat(bytes)), "");
    let reason = "IDs must not be longer than the configured max-id-length of 256 characters.";
    accepted(&with(256));
    refused(&with(257), &[(&"s".repeat(257), 2, reason)]);
    refused(&with(513), &[(&"s".repeat(513), 2, reason)]);
    let wide = |characters: usize| file(&format!("\n<startEvent id=\"{}\"/>", "é".repeat(characters)), "");
    accepted(&wide(256));
    refused(&wide(257), &[(&"é".repeat(257), 2, reason)]);
    let deployed = with(300);
    assert!(
        tidemill_bpmn::read_process(deployed.as_bytes(), "p").is_ok(),
        "what was deployed before goes on"
    );
}

#[test]
fn bytes_of_an_expression() {
    let with = |bytes: usize| {
        let text = format!("=1{}", " ".repeat(bytes - 2));
        file(
            &format!(
                "<startEvent id=\"s\"/>\n<scriptTask id=\"t\"><extensionElements>\
                 <z:script expression=\"{text}\" resultVariable=\"x\"/></extensionElements></scriptTask>"
            ),
            "",
        )
    };
    accepted(&with(64 * 1024));
    refused(&with(64 * 1024 + 1), &[("t", 2, "Expected at most 65536 bytes of text, but found 65537")]);
}

#[test]
fn bytes_of_what_is_looked_up_by_name() {
    let with = |bytes: usize| {
        let job_type = "j".repeat(bytes);
        file(
            &format!(
                "<startEvent id=\"s\"/>\n<serviceTask id=\"t\"><extensionElements>\
                 <z:taskDefinition type=\"{job_type}\"/></extensionElements></serviceTask>"
            ),
            "",
        )
    };
    accepted(&with(512));
    refused(&with(513), &[("t", 2, "Expected at most 512 bytes, but found 513")]);
}

#[test]
fn findings_of_one_file_and_what_each_says() {
    let tasks: String = (0..1_001).map(|n| format!("<serviceTask id=\"t{n}\"/>")).collect();
    assert_eq!(findings(&file(&format!("<startEvent id=\"s\"/>{tasks}"), "")).len(), 1_000);
    let wrong = "x ".repeat(5_000);
    let script = format!(
        "<startEvent id=\"s\"/><scriptTask id=\"t\"><extensionElements>\
         <z:script expression=\"={wrong}\" resultVariable=\"x\"/></extensionElements></scriptTask>"
    );
    let found = findings(&file(&script, ""));
    assert_eq!(found.len(), 1);
    assert_eq!(found[0].2.chars().count(), 1_003, "cut, with dots");
}

#[test]
fn flows_into_inclusive_gateways() {
    let mut elements = String::from("<startEvent id=\"s\"/>");
    for n in 0..2_600 {
        elements.push_str(&format!(
            "<manualTask id=\"t{n}\"/><sequenceFlow id=\"f{n}\" sourceRef=\"t{n}\" targetRef=\"g\"/>"
        ));
    }
    elements.push_str("\n<inclusiveGateway id=\"g\"/>");
    accepted(&file(&elements.replace("inclusive", "parallel"), ""));
    let found = findings(&file(&elements, ""));
    assert!(found.is_empty(), "within the limit: {found:?}");
    elements.push_str("\n<inclusiveGateway id=\"h\"/>");
    for n in 0..2_600 {
        elements.push_str(&format!("<sequenceFlow id=\"h{n}\" sourceRef=\"t{n}\" targetRef=\"h\"/>"));
    }
    refused(
        &file(&elements, ""),
        &[
            ("g", 2, "Expected fewer flows into inclusive gateways in one file"),
            ("h", 3, "Expected fewer flows into inclusive gateways in one file"),
        ],
    );
}

#[test]
fn names_in_a_path() {
    let with = |names: usize| {
        let target = vec!["a"; names].join(".");
        file(
            &format!(
                "<startEvent id=\"s\"/>\n<serviceTask id=\"t\"><extensionElements><z:taskDefinition type=\"j\"/>\
                 <z:ioMapping><z:input source=\"=1\" target=\"{target}\"/></z:ioMapping></extensionElements>\
                 </serviceTask>"
            ),
            "",
        )
    };
    accepted(&with(100));
    refused(&with(101), &[("t", 2, "Expected at most 100 names in a path, but found 101")]);
}

#[test]
fn levels_of_nested_subprocesses() {
    let with = |levels: usize| {
        let open: String =
            (0..levels).map(|n| format!("<subProcess id=\"p{n}\"><startEvent id=\"s{n}\"/>")).collect();
        file(&format!("<startEvent id=\"s\"/>\n{open}{}", "</subProcess>".repeat(levels)), "")
    };
    accepted(&with(198));
    refused(&with(199), &[("definitions", 2, "Expected at most 200 levels of nested elements")]);
}
