//! Writing entities: the statements of their tables, and binding values to them.

mod binder;
mod statements;

pub(crate) use binder::StatementBinder;
pub(crate) use statements::statements;
