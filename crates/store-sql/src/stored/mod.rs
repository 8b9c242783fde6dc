//! Entities as rows: which columns they have and how they are bound. Grouped as the model groups them.

mod binder;
mod definition;
mod element;
mod instance;
mod message;
mod table;
mod task;
mod timer;

pub use binder::Binder;
pub use definition::start_kind_name;
pub use table::{End, Row};
