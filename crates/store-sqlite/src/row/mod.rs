//! Entities as rows: which columns they have and how they are bound. Grouped as the model groups them.

mod binder;
mod definition;
mod element;
mod instance;
mod message;
mod table;
mod task;
mod timer;

pub(crate) use binder::Binder;
pub(crate) use definition::start_kind_name;
pub(crate) use element::state_name;
pub(crate) use table::{End, Row, Statements};
