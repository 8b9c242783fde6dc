//! From bytes to text: UTF-8, UTF-16, and what the XML declaration names.

use super::Fault;
use encoding_rs::{DecoderResult, Encoding, UTF_8, UTF_16BE, UTF_16LE};
use std::borrow::Cow;

const SIZE_MAX_BYTES: usize = 10 * 1024 * 1024;
const REMEDY: &str = "save the file in UTF-8";
/// Long enough for every declaration that programs write.
const DECLARATION_MAX_BYTES: usize = 200;

pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    check_size(bytes.len())?;
    let text = match Written::of(bytes)? {
        Written::In(encoding, from) if encoding == UTF_8 => Cow::Borrowed(utf8(&bytes[from..])?),
        Written::In(encoding, from) => Cow::Owned(transcode(encoding, &bytes[from..])?),
        // The web reads this label as windows-1252, XML as the first 256 characters of Unicode.
        Written::Latin1 => encoding_rs::mem::decode_latin1(bytes),
    };
    check_size(text.len())?;
    Ok(text)
}

/// The same file in UTF-8, with a declaration that says so.
pub(crate) fn in_utf8(bytes: &[u8]) -> Result<Cow<'_, str>, Fault> {
    let text = decode(bytes)?;
    let Some(name) = declared(text.as_bytes()).filter(|name| !is_utf8(name)) else { return Ok(text) };
    let from = name.as_ptr() as usize - text.as_ptr() as usize;
    let (head, rest) = (&text[..from], &text[from + name.len()..]);
    Ok(Cow::Owned(format!("{head}UTF-8{rest}")))
}

fn check_size(bytes: usize) -> Result<(), Fault> {
    if bytes <= SIZE_MAX_BYTES {
        return Ok(());
    }
    Err(Fault::new(0, format!("Expected at most {SIZE_MAX_BYTES} bytes, but the file has {bytes}")))
}

/// How a file is written, and where its text begins.
enum Written {
    In(&'static Encoding, usize),
    Latin1,
}

impl Written {
    /// The byte order mark decides, then the first bytes, then the declaration.
    fn of(bytes: &[u8]) -> Result<Written, Fault> {
        if bytes.starts_with(&[0xFF, 0xFE, 0, 0]) || bytes.starts_with(&[0, 0, 0xFE, 0xFF]) {
            return Err(refused("UTF-32"));
        }
        if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
            return Ok(Written::In(encoding, mark));
        }
        match bytes {
            [b'<', 0, _, 0, ..] => return Ok(Written::In(UTF_16LE, 0)),
            [0, b'<', 0, _, ..] => return Ok(Written::In(UTF_16BE, 0)),
            _ => {}
        }
        let Some(label) = declared(bytes).filter(|label| !is_utf8(label)) else {
            return Ok(Written::In(UTF_8, 0));
        };
        if is_latin1(label) {
            return Ok(Written::Latin1);
        }
        match Encoding::for_label_no_replacement(label.as_bytes()) {
            // The declaration could not have been read if it were true.
            Some(encoding) if encoding == UTF_16LE || encoding == UTF_16BE => Err(refused(label)),
            Some(encoding) => Ok(Written::In(encoding, 0)),
            None => Err(refused(label)),
        }
    }
}

fn utf8(bytes: &[u8]) -> Result<&str, Fault> {
    std::str::from_utf8(bytes).map_err(|error| broken("UTF-8", error.valid_up_to()))
}

fn transcode(encoding: &'static Encoding, bytes: &[u8]) -> Result<String, Fault> {
    let mut decoder = encoding.new_decoder_without_bom_handling();
    let mut text = String::with_capacity(bytes.len());
    let mut read = 0;
    loop {
        let (result, more) = decoder.decode_to_string_without_replacement(&bytes[read..], &mut text, true);
        read += more;
        match result {
            DecoderResult::InputEmpty => return Ok(text),
            DecoderResult::OutputFull => text.reserve(bytes.len() - read + 16),
            DecoderResult::Malformed(length, behind) => {
                let at = read.saturating_sub(usize::from(length) + usize::from(behind));
                return Err(broken(encoding.name(), at));
            }
        }
    }
}

