//! What SQL databases do not agree on.

/// How one database writes what the translator needs.
pub trait Dialect: Send + Sync {
    /// The n-th parameter, counted from 1.
    fn parameter(&self, n: usize) -> String;

    /// Case-sensitive match of an expression with a pattern parameter made by `like_pattern`.
    fn like(&self, expression: &str, parameter: &str) -> String;

    /// What stands for any text and for any one character in a pattern.
    fn wildcards(&self) -> (char, char);

    /// Adds a character that stands for itself.
    fn push_literal(&self, pattern: &mut String, literal: char);

    /// From `*`, `?` and backslash to this database's pattern language.
    fn like_pattern(&self, pattern: &str) -> String {
        let (any_text, any_character) = self.wildcards();
        let mut translated = String::with_capacity(pattern.len());
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            match character {
                '*' => translated.push(any_text),
                '?' => translated.push(any_character),
                // At the very end it stands for itself.
                '\\' => self.push_literal(&mut translated, characters.next().unwrap_or('\\')),
                literal => self.push_literal(&mut translated, literal),
            }
        }
        translated
    }

    /// A table expression with one row per member of a JSON array column, the text in a column `value`.
    fn array_members(&self, column: &str, alias: &str) -> String;

    /// What must follow a sort expression so that nulls come first ascending and last descending.
    fn nulls_as_lowest(&self, is_ascending: bool) -> &'static str;

    /// Whether a recursive query may refer to itself in several terms of its union.
    fn takes_many_recursive_terms(&self) -> bool;

    /// A table expression `(job_key, lease_key, worker, deadline)`: the newest lease of every job that stands
    /// in a lease row.
    fn job_leases(&self) -> &'static str;

    /// A comparison of a row's key with an expression, so that the primary key serves it.
    fn key_test(&self, alias: &str, operator: &str, expression: &str) -> String {
        format!("{alias}.key {operator} {expression}")
    }

    /// The columns to sort by for the order of keys, so that the primary key serves it.
    fn key_order(&self, alias: &str, direction: &str) -> String {
        format!("{alias}.key{direction}")
    }
}
