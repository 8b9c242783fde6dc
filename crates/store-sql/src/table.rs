//! How a searchable entity lies in its tables.

use super::row::Columns;
use super::{Dialect, Side};
use tidemill_store::Result;
use tidemill_store::query::{Field, Test};

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// A column of the entity's own tables, live and history alike.
    Own(&'static str),
    /// A fact of the definition, which the entity's rows do not repeat.
    Definition(&'static str),
    /// An expression per side; `{t}` stands for the entity's own row.
    Sides { live: &'static str, history: &'static str },
}

impl Column {
    /// As an expression over the row `alias` and, for facts of the definition, over `d`.
    pub fn expression(self, alias: &str, side: Side) -> String {
        match (self, side) {
            (Column::Own(name), _) => format!("{alias}.{name}"),
            (Column::Definition(name), _) => format!("d.{name}"),
            (Column::Sides { live, .. }, Side::Live) => live.replace("{t}", alias),
            (Column::Sides { history, .. }, Side::History) => history.replace("{t}", alias),
        }
    }
}

pub trait SearchTable: Field {
    type View;

    /// None where the entity is written once and never lives.
    const LIVE: Option<&'static str>;
    /// None where the entity never ends.
    const HISTORY: Option<&'static str>;
    /// Whether rows have a `definition_key`.
    const HAS_DEFINITION: bool;
    /// What `view` reads, in its order.
    const VIEW: &'static [Column];
    /// The column that `Field::key` stands for.
    const KEY: &'static str = "key";
    /// A column behind the key where the key alone does not tell rows apart.
    const TIE_BREAK: Option<&'static str> = None;
    /// Rows that no search may see.
    const HIDDEN: Option<&'static str> = None;

    /// The column of `VIEW` that brief searches cut.
    const LONG: Option<&'static str> = None;

    fn column(self) -> Column;

    fn view(columns: &mut Columns<'_>) -> Result<Self::View>;

    fn table(side: Side) -> Option<&'static str> {
        match side {
            Side::Live => Self::LIVE,
            Side::History => Self::HISTORY,
        }
    }

    /// What else must be joined to the live rows `t`.
    fn live_join(_: &dyn Dialect) -> String {
        String::new()
    }

    /// Whether this field of live rows comes from `live_join`.
    fn is_joined(self) -> bool {
        false
    }

    /// The one side on which rows can pass this test, where that is certain.
    fn side_of(self, _: &Test) -> Option<Side> {
        None
    }
}

/// For states that are met on one side only.
pub(super) fn side_of_state(test: &Test, live: &[&str], history: &[&str]) -> Option<Side> {
    use tidemill_store::query::Value;
    let values: Vec<&str> = match test {
        Test::Eq(Value::Text(state)) => vec![state],
        Test::In(values) if !values.is_empty() => values
            .iter()
            .map(|value| if let Value::Text(text) = value { text.as_str() } else { "" })
            .collect(),
        _ => return None,
    };
    let all_in = |states: &[&str]| values.iter().all(|value| states.contains(value));
    if all_in(live) {
        Some(Side::Live)
    } else if all_in(history) {
        Some(Side::History)
    } else {
        None
    }
}
