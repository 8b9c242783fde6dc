//! Functions with regular expressions. Camunda's are Java's, the standard's are XPath's.

use super::{Builtin, Call, CallResult, builtin, fixed, optional};
use crate::evaluation::machine::Fault;
use crate::expression::Dialect;
use crate::pattern::{Flavour, Pattern};
use crate::value::Value;
use std::rc::Rc;

pub(super) const FUNCTIONS: &[Builtin] = &[
    builtin("matches", &[optional(&["input", "pattern"], &["flags"])], matches),
    builtin("replace", &[optional(&["input", "pattern", "replacement"], &["flags"])], replace),
    builtin("split", &[fixed(&["string", "delimiter"])], split),
    builtin("extract", &[fixed(&["input", "pattern"])], extract),
];

/// How many steps reading one byte of a pattern costs: building it is dearer than using it.
const STEPS_PER_PATTERN_BYTE: usize = 4;

/// Compiles the pattern at that place with the flags at the other; null and a warning if it cannot be used.
fn pattern(call: &mut Call<'_, '_>, source: &str, flags_at: usize) -> Result<Option<Rc<Pattern>>, Fault> {
    let flags = match (call.arg(flags_at), call.string(flags_at)) {
        (_, Some(flags)) => flags,
        (Value::Null, _) => "",
        _ => {
            call.refuse("a string as flags")?;
            return Ok(None);
        }
    };
    call.charge_steps(1 + STEPS_PER_PATTERN_BYTE * source.len())?;
    let flavour = match call.dialect() {
        Dialect::Camunda => Flavour::Java,
        Dialect::Standard => Flavour::XPath,
    };
    match Pattern::recent(source, flags, flavour) {
        Ok(pattern) => {
            // In one evaluation, a pattern that is kept is built once.
            if !call.machine.has_used_pattern(source, flags) || !pattern.is_small() {
                call.machine.charge_steps(pattern.build_steps())?;
            }
            Ok(Some(pattern))
        }
        Err(error) => {
            call.machine.charge_steps(error.build_steps())?;
            call.fail(|| format!("Invalid pattern '{source}'. {error}"))?;
            Ok(None)
        }
    }
}

fn matches(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(input), Some(source)) = (call.string(0), call.string(1)) else {
        return call.refuse("an input and a pattern");
    };
    let Some(pattern) = pattern(call, source, 2)? else { return Ok(Value::Null) };
    let found = pattern.is_match(input, &mut |steps| call.charge_steps(steps as usize))?;
    Ok(found.into())
}

fn replace(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(input), Some(source), Some(replacement)) = (call.string(0), call.string(1), call.string(2))
    else {
        return call.refuse("an input, a pattern and a replacement");
    };
    let Some(pattern) = pattern(call, source, 3)? else { return Ok(Value::Null) };
    let found = pattern.replacement(input, replacement, &mut |steps| call.charge_steps(steps as usize))?;
    match found {
        Ok(replacement) => {
            call.ensure_bytes(replacement.byte_len() as u64)?;
            Ok(replacement.write().into())
        }
        Err(error) => call.fail(|| error.to_string()),
    }
}

fn split(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(text), Some(source)) = (call.string(0), call.string(1)) else {
        return call.refuse("a string and a delimiter");
    };
    let Some(pattern) = pattern(call, source, 2)? else { return Ok(Value::Null) };
    let pieces = pattern.split(text, &mut |steps| call.charge_steps(steps as usize))?;
    texts(call, &pieces)
}

fn extract(call: &mut Call<'_, '_>) -> CallResult {
    let (Some(text), Some(source)) = (call.string(0), call.string(1)) else {
        return call.refuse("an input and a pattern");
    };
    let Some(pattern) = pattern(call, source, 2)? else { return Ok(Value::Null) };
    let found = pattern.find_all(text, &mut |steps| call.charge_steps(steps as usize))?;
    texts(call, &found)
}

fn texts(call: &mut Call<'_, '_>, pieces: &[&str]) -> CallResult {
    let bytes = pieces.iter().map(|piece| piece.len() + size_of::<Value>()).sum::<usize>();
    call.ensure_bytes(bytes as u64)?;
    Ok(pieces.iter().map(|piece| Value::from(*piece)).collect::<Vec<_>>().into())
}
