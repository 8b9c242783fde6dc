//! Rows of the table of built-in functions, and the look-up by name.

use super::Call;
use crate::evaluation::machine::Fault;
use crate::expression::Dialect;
use crate::value::Value;
use std::fmt;
use std::sync::OnceLock;

/// Null plus a warning is how a built-in refuses its arguments; an error ends the whole evaluation.
pub(crate) type CallResult = Result<Value, Fault>;

/// A built-in function.
pub struct Builtin {
    pub name: &'static str,
    /// The ways to call it; the first that fits the arguments is taken.
    pub signatures: &'static [Signature],
    pub(crate) dialects: Dialects,
    pub(crate) call: fn(&mut Call<'_, '_>) -> CallResult,
}

/// Where a function exists.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Dialects {
    Both,
    Only(Dialect),
}

/// One list of parameters.
#[derive(Clone, Copy, Debug)]
pub struct Signature {
    pub required: &'static [&'static str],
    pub optional: &'static [&'static str],
    /// The last parameter takes any number of arguments.
    pub variadic: bool,
}

impl Signature {
    pub fn names(&self) -> impl Iterator<Item = &'static str> {
        self.required.iter().chain(self.optional).copied()
    }

    pub(crate) fn len(&self) -> usize {
        self.required.len() + self.optional.len()
    }

    pub(crate) fn accepts(&self, count: usize) -> bool {
        count >= self.required.len() && (self.variadic || count <= self.len())
    }
}

pub(crate) const fn builtin(
    name: &'static str,
    signatures: &'static [Signature],
    call: fn(&mut Call<'_, '_>) -> CallResult,
) -> Builtin {
    Builtin { name, signatures, dialects: Dialects::Both, call }
}

impl Builtin {
    pub(crate) const fn only(self, dialect: Dialect) -> Builtin {
        Builtin { dialects: Dialects::Only(dialect), ..self }
    }
}

/// All parameters must be given.
pub(crate) const fn fixed(required: &'static [&'static str]) -> Signature {
    Signature { required, optional: &[], variadic: false }
}

/// The second list may be left out, from its end.
pub(crate) const fn optional(
    required: &'static [&'static str],
    optional: &'static [&'static str],
) -> Signature {
    Signature { required, optional, variadic: false }
}

/// The last of the parameters takes one argument or more.
pub(crate) const fn variadic(required: &'static [&'static str]) -> Signature {
    Signature { required, optional: &[], variadic: true }
}

/// Every built-in, sorted by name.
pub(crate) fn all() -> &'static [&'static Builtin] {
    static ALL: OnceLock<Vec<&'static Builtin>> = OnceLock::new();
    ALL.get_or_init(|| {
        let groups: [&'static [Builtin]; 13] = [
            super::calendar::FUNCTIONS,
            super::context::FUNCTIONS,
            super::conversion::FUNCTIONS,
            super::interval::FUNCTIONS,
            super::list::FUNCTIONS,
            super::logic::FUNCTIONS,
            super::moment::FUNCTIONS,
            super::numeric::FUNCTIONS,
            super::range_text::FUNCTIONS,
            super::regular::FUNCTIONS,
            super::search::FUNCTIONS,
            super::statistics::FUNCTIONS,
            super::text::FUNCTIONS,
        ];
        let mut all: Vec<_> = groups.into_iter().flatten().collect();
        all.sort_by_key(|builtin| builtin.name);
        all
    })
}

/// All built-ins, of either dialect.
pub fn builtins() -> &'static [&'static Builtin] {
    all()
}

/// The built-in of that name, if the dialect has it. A name may have one row for each dialect.
pub(crate) fn find(name: &str, dialect: Dialect) -> Option<&'static Builtin> {
    let all = all();
    let first = all.partition_point(|builtin| builtin.name < name);
    all[first..].iter().take_while(|builtin| builtin.name == name).copied().find(|builtin| {
        match builtin.dialects {
            Dialects::Both => true,
            Dialects::Only(only) => only == dialect,
        }
    })
}

/// Names of several words that begin with that word.
pub(crate) fn starting_with(word: &str) -> impl Iterator<Item = &'static str> {
    let all = all();
    let first = all.partition_point(|builtin| builtin.name < word);
    let names =
        all[first..].iter().map(|builtin| builtin.name).take_while(move |name| name.starts_with(word));
    names.filter(move |name| name.as_bytes().get(word.len()) == Some(&b' '))
}

impl fmt::Debug for Builtin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.name)
    }
}
