//! SQLite's way of writing what searches need.

use tidemill_store_sql::Dialect;

pub(crate) struct Sqlite;

impl Dialect for Sqlite {
    fn parameter(&self, n: usize) -> String {
        format!("?{n}")
    }

    /// GLOB, because LIKE does not see case.
    fn like(&self, expression: &str, parameter: &str) -> String {
        format!("{expression} GLOB {parameter}")
    }

    fn wildcards(&self) -> (char, char) {
        ('*', '?')
    }

    fn push_literal(&self, pattern: &mut String, literal: char) {
        match literal {
            '*' | '?' | '[' => pattern.extend(['[', literal, ']']),
            _ => pattern.push(literal),
        }
    }

    fn array_members(&self, column: &str, alias: &str) -> String {
        format!("json_each({column}) {alias}")
    }

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_keep_their_meaning_as_globs() {
        assert_eq!(Sqlite.like_pattern("a*b?c"), "a*b?c");
        assert_eq!(Sqlite.like_pattern(r"a\*b\?c"), "a[*]b[?]c");
        assert_eq!(Sqlite.like_pattern("a[b]"), "a[[]b]");
        assert_eq!(Sqlite.like_pattern(r"a\\b\"), r"a\b\");
    }
}
