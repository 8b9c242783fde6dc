//! Views, the results of searches, and the fields to search by: one declaration per entity, with everything that an API
//! answer needs.

mod definition;
mod element;
mod instance;
mod message;
mod row;
mod statistics;
mod task;

pub use definition::*;
pub use element::*;
pub use instance::*;
pub use message::*;
pub use row::Row;
pub use statistics::{ElementStatistics, ErrorStatistics, ProcessStatistics, VersionStatistics, error_hash};
pub use task::*;