fn broken(encoding: &str, at: usize) -> Fault {
    let reason = format!("Expected text in {encoding}, but byte {at} is not part of any character");
    Fault { offset: 0, reason, remedy: Some(REMEDY) }
}

fn refused(encoding: &str) -> Fault {
    let reason =
        format!("Expected text in UTF-8, UTF-16 or an encoding for the web, but the file is in {encoding}");
    Fault { offset: 0, reason, remedy: Some(REMEDY) }
}

fn is_utf8(encoding: &str) -> bool {
    ["utf-8", "utf8", "us-ascii", "ascii"].iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

fn is_latin1(encoding: &str) -> bool {
    let names = ["iso-8859-1", "iso8859-1", "iso_8859-1", "latin1", "l1", "cp819"];
    names.iter().any(|name| encoding.eq_ignore_ascii_case(name))
}

/// The encoding that the XML declaration names.
fn declared(bytes: &[u8]) -> Option<&str> {
    let head = &bytes[..bytes.len().min(DECLARATION_MAX_BYTES)];
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

    fn text(bytes: &[u8]) -> String {
        decode(bytes).map(Cow::into_owned).unwrap_or_else(|fault| fault.reason)
    }

    fn utf16(text: &str, to_bytes: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(to_bytes).collect()
    }

    #[test]
    fn utf8_is_read_with_and_without_mark() {
        assert_eq!(text("\u{FEFF}<a/>".as_bytes()), "<a/>");
        assert_eq!(text(b"<?xml version='1.0' encoding='utf-8'?><a/>").len(), 42);
    }

    #[test]
    fn utf16_is_read_with_and_without_mark() {
        let xml = "<?xml version='1.0' encoding='UTF-16'?><a b='\u{e9}\u{20AC}\u{1F600}'/>";
        for to_bytes in [u16::to_le_bytes, u16::to_be_bytes] {
            assert_eq!(text(&utf16(&format!("\u{FEFF}{xml}"), to_bytes)), xml);
            assert_eq!(text(&utf16(xml, to_bytes)), xml);
        }
        let mut cut = utf16("<a b='\u{1F600}", u16::to_le_bytes);
        cut.truncate(cut.len() - 2);
        assert!(text(&cut).contains("UTF-16LE, but byte"), "{}", text(&cut));
    }

    #[test]
    fn the_declaration_names_the_encoding_of_single_bytes() {
        let declared = |name: &str, value: &[u8]| {
            let head = format!("<?xml version=\"1.0\" encoding = \"{name}\"?><a b='");
            text(&[head.as_bytes(), value, b"'/>"].concat()).rsplit('=').next().unwrap_or_default().to_owned()
        };
        assert_eq!(declared("ISO-8859-1", b"\xE9\x80"), "'\u{e9}\u{80}'/>");
        assert_eq!(declared("windows-1252", b"\xE9\x80"), "'\u{e9}\u{20AC}'/>");
        assert_eq!(declared("ISO-8859-15", b"\xA4"), "'\u{20AC}'/>");
    }

    #[test]
    fn a_file_in_utf8_says_so() {
        let xml = in_utf8(b"<?xml version='1.0' encoding='ISO-8859-1' ?><a b='\xE9'/>").ok();
        assert_eq!(xml.as_deref(), Some("<?xml version='1.0' encoding='UTF-8' ?><a b='\u{e9}'/>"));
        assert!(matches!(in_utf8(b"<?xml version='1.0'?><a/>"), Ok(Cow::Borrowed(_))));
    }

    #[test]
    fn what_cannot_be_read_is_refused_by_name() {
        assert!(text(b"\xFF\xFE\0\0<\0\0\0").contains("UTF-32"));
        assert!(text(b"<?xml version='1.0' encoding='ebcdic-us'?><a/>").contains("ebcdic-us"));
        assert!(text(b"<?xml version='1.0' encoding='UTF-16'?><a/>").contains("UTF-16"));
        assert!(text(b"<a b='\xE9'/>").contains("byte 6"));
        assert!(text(&vec![b' '; SIZE_MAX_BYTES + 1]).contains("at most"));
        let grown =
            [b"<?xml version='1.0' encoding='windows-1252'?>".as_slice(), &vec![0x80; 4 << 20]].concat();
        assert!(text(&grown).contains("at most"), "the limit holds for the text, too");
    }
}
