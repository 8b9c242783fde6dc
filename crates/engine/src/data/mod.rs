//! Variables, expressions and mappings: how data moves between scopes.

pub(crate) mod expression;
mod level;
pub(crate) mod mapping;
pub(crate) mod result;
pub(crate) mod variables;
pub(crate) mod work;
