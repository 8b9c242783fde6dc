//! Messages, signals, errors, escalations and links that events refer to.

use crate::support::{accepted, file, refused};

fn catch(definition: &str, shared: &str) -> String {
    file(
        &format!(
            "\n<startEvent id=\"s\"/>\n<intermediateCatchEvent id=\"e\">\n{definition}</intermediateCatchEvent>"
        ),
        shared,
    )
}

const MESSAGE: &str = r#"<messageEventDefinition messageRef="m"/>"#;

#[test]
fn a_caught_message_has_a_name_and_a_correlation_key() {
    refused(&catch("<messageEventDefinition/>", ""), &[("e", 4, "Must reference a message")]);
    refused(&catch(MESSAGE, ""), &[("e", 4, "Must reference a message")]);
    refused(&catch(MESSAGE, "\n<signal id=\"m\" name=\"m\"/>"), &[("e", 4, "Must reference a message")]);
    let bare = "\n<message id=\"m\" name=\"m\"/>";
    refused(&catch(MESSAGE, bare), &[("m", 5, "Must have exactly one zeebe:subscription extension element")]);
    let nameless = "\n<message id=\"m\"><extensionElements><z:subscription correlationKey=\"=k\"/></extensionElements></message>";
    refused(&catch(MESSAGE, nameless), &[("m", 5, "Name must be present and not empty")]);
    let keyless = "\n<message id=\"m\" name=\"m\"><extensionElements>\n<z:subscription correlationKey=\"\"/></extensionElements></message>";
    refused(
        &catch(MESSAGE, keyless),
        &[("m", 6, "Attribute 'correlationKey' must be present and not empty")],
    );
    let fixed = keyless.replace("\"\"", "\"k\"");
    refused(&catch(MESSAGE, &fixed), &[("m", 6, "Expected expression but found static value 'k'.")]);
    accepted(&catch(MESSAGE, &keyless.replace("\"\"", "\"=k\"")));
}

