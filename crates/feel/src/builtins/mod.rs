//! The built-in functions: one static table, sorted by name, with a row for each function. To add one, write it
//! in the file of its group and list it in that group's `FUNCTIONS`.

mod calendar;
mod call;
mod context;
mod conversion;
mod interval;
mod list;
mod logic;
mod moment;
mod numeric;
mod range_text;
mod regular;
mod search;
mod statistics;
mod table;
mod text;

pub(crate) use call::Call;
pub use table::{Builtin, Signature, builtins};
pub(crate) use table::{CallResult, builtin, find, fixed, optional, starting_with, variadic};
