//! The tables and columns of a searchable entity.

use super::row::Columns;
use super::{Dialect, Row, Side, Tables};
use tidemill_model::{Ended, Stored};
use tidemill_store::Result;
use tidemill_store::query::Test;
use tidemill_store::query::plain::Shown;

/// Where a value comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Column {
    /// A column of the entity's own tables, live and history alike.
    Own(&'static str),
    /// A fact of the definition, which the entity's rows do not repeat. Repeating it would make every row of every instance larger.
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

/// A searchable entity in its tables. Written by `search_table!`.
pub trait SearchTable: Shown {
    type Row: Row;

    /// The members of the view with their columns, in the order in which `view` reads them.
    const MEMBERS: &'static [(&'static str, Column)];
    /// None where the entity is written once and never lives.
    const LIVE: Option<&'static str> = match <Self::Row as Stored>::ENDED {
        Ended::HistoryFromTheStart => None,
        Ended::History | Ended::Nothing => Some(<Self::Row as Stored>::ROWS),
    };
    /// None where the entity never ends.
    const HISTORY: Option<&'static str> = match <Self::Row as Stored>::ENDED {
        Ended::HistoryFromTheStart | Ended::History => Some(<Self::Row as Tables>::HISTORY),
        Ended::Nothing => None,
    };
    /// The column that `Field::key` stands for.
    const KEY: &'static str = "key";
    /// A column behind the key where the key alone does not tell rows apart.
    const TIE_BREAK: Option<&'static str> = None;
    /// Rows that no search may see.
    const HIDDEN: Option<&'static str> = None;
    /// The member that brief searches cut.
    const LONG: Option<&'static str> = None;
    /// The history has an index over definition and start, so that the rows of one definition are there in order.
    const IS_SORTED_BY_DEFINITION: bool = false;

    fn view(columns: &mut Columns<'_>) -> Result<Self::View>;

    /// The column of a field that no member shows.
    /// A test goes over all fields of all searches, so this never happens to a client.
    fn computed_column(self) -> Column {
        unreachable!("{self:?} is no member of its view and has no column")
    }

    /// That of the member which the field shows.
    fn column(self) -> Column {
        let Some(member) = self.member() else { return self.computed_column() };
        let found = Self::MEMBERS.iter().find(|(name, _)| *name == member);
        found
            .map(|(_, column)| *column)
            .expect("every member of a view has a column, or `view` would not compile")
    }

    /// True if a fact of the definition is shown, so that its row must be joined.
    fn has_definition() -> bool {
        Self::MEMBERS.iter().any(|(_, column)| matches!(column, Column::Definition(_)))
    }

    fn table(side: Side) -> Option<&'static str> {
        match side {
            Side::Live => Self::LIVE,
            Side::History => Self::HISTORY,
        }
    }

    /// The field that shows this column of its own table.
    /// Entities without such a column have nothing to narrow a search by.
    fn with_column(name: &'static str) -> Option<Self> {
        Self::all().iter().copied().find(|field| field.column() == Column::Own(name))
    }

    /// The field with the instance that a row belongs to by this one, which holds the key of an element. Indexes are by
    /// instance.
    fn owner(self) -> Option<Self> {
        match self.column() {
            Column::Own("scope_key" | "element_instance") => Self::with_column("instance_key"),
            Column::Own("parent_key") => Self::with_column("instance_key"),
            Column::Own("parent_element") => Self::with_column("parent_key"),
            _ => None,
        }
    }

    /// The field has the root of a tree of calls, and the row's own key where the row is the root.
    fn is_root_of_itself(self) -> bool {
        self.column() == Column::Own("root_key") && Self::with_column("parent_element").is_some()
    }

    /// Further tables that are joined to the live rows `t`.
    fn live_join(_: &dyn Dialect) -> String {
        String::new()
    }

    /// True if this field of live rows comes from `live_join`.
    fn is_joined(self) -> bool {
        false
    }

    /// The one side on which rows can pass this test, where that is certain.
    fn side_of(self, _: &Test) -> Option<Side> {
        None
    }
}

