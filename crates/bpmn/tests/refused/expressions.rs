//! FEEL, and the paths that mappings write to.

use crate::support::{accepted, file, refused};

fn mapping(inside: &str) -> String {
    file(
        &format!(
            "\n<startEvent id=\"s\"/>\n<serviceTask id=\"t\"><extensionElements><z:taskDefinition type=\"x\"/><z:ioMapping>\n{inside}</z:ioMapping></extensionElements></serviceTask>"
        ),
        "",
    )
}

#[test]
fn mapping_targets_are_paths() {
    accepted(&mapping(r#"<z:input source="42" target="a.b_1"/><z:output source="=a" target="_c"/>"#));
    for wrong in ["a b", "1a", "a.", "ä", "a-b"] {
        let reason = format!(
            "Expected path expression '{wrong}' but doesn't match the pattern '[a-zA-Z_][a-zA-Z0-9_]*(\\.[a-zA-Z_][a-zA-Z0-9_]*)*'."
        );
        refused(&mapping(&format!("<z:input source=\"=a\" target=\"{wrong}\"/>")), &[("t", 4, &reason)]);
    }
    refused(
        &mapping(r#"<z:output source="=a" target="null"/>"#),
        &[("t", 4, "Expected path expression 'null' but is one of the reserved words (null, true,")],
    );
    refused(&mapping(r#"<z:output source="=a"/>"#), &[("t", 4, "Expected path expression but not found.")]);
}

#[test]
fn outputs_are_expressions_and_inputs_may_be_plain() {
    accepted(&mapping(r#"<z:input source="plain text" target="a"/>"#));
    accepted(&mapping(r#"<z:input target="a"/>"#));
    refused(&mapping(r#"<z:output target="a"/>"#), &[("t", 4, "Expected expression but not found.")]);
    refused(
        &mapping(r#"<z:output source="b" target="a"/>"#),
        &[(
            "t",
            4,
            "Expected expression but found static value 'b'. An expression must start with '=' (e.g. '=b').",
        )],
    );
}

#[test]
fn conditions_are_expressions() {
    let flow = |condition: &str| {
        file(
            &format!(
                r#"
<startEvent id="s"/>
<exclusiveGateway id="g"/>
<endEvent id="e"/>
<sequenceFlow id="f0" sourceRef="s" targetRef="g"/>
<sequenceFlow id="f1" sourceRef="g" targetRef="e">
<conditionExpression>{condition}</conditionExpression></sequenceFlow>"#
            ),
            "",
        )
    };
    accepted(&flow("\n  =amount &gt; 10\n"));
    accepted(&flow("<![CDATA[=amount < 10]]>"));
    refused(
        &flow("amount &gt; 10"),
        &[("f1", 7, "Expected expression but found static value 'amount > 10'.")],
    );
    refused(&flow(""), &[("f1", 7, "Expected expression but not found.")]);
}

#[test]
fn feel_that_does_not_parse_is_shown_with_its_place() {
    refused(
        &mapping(r#"<z:input source="=1 +" target="a"/>"#),
        &[("t", 4, "Failed to parse expression '1 +': Expected ")],
    );
}

#[test]
fn endless_text_is_refused() {
    let long = format!("<z:input source=\"={}1\" target=\"a\"/>", "1 + ".repeat(20_000));
    refused(&mapping(&long), &[("t", 4, "Expected at most 65536 bytes of text, but found 80002")]);
}
