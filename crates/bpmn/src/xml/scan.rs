//! A look at the bytes before parsing: nesting, attributes and namespaces stay within limits, and there is no
//! document type. It need not understand XML fully: what it misreads, the parser refuses.

use super::Fault;

const DEPTH_MAX: usize = 200;
const ATTRIBUTES_MAX: usize = 256;
/// Declarations that hold at one place; every prefix is looked up among them.
const NAMESPACES_MAX: usize = 128;

pub(super) fn check_limits(text: &str) -> Result<(), Fault> {
    let bytes = text.as_bytes();
    // Of each open element, how many namespaces it declares.
    let mut open: Vec<usize> = Vec::new();
    let mut namespaces = 0;
    let mut at = 0;
    while let Some(n) = bytes[at..].iter().position(|byte| *byte == b'<') {
        at += n;
        let rest = &bytes[at..];
        if rest.starts_with(b"<!--") {
            at = after(bytes, at + 4, b"-->");
        } else if rest.starts_with(b"<![CDATA[") {
            at = after(bytes, at + 9, b"]]>");
        } else if rest.starts_with(b"<!") {
            let reason = "Expected XML without a document type, but found '<!'";
            return Err(Fault { offset: at, reason: reason.into(), remedy: Some("remove the DOCTYPE") });
        } else if rest.starts_with(b"<?") {
            at = after(bytes, at + 2, b"?>");
        } else if rest.starts_with(b"</") {
            namespaces -= open.pop().unwrap_or(0);
            at += 2;
        } else {
            let tag = StartTag::read(bytes, at + 1);
            exceeds(at, "attributes on one element", tag.attributes, ATTRIBUTES_MAX)?;
            exceeds(at, "namespaces in one place", namespaces + tag.namespaces, NAMESPACES_MAX)?;
            if !tag.is_empty {
                open.push(tag.namespaces);
                namespaces += tag.namespaces;
                exceeds(at, "levels of nested elements", open.len(), DEPTH_MAX)?;
            }
            at = tag.end;
        }
    }
    Ok(())
}

fn exceeds(offset: usize, what: &str, count: usize, max: usize) -> Result<(), Fault> {
    if count <= max {
        return Ok(());
    }
    Err(Fault::new(offset, format!("Expected at most {max} {what}, but found more")))
}

/// The place after the next `end`, or the end of the text.
fn after(bytes: &[u8], from: usize, end: &[u8]) -> usize {
    let from = from.min(bytes.len());
    let found = bytes[from..].windows(end.len()).position(|window| window == end);
    found.map_or(bytes.len(), |n| from + n + end.len())
}

struct StartTag {
    attributes: usize,
    namespaces: usize,
    is_empty: bool,
    end: usize,
}

impl StartTag {
    fn read(bytes: &[u8], from: usize) -> StartTag {
        let mut tag = StartTag { attributes: 0, namespaces: 0, is_empty: false, end: bytes.len() };
        let (mut quote, mut previous) = (None, b' ');
        for (n, byte) in bytes[from..].iter().copied().enumerate() {
            match (quote, byte) {
                (Some(open), byte) if byte == open => quote = None,
                (Some(_), _) => {}
                (None, b'"' | b'\'') => {
                    quote = Some(byte);
                    tag.attributes += 1;
                }
                (None, b'>') => {
                    tag.is_empty = previous == b'/';
                    tag.end = from + n + 1;
                    break;
                }
                (None, b'x') if previous.is_ascii_whitespace() => {
                    tag.namespaces += usize::from(bytes[from + n..].starts_with(b"xmlns"));
                }
                (None, _) => {}
            }
            previous = byte;
        }
        tag
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refusal(text: &str) -> String {
        check_limits(text).err().map(|fault| fault.reason).unwrap_or_default()
    }

    #[test]
    fn ordinary_documents_pass() {
        assert_eq!(refusal("<?xml version='1.0'?><!-- <!x --><a b='>'><c/><![CDATA[<!d]]></a>"), "");
        assert_eq!(refusal(&"<a><b/></a>".repeat(10_000)), "");
    }

    #[test]
    fn what_is_too_much_is_refused() {
        assert!(refusal(&"<a>".repeat(201)).contains("200 levels"));
        assert!(refusal(&format!("<a{}/>", " b='1'".repeat(257))).contains("256 attributes"));
        assert!(refusal(&"<a xmlns:b='1' xmlns:c='2'>".repeat(65)).contains("128 namespaces"));
        assert!(refusal("<!DOCTYPE a [<!ENTITY b 'c'>]><a/>").contains("document type"));
    }
}
