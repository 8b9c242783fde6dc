//! The differences between SQL databases.

/// The SQL of one database, as far as the translator needs it.
pub trait Dialect: Send + Sync {
    /// The n-th parameter, counted from 1.
    fn parameter(&self, n: usize) -> String;

    /// Case-sensitive match of an expression with a pattern parameter made by `like_pattern`.
    fn like(&self, expression: &str, parameter: &str) -> String;

    /// True if an index serves a pattern only where the texts that can match are bounded as well.
    fn needs_prefix_of_pattern(&self) -> bool {
        false
    }

    /// From `*`, `?` and backslash to this database's pattern language.
    fn like_pattern(&self, pattern: &str) -> String;

    /// A short text by which a variable's value is indexed: the value itself, or of a long one its beginning and what tells
    /// it from others with the same beginning. As the index of the history has it.
    /// A whole value may be longer than an index takes.
    fn value_key(&self, expression: &str) -> String;

    /// Stands around a condition that most rows pass.
    fn likely(&self) -> (&'static str, &'static str) {
        ("", "")
    }

    /// Behind a subquery that must be run for each row, and not joined as a whole.
    /// Postgres would otherwise turn it into a join and read all variables of a name, however few rows the page has.
    fn row_by_row(&self) -> &'static str {
        ""
    }

    /// A truth value as it stands in the text.
    /// A parameter would not do: a partial index is chosen by its condition, and the planner must see the value for that.
    fn boolean(&self, value: bool) -> &'static str;

    /// The same value in a form that no index serves, where another one must be used.
    fn not_by_index(&self, expression: &str) -> String;

    /// A table expression with one row per member of a JSON array column, the text in a column `value`.
    fn array_members(&self, column: &str, alias: &str) -> String;

    /// The words behind a sort expression that make nulls come first ascending and last descending.
    fn nulls_as_lowest(&self, is_ascending: bool) -> &'static str;

    /// True if a recursive query may refer to itself in several terms of its union.
    /// Where it may not, all tables of a step stand in one subquery.
    fn takes_many_recursive_terms(&self) -> bool;

    /// A table expression `(job_key, lease_key, worker, deadline)`: the newest lease of every job that stands
    /// in a lease row.
    fn job_leases(&self) -> &'static str;

    /// Tests that an expression is in a list that is one parameter.
    fn is_in(&self, expression: &str, parameter: &str) -> String;

    /// Tests that it is not in the list; for expressions that are not null.
    fn is_not_in(&self, expression: &str, parameter: &str) -> String;

    /// Tests that a row's key is in such a list, in a form that the primary key serves.
    /// On Postgres the primary key begins with the partition, so a test of the key alone would read the whole table.
    fn key_is_in(&self, alias: &str, parameter: &str) -> String {
        self.is_in(&format!("{alias}.key"), parameter)
    }

    /// A comparison of a row's key with an expression, so that the primary key serves it.
    fn key_test(&self, alias: &str, operator: &str, expression: &str) -> String {
        format!("{alias}.key {operator} {expression}")
    }

    /// The columns to sort by for the order of keys, so that the primary key serves it.
    fn key_order(&self, alias: &str, direction: &str) -> String {
        format!("{alias}.key{direction}")
    }
}
