//! SQLite's way of writing what searches need.

use crate::like::LIKE;
use tidemill_store_sql::Dialect;

pub(crate) struct Sqlite;

impl Dialect for Sqlite {
    fn parameter(&self, n: usize) -> String {
        format!("?{n}")
    }

    /// A function of our own: GLOB and LIKE try again for every `*`, and nobody can interrupt them.
    fn like(&self, expression: &str, parameter: &str) -> String {
        format!("{LIKE}({expression}, {parameter})")
    }

    /// A function of our own is opaque to SQLite's planner: only a range over the literal beginning of the
    /// pattern lets it use an index.
    fn needs_prefix_of_pattern(&self) -> bool {
        true
    }

    fn like_pattern(&self, pattern: &str) -> String {
        pattern.to_owned()
    }

    /// One parameter for the whole list. A parameter for each value would run into SQLite's limit on them.
    fn is_in(&self, expression: &str, parameter: &str) -> String {
        format!("{expression} IN rarray({parameter})")
    }

    fn is_not_in(&self, expression: &str, parameter: &str) -> String {
        format!("{expression} NOT IN rarray({parameter})")
    }

    /// SQLite knows no hash. Length and end tell long values apart that begin alike, unless they differ in the middle only.
    fn value_key(&self, value: &str) -> String {
        format!(
            "(CASE WHEN length({value}) <= 64 THEN {value} \
             ELSE substr({value}, 1, 32) || ':' || length({value}) || ':' || substr({value}, -32) END)"
        )
    }

    /// Tells the planner that a condition holds for most rows, so that it does not choose an index for it.
    fn likely(&self) -> (&'static str, &'static str) {
        ("likely(", ")")
    }

    fn boolean(&self, value: bool) -> &'static str {
        if value { "1" } else { "0" }
    }

    /// A unary plus changes no value, but SQLite uses no index for an expression.
    fn not_by_index(&self, expression: &str) -> String {
        format!("+{expression}")
    }

    fn array_members(&self, column: &str, alias: &str) -> String {
        format!("json_each({column}) {alias}")
    }

    /// SQLite sorts nulls lowest by itself, which is the order that searches promise.
    fn nulls_as_lowest(&self, _: bool) -> &'static str {
        ""
    }

    fn takes_many_recursive_terms(&self) -> bool {
        true
    }

    /// SQLite takes the bare columns from the row with the highest key.
    fn job_leases(&self) -> &'static str {
        "(SELECT m.value AS job_key, max(j.key) AS lease_key, j.worker AS worker, j.deadline AS deadline \
         FROM job_leases j, json_each(j.jobs) m GROUP BY m.value)"
    }
}
