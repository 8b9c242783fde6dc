//! Entities as rows: which columns they have, how these are bound, and how searches find and read them. Grouped as the
//! model groups them.

mod any;
mod binder;
mod definition;
mod element;
mod instance;
mod message;
mod place;
mod table;
mod task;
mod timer;

pub use any::{AnyRow, Table, any_row};
pub use binder::{Binder, Bound};
pub use definition::start_kind_name;
pub use place::{Place, named, place_columns, place_of};
pub use table::{Row, Tables, history_tables};
