//! The common parts of all SQL stores: entities as rows, and searches as SQL: which tables and columns stand behind
//! the fields, how filters and pages become statements, how rows become views. Stores bring a `Dialect` and run
//! the text.

mod dialect;
mod filter;
mod order;
mod page;
mod row;
mod settle;
mod statement;
pub mod statistics;
mod stored;
mod table;
mod tree;
mod work;

pub use dialect::Dialect;
pub use filter::{Side, where_clause};
pub use page::{PageQuery, count_query, page_query, single_query};
pub use row::{Columns, FromColumn, SqlRow};
pub use settle::{Probe, probes, settled};
pub use statement::{SqlValue, Statement};
pub use stored::{
    AnyRow, Binder, Bound, Place, Row, Table, Tables, any_row, history_tables, named, place_columns,
    place_of, start_kind_name,
};
pub use table::{Column, SearchTable};
pub use work::Work;
