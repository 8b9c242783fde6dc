//! From bytes to text: UTF-8 with or without a byte order mark, and nothing else.

use super::Fault;

const SIZE_MAX_BYTES: usize = 10 * 1024 * 1024;
const REMEDY: &str = "save the file in UTF-8";

pub(crate) fn decode(bytes: &[u8]) -> Result<&str, Fault> {
    if bytes.len() > SIZE_MAX_BYTES {
        let reason = format!("Expected at most {SIZE_MAX_BYTES} bytes, but the file has {}", bytes.len());
        return Err(Fault::new(0, reason));
    }
    if bytes.starts_with(&[0xFF, 0xFE]) || bytes.starts_with(&[0xFE, 0xFF]) {
        return Err(refused("UTF-16"));
    }
    let bytes = bytes.strip_prefix(&[0xEF, 0xBB, 0xBF]).unwrap_or(bytes);
    let text = std::str::from_utf8(bytes).map_err(|error| match declared(bytes) {
        Some(encoding) if !is_utf8(encoding) => refused(encoding),
        _ => {
            let at = error.valid_up_to();
            let reason = format!("Expected text in UTF-8, but byte {at} is not part of any character");
            Fault { offset: 0, reason, remedy: Some(REMEDY) }
        }
    })?;
    match declared(bytes) {
        Some(encoding) if !is_utf8(encoding) => Err(refused(encoding)),
        _ => Ok(text),
    }
}

fn refused(encoding: &str) -> Fault {
    let reason = format!("Expected text in UTF-8, but the file is in {encoding}");
    Fault { offset: 0, reason, remedy: Some(REMEDY) }
}

fn is_utf8(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// What the XML declaration says.
fn declared(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(200)];
    let end = head.windows(2).position(|pair| pair == b"?>")?;
    let head = std::str::from_utf8(&head[..end]).ok()?;
    let rest = head.strip_prefix("<?xml")?.split_once("encoding")?.1.trim_start();
    let rest = rest.strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''))?;
    rest[1..].split(quote).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn utf8_is_read_with_and_without_mark() {
        assert_eq!(decode("\u{FEFF}<a/>".as_bytes()).ok(), Some("<a/>"));
        assert_eq!(decode(b"<?xml version='1.0' encoding='utf-8'?><a/>").ok().map(str::len), Some(42));
    }

    #[test]
    fn other_encodings_are_refused_by_name() {
        let reason = |bytes: &[u8]| decode(bytes).err().map(|fault| fault.reason).unwrap_or_default();
        assert!(reason(b"\xFF\xFE<\0").contains("UTF-16"));
        assert!(
            reason(b"<?xml version=\"1.0\" encoding = \"ISO-8859-1\"?><a b='\xE9'/>").contains("ISO-8859-1")
        );
        assert!(reason(b"<?xml version=\"1.0\" encoding=\"windows-1252\"?><a/>").contains("windows-1252"));
        assert!(reason(b"<a b='\xE9'/>").contains("byte 6"));
        assert!(reason(&vec![b' '; SIZE_MAX_BYTES + 1]).contains("at most"));
    }
}
