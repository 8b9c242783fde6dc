//! What SQL databases do not agree on.

/// How one database writes what the translator needs.
pub trait Dialect: Send + Sync {
    /// The n-th parameter, counted from 1.
    fn parameter(&self, n: usize) -> String;

    /// Case-sensitive match of an expression with a pattern parameter made by `like_pattern`.
    fn like(&self, expression: &str, parameter: &str) -> String;

    /// Whether an index serves a pattern only where the texts that can match are bounded as well.
    fn needs_prefix_of_pattern(&self) -> bool {
        false
    }

    /// From `*`, `?` and backslash to this database's pattern language.
    fn like_pattern(&self, pattern: &str) -> String;

    /// A table expression with one row per member of a JSON array column, the text in a column `value`.
    fn array_members(&self, column: &str, alias: &str) -> String;

    /// What must follow a sort expression so that nulls come first ascending and last descending.
    fn nulls_as_lowest(&self, is_ascending: bool) -> &'static str;

    /// Whether a recursive query may refer to itself in several terms of its union.
    fn takes_many_recursive_terms(&self) -> bool;

    /// A table expression `(job_key, lease_key, worker, deadline)`: the newest lease of every job that stands
    /// in a lease row.
    fn job_leases(&self) -> &'static str;

    /// Whether an expression is in a list that is one parameter.
    fn is_in(&self, expression: &str, parameter: &str) -> String;

    /// Whether it is not; for expressions that are not null.
    fn is_not_in(&self, expression: &str, parameter: &str) -> String;

    /// Whether a row's key is in such a list, so that the primary key serves it.
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
