//! Files in the encodings that XML is written in, with places counted in characters of the text.

use tidemill_bpmn::{in_utf8, read, read_process};

fn model(encoding: &str, task: &str) -> String {
    format!(
        "<?xml version=\"1.0\" encoding=\"{encoding}\"?>\n\
         <definitions xmlns=\"http://www.omg.org/spec/BPMN/20100524/MODEL\" \
         xmlns:z=\"http://camunda.org/schema/zeebe/1.0\">\n\
         <process id=\"p\" name=\"Prüfung\" isExecutable=\"true\"><startEvent id=\"s\"/>{task}</process></definitions>"
    )
}

/// Every character as one byte: enough for what stands in these files.
fn single_bytes(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(c as u32).expect("one byte")).collect()
}

fn files(task: &str) -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |to_bytes: fn(u16) -> [u8; 2], mark: &str| {
        let text = format!("{mark}{}", model("UTF-16", task));
        text.encode_utf16().flat_map(to_bytes).collect::<Vec<u8>>()
    };
    vec![
        ("UTF-8", model("UTF-8", task).into_bytes()),
        ("ISO-8859-1", single_bytes(&model("ISO-8859-1", task))),
        ("windows-1252", single_bytes(&model("windows-1252", task))),
        ("UTF-16, little end first", utf16(u16::to_le_bytes, "\u{FEFF}")),
        ("UTF-16, big end first", utf16(u16::to_be_bytes, "\u{FEFF}")),
        ("UTF-16 without a mark", utf16(u16::to_be_bytes, "")),
    ]
}

#[test]
fn names_are_read_in_every_encoding_and_again_from_what_is_kept() {
    for (encoding, file) in files("<task id=\"t\"/>") {
        let document = read(&file).unwrap_or_else(|findings| panic!("{encoding}: {findings}"));
        assert_eq!(document.processes[0].name().map(|name| name.as_str()), Some("Prüfung"), "{encoding}");
        let kept = in_utf8(&file).expect("it was read");
        assert!(kept.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>"), "{encoding}");
        let process = read_process(kept.as_bytes(), "p").expect("what is kept can be read");
        assert_eq!(process.name().map(|name| name.as_str()), Some("Prüfung"), "{encoding}");
    }
}

#[test]
fn findings_have_the_same_place_in_every_encoding() {
    for (encoding, file) in files("<task id=\"ü\"/><serviceTask id=\"t\"/>") {
        let findings = read(&file).expect_err("a service task needs a job type").0;
        let (line, column) = (findings[0].line, findings[0].column);
        assert_eq!((findings.len(), line, column), (1, 3, 86), "{encoding}");
    }
}

#[test]
fn limits_hold_in_every_encoding() {
    let hostile = "<?xml version='1.0' encoding='UTF-16'?><!DOCTYPE a [<!ENTITY b 'c'>]><a/>";
    let bytes: Vec<u8> = hostile.encode_utf16().flat_map(u16::to_le_bytes).collect();
    let findings = read(bytes).expect_err("refused").0;
    assert!(findings[0].reason.contains("document type"), "{}", findings[0]);
    assert_eq!((findings[0].line, findings[0].column), (1, 40));
}
