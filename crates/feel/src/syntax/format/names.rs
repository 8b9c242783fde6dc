//! Names in canonical form: plain words as they are, everything else in backticks or quotes.

use crate::builtins;
use crate::syntax::lexer::{is_name_part, is_name_start};
use crate::syntax::parser::is_reserved;

/// Words that begin a construct, or (before "and") the name of a built-in.
const LEADING: [&str; 7] = ["if", "for", "some", "every", "date", "years", "external"];

fn is_plain(name: &str) -> bool {
    name.chars().next().is_some_and(is_name_start) && name.chars().all(is_name_part)
}

pub(super) fn write_name(out: &mut String, name: &str) {
    write_word(out, name, is_plain(name) && !is_reserved(name) && !LEADING.contains(&name));
}

/// The name of a function that is called: built-ins of several words need no backticks.
pub(super) fn write_function(out: &mut String, name: &str) {
    let builtin = builtins::starting_with(name.split(' ').next().unwrap_or(name)).any(|known| known == name);
    let construct = ["if", "for", "some", "every", "external"].contains(&name);
    write_word(out, name, builtin || (is_plain(name) && !is_reserved(name) && !construct));
}

/// A parameter's name or an iteration's variable.
pub(super) fn write_argument_name(out: &mut String, name: &str) {
    write_word(out, name, is_plain(name) && !is_reserved(name));
}

pub(super) fn write_property(out: &mut String, name: &str) {
    write_word(out, name, is_plain(name));
}

pub(super) fn write_key(out: &mut String, key: &str) {
    if is_plain(key) { out.push_str(key) } else { super::quoted(out, key) }
}

fn write_word(out: &mut String, name: &str, plain: bool) {
    let quote = if plain { "" } else { "`" };
    out.push_str(quote);
    out.push_str(name);
    out.push_str(quote);
}
