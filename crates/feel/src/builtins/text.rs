//! Functions on strings. Lengths and positions count characters, not bytes.

use super::{Builtin, Call, CallResult, builtin, fixed, optional};
use crate::number::Number;
use crate::value::Value;
use base64::alphabet;
use base64::engine::{DecodePaddingMode, Engine, GeneralPurpose, GeneralPurposeConfig};

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("substring", &[fixed(&["string", "start position"]), SUBSTRING], substring),
    builtin("string length", &[fixed(&["string"])], string_length),
    builtin("upper case", &[fixed(&["string"])], upper_case),
    builtin("lower case", &[fixed(&["string"])], lower_case),
    builtin("substring before", &[fixed(&["string", "match"])], substring_before),
    builtin("substring after", &[fixed(&["string", "match"])], substring_after),
    builtin("contains", &[fixed(&["string", "match"])], contains),
    builtin("starts with", &[fixed(&["string", "match"])], starts_with),
    builtin("ends with", &[fixed(&["string", "match"])], ends_with),
    builtin("trim", &[fixed(&["string"])], trim),
    builtin("is blank", &[fixed(&["string"])], is_blank),
    builtin("uuid", &[fixed(&[])], uuid),
    builtin("to base64", &[fixed(&["value"])], to_base64),
    builtin("from base64", &[fixed(&["value"])], from_base64),
    builtin("string join", &[optional(&["list"], &["delimiter", "prefix", "suffix"])], string_join),
];

const SUBSTRING: super::Signature = fixed(&["string", "start position", "length"]);

/// Padding may be missing, as Java's decoder has it.
const BASE64: GeneralPurpose = GeneralPurpose::new(
    &alphabet::STANDARD,
    GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent),
);

fn substring(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(text), Some(start)) = (call.string(0), call.integer(1)) else {
        return call.refuse("a string and a start position");
    };
    call.charge_reading(text.len() as u64)?;
    let length = match (call.signature, call.integer(2)) {
        (0, _) => i64::MAX,
        (_, Some(length)) if length >= 0 => length,
        _ => return call.refuse("a length that is not negative"),
    };
    let count = text.chars().count() as i64;
    let skipped = if start > 0 { start - 1 } else { count.saturating_add(start) };
    if start == 0 || skipped < 0 || skipped > count {
        return match start {
            0 => call.fail(|| "start position must be a non-zero number".to_owned()),
            _ => call.refuse("a start position within the string"),
        };
    }
    let rest = text.char_indices().nth(skipped as usize).map_or("", |(at, _)| &text[at..]);
    let end = rest.char_indices().nth(usize::try_from(length).unwrap_or(usize::MAX));
    Ok(end.map_or(rest, |(at, _)| &rest[..at]).into())
}

fn string_length(call: &mut Call<'_, '_>) -> CallResult {
    match text(call)? {
        Some(text) => Ok(Number::from(text.chars().count()).into()),
        None => call.refuse("a string"),
    }
}

/// The string at the first place, paid for.
fn text<'a>(call: &mut Call<'a, '_>) -> Result<Option<&'a str>, crate::evaluation::machine::Fault> {
    let text = call.string(0);
    call.charge_reading(text.map_or(0, str::len) as u64)?;
    Ok(text)
}

fn upper_case(call: &mut Call<'_, '_>) -> CallResult {
    match text(call)? {
        Some(text) => {
            // No character becomes more than three.
            call.ensure_bytes(3 * text.len() as u64)?;
            Ok(text.to_uppercase().into())
        }
        None => call.refuse("a string"),
    }
}

fn lower_case(call: &mut Call<'_, '_>) -> CallResult {
    match text(call)? {
        Some(text) => {
            call.ensure_bytes(3 * text.len() as u64)?;
            Ok(text.to_lowercase().into())
        }
        None => call.refuse("a string"),
    }
}

/// A function of two strings.
fn with_match(call: &mut Call<'_, '_>, apply: impl Fn(&str, &str) -> Value) -> CallResult {
    let (Some(wanted), Some(text)) = (call.string(1), text(call)?) else {
        return call.refuse("two strings");
    };
    Ok(apply(text, wanted))
}

fn substring_before(call: &mut Call<'_, '_>) -> CallResult {
    with_match(call, |text, wanted| text.find(wanted).map_or("", |at| &text[..at]).into())
}

fn substring_after(call: &mut Call<'_, '_>) -> CallResult {
    with_match(call, |text, wanted| text.find(wanted).map_or("", |at| &text[at + wanted.len()..]).into())
}

fn contains(call: &mut Call<'_, '_>) -> CallResult {
    with_match(call, |text, wanted| text.contains(wanted).into())
}

fn starts_with(call: &mut Call<'_, '_>) -> CallResult {
    with_match(call, |text, wanted| text.starts_with(wanted).into())
}

fn ends_with(call: &mut Call<'_, '_>) -> CallResult {
    with_match(call, |text, wanted| text.ends_with(wanted).into())
}

fn trim(call: &mut Call<'_, '_>) -> CallResult {
    match text(call)? {
        Some(text) => Ok(text.trim_matches(|letter: char| letter <= ' ').into()),
        None => call.refuse("a string"),
    }
}

fn is_blank(call: &mut Call<'_, '_>) -> CallResult {
    match text(call)? {
        Some(text) => Ok(text.chars().all(char::is_whitespace).into()),
        None => call.refuse("a string"),
    }
}

/// A version 4 identifier from the seeded sequence.
fn uuid(call: &mut Call<'_, '_>) -> CallResult {
    let (high, low) = (call.random(), call.random());
    let (first, second, third) = (high >> 32, (high >> 16) & 0xffff, high & 0xfff);
    let (fourth, fifth) = (0x8000 | ((low >> 48) & 0x3fff), low & 0xffff_ffff_ffff);
    Ok(format!("{first:08x}-{second:04x}-4{third:03x}-{fourth:04x}-{fifth:012x}").into())
}

fn to_base64(call: &mut Call<'_, '_>) -> CallResult {
    match text(call)? {
        Some(text) => {
            call.ensure_bytes(2 * text.len() as u64)?;
            Ok(BASE64.encode(text).into())
        }
        None => call.refuse("a string"),
    }
}

fn from_base64(call: &mut Call<'_, '_>) -> CallResult {
    let Some(text) = text(call)? else { return call.refuse("a string") };
    match BASE64.decode(text) {
        Ok(bytes) => Ok(String::from_utf8_lossy(&bytes).into_owned().into()),
        Err(_) => call.refuse("a Base64 text"),
    }
}

fn string_join(call: &mut Call<'_, '_>) -> CallResult {
    let Some(items) = call.list(0) else { return call.refuse("a list of strings") };
    if !items.iter().all(|item| item.is_null() || item.as_str().is_some()) {
        return call.refuse("a list of strings");
    }
    let mut affixes = [""; 3];
    for (affix, index) in affixes.iter_mut().zip(1..) {
        match (call.arg(index), call.string(index)) {
            (_, Some(text)) => *affix = text,
            (Value::Null, _) => {}
            _ => return call.refuse("a string as delimiter, prefix and suffix"),
        }
    }
    let [delimiter, prefix, suffix] = affixes;
    let parts: Vec<&str> = items.iter().filter_map(Value::as_str).collect();
    let bytes = parts.iter().map(|part| part.len() + delimiter.len()).sum::<usize>();
    call.charge_steps(items.len())?;
    call.ensure_bytes((bytes + prefix.len() + suffix.len()) as u64)?;
    Ok(format!("{prefix}{}{suffix}", parts.join(delimiter)).into())
}
