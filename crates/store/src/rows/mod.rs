//! Rows in memory, with everything that a store does with them in plain Rust: loads and searches. A store without SQL
//! fetches the rows that can matter and lets them be picked here.

mod load;
mod related;
mod statistics;
mod tables;
mod tree;
mod versions;
mod views;

pub use load::load;
pub use tables::{Tabled, Tables, TimerId};
pub use versions::find_form;
pub use views::{Viewed, Views};