/// Declares the columns of a view. A member without a column of its own has that of its name (see `column_named!`). Under
/// `computed` stand the columns of fields that no member shows, under `also` whatever else `SearchTable` can say.
macro_rules! search_table {
    ($field:ident: $view:ident of $row:ident {
        $($member:ident $(= $column:expr)?),+ $(,)?
    }
    $(computed { $($computed:ident = $computed_column:expr),+ $(,)? })?
    $(also { $($also:tt)* })?
    ) => {
        impl $crate::SearchTable for $field {
            type Row = $row;

            const MEMBERS: &'static [(&'static str, $crate::Column)] =
                &[$((stringify!($member), $crate::table::column_named!($member $($column)?))),+];

            fn view(columns: &mut $crate::Columns<'_>) -> tidemill_store::Result<$view> {
                Ok($view { $($member: columns.read()?),+ })
            }

            $(fn computed_column(self) -> $crate::Column {
                match self {
                    $($field::$computed => $computed_column,)+
                    _ => unreachable!("{self:?} has the column of its member"),
                }
            })?

            $($($also)*)?
        }
    };
}
pub(crate) use search_table;

/// Columns of keys end in `_key`. Rows of history have the time of their end, live rows do not.
macro_rules! column_named {
    ($member:ident $column:expr) => {
        $column
    };
    (instance) => {
        $crate::Column::Own("instance_key")
    };
    (root) => {
        $crate::Column::Own("root_key")
    };
    (definition) => {
        $crate::Column::Own("definition_key")
    };
    (scope) => {
        $crate::Column::Own("scope_key")
    };
    (job) => {
        $crate::Column::Own("job_key")
    };
    (form) => {
        $crate::Column::Own("form_key")
    };
    (incident) => {
        $crate::Column::Own("incident_key")
    };
    (deployment) => {
        $crate::Column::Own("deployment_key")
    };
    (subscription) => {
        $crate::Column::Own("subscription_key")
    };
    (ended_at) => {
        $crate::table::ENDED_AT
    };
    ($member:ident) => {
        $crate::Column::Own(stringify!($member))
    };
}
pub(crate) use column_named;

/// With a type, which a union of both sides asks for.
pub(crate) const NO_TIME: &str = "CAST(NULL AS BIGINT)";

pub(crate) const ENDED_AT: Column = Column::Sides { live: NO_TIME, history: "{t}.ended_at" };

/// A comparison with a date excludes all live rows, which have no end. `Neq` and `NotIn` do not: nulls pass them.
pub(crate) fn side_of_end(test: &Test) -> Option<Side> {
    match test {
        Test::Exists(false) => Some(Side::Live),
        Test::Neq(_) | Test::NotIn(_) => None,
        Test::In(values) if values.is_empty() => None,
        _ => Some(Side::History),
    }
}

/// For states that are met on one side only.
pub(crate) fn side_of_state(test: &Test, live: &[&str], history: &[&str]) -> Option<Side> {
    use tidemill_store::query::Value;
    let values: Vec<&str> = match test {
        Test::Eq(Value::Text(state)) => vec![state],
        Test::In(values) if !values.is_empty() => values
            .iter()
            .map(|value| if let Value::Text(text) = value { text.as_str() } else { "" })
            .collect(),
        _ => return None,
    };
    // A name that is no state at all is on neither side, and both are read: the answer is empty, as it should be.
    let all_in = |states: &[&str]| values.iter().all(|value| states.contains(value));
    if all_in(live) {
        Some(Side::Live)
    } else if all_in(history) {
        Some(Side::History)
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A field without a column would be found by the first search that uses it.
    #[test]
    fn every_field_of_every_search_has_a_column() {
        fn check<F: SearchTable>() {
            for field in F::all() {
                field.column();
            }
            assert!(F::LIVE.is_some() || F::HISTORY.is_some());
        }
        macro_rules! check_all {
            ([] $($search:ident($field:ident) $(, $get:ident($key:ident))?;)+) => {
                $(check::<tidemill_store::view::$field>();)+
            };
        }
        tidemill_store::for_each_search!([check_all] []);
    }
}
