//! Where an expression finds its variables.

use crate::value::{Context, Value};

/// Variables by name. Asked only for names that the evaluation reads: once, or twice if of JSON text a part was read
/// before the whole.
pub trait Scope {
    fn get(&self, name: &str) -> Option<Lookup<'_>>;

    /// All names, for "did you mean"; called only after a miss.
    fn names(&self) -> Vec<String> {
        Vec::new()
    }
}

/// A variable as the scope has it.
pub enum Lookup<'a> {
    /// JSON text, parsed only as far as it is read.
    Json(&'a str),
    Value(Value),
}

/// A scope without variables.
pub struct EmptyScope;

impl Scope for EmptyScope {
    fn get(&self, _name: &str) -> Option<Lookup<'_>> {
        None
    }
}

impl Scope for Context {
    fn get(&self, name: &str) -> Option<Lookup<'_>> {
        Context::get(self, name).cloned().map(Lookup::Value)
    }

    fn names(&self) -> Vec<String> {
        self.keys().map(|key| key.to_string()).collect()
    }
}