#[test]
fn a_prefix_before_a_reference_does_not_matter() {
    let message = "<message id=\"m\" name=\"m\"><extensionElements><z:subscription correlationKey=\"=k\"/></extensionElements></message>";
    accepted(&catch(r#"<messageEventDefinition messageRef="tns:m"/>"#, message));
}

#[test]
fn a_receive_task_has_a_message() {
    let xml = file("\n<startEvent id=\"s\"/>\n<receiveTask id=\"t\"/>", "");
    refused(&xml, &[("t", 3, "Must reference a message")]);
}

#[test]
fn a_message_that_starts_a_process_needs_a_name_that_is_known_at_deployment() {
    let start = "\n<startEvent id=\"s\"><messageEventDefinition messageRef=\"m\"/></startEvent>";
    accepted(&file(start, "\n<message id=\"m\" name=\"m\"/>"));
    accepted(&file(start, "\n<message id=\"m\" name=\"=&quot;a&quot; + &quot;b&quot;\"/>"));
    refused(&file(start, "\n<message id=\"m\"/>"), &[("m", 3, "Name must be present and not empty")]);
    let reason = "Expected constant expression of type String for message name 'who', but was null";
    refused(&file(start, "\n<message id=\"m\" name=\"=who\"/>"), &[("m", 3, reason)]);
}

#[test]
fn a_signal_has_a_name() {
    let signal = r#"<signalEventDefinition signalRef="x"/>"#;
    refused(&catch(signal, ""), &[("e", 4, "Must reference a signal")]);
    refused(&catch(signal, "\n<signal id=\"x\"/>"), &[("x", 5, "Name must be present and not empty")]);
    accepted(&catch(signal, "\n<signal id=\"x\" name=\"=computed\"/>"));
    let start = format!("\n<startEvent id=\"s\">{signal}</startEvent>");
    let reason = "Expected constant expression of type String for signal name 'who', but was null";
    refused(&file(&start, "\n<signal id=\"x\" name=\"=who\"/>"), &[("x", 3, reason)]);
}

fn end(definition: &str, shared: &str) -> String {
    file(&format!("\n<startEvent id=\"s\"/>\n<endEvent id=\"e\">\n{definition}</endEvent>"), shared)
}

#[test]
fn what_is_thrown_has_a_code() {
    let error = r#"<errorEventDefinition errorRef="x"/>"#;
    refused(&end("<errorEventDefinition/>", ""), &[("e", 4, "Must reference an error")]);
    refused(&end(error, "\n<error id=\"x\"/>"), &[("x", 5, "ErrorCode must be present and not empty")]);
    accepted(&end(error, "\n<error id=\"x\" errorCode=\"=code\"/>"));
    let escalation = r#"<escalationEventDefinition escalationRef="x"/>"#;
    refused(&end("<escalationEventDefinition/>", ""), &[("e", 4, "Must reference an escalation")]);
    refused(
        &end(escalation, "\n<escalation id=\"x\"/>"),
        &[("x", 5, "EscalationCode must be present and not empty")],
    );
}

/// Caught without a code, it would catch everything.
#[test]
fn what_is_caught_by_reference_is_there() {
    let caught = |definition: &str| {
        let boundary = format!("<boundaryEvent id=\"b\" attachedToRef=\"t\">{definition}</boundaryEvent>");
        file(
            &format!(
                "\n<startEvent id=\"s\"/>\n<callActivity id=\"t\"><extensionElements>\
            <z:calledElement processId=\"other\"/></extensionElements></callActivity>\n{boundary}"
            ),
            "<message id=\"m\" name=\"m\"/><error id=\"x\" errorCode=\"x\"/>",
        )
    };
    let reason = "Must reference an error, but 'nix' is none of the file";
    refused(&caught(r#"<errorEventDefinition errorRef="nix"/>"#), &[("b", 4, reason)]);
    let reason = "Must reference an error, but 'm' is none of the file";
    refused(&caught(r#"<errorEventDefinition errorRef="m"/>"#), &[("b", 4, reason)]);
    let reason = "Must reference an escalation, but 'nix' is none of the file";
    refused(&caught(r#"<escalationEventDefinition escalationRef="nix"/>"#), &[("b", 4, reason)]);
    accepted(&caught("<errorEventDefinition/>"));
    accepted(&caught(r#"<errorEventDefinition errorRef="x"/>"#));
}

#[test]
fn caught_codes_are_plain() {
    let xml = file(
        r#"
<startEvent id="s"/>
<callActivity id="t"><extensionElements><z:calledElement processId="other"/></extensionElements></callActivity>
<boundaryEvent id="a" attachedToRef="t"><errorEventDefinition errorRef="x"/></boundaryEvent>
<boundaryEvent id="b" attachedToRef="t"><escalationEventDefinition escalationRef="y"/></boundaryEvent>"#,
        r#"<error id="x" errorCode="=code"/><escalation id="y" escalationCode="=code"/>"#,
    );
    refused(
        &xml,
        &[
            ("a", 4, "The errorCode of the error catch event is not allowed to be an expression"),
            ("b", 5, "The escalationCode of the escalation catch event is not allowed to be an expression"),
        ],
    );
}

fn links(inside: &str) -> String {
    file(&format!("\n<startEvent id=\"s\"/>{inside}"), "")
}

#[test]
fn links_lead_to_one_place_in_their_scope() {
    let throw =
        "\n<intermediateThrowEvent id=\"t\"><linkEventDefinition name=\"l\"/></intermediateThrowEvent>";
    let again = throw.replace("\"t\"", "\"t2\"");
    let catch =
        "\n<intermediateCatchEvent id=\"c\"><linkEventDefinition name=\"l\"/></intermediateCatchEvent>";
    accepted(&links(&format!("{throw}{again}{catch}")));
    refused(
        &links(throw),
        &[("t", 3, "Can't find an catch link event for the throw link event with the name 'l'.")],
    );
    let inner = format!("<subProcess id=\"sub\"><startEvent id=\"s2\"/>{catch}</subProcess>");
    refused(&links(&format!("{throw}{inner}")), &[("t", 3, "Can't find an catch link event")]);
    let twice = format!("{throw}{catch}{}", catch.replace("\"c\"", "\"c2\""));
    refused(
        &links(&twice),
        &[(
            "c2",
            5,
            "Multiple intermediate catch link event definitions with the same name 'l' are not allowed.",
        )],
    );
    refused(&links(&catch.replace("\"l\"", "\"\"")), &[("c", 3, "Link name must be present and not empty.")]);
    refused(&links(&throw.replace("\"l\"", "\"\"")), &[("t", 3, "Link name must be present and not empty.")]);
}

/// Every job of the element carries its headers.
#[test]
fn headers_are_small() {
    let task = |bytes: usize| {
        let header = format!("<z:header key=\"k\" value=\"{}\"/>", "x".repeat(bytes));
        file(
            &format!(
                "\n<startEvent id=\"s\"/>\n<serviceTask id=\"t\"><extensionElements><z:taskDefinition type=\"t\"/>\n\
                 <z:taskHeaders>{header}</z:taskHeaders></extensionElements></serviceTask>"
            ),
            "",
        )
    };
    accepted(&task(200_000));
    let reason = "Expected task headers of at most 262144 bytes together, but they have 300006. Every job carries \
                  them: pass large values as variables";
    refused(&task(300_000), &[("t", 4, reason)]);
}
