//! Postgres's way of writing what searches need.

use tidemill_store_sql::Dialect;

pub(crate) struct Postgres;

impl Dialect for Postgres {
    fn parameter(&self, n: usize) -> String {
        format!("${n}")
    }

    fn like(&self, expression: &str, parameter: &str) -> String {
        format!("{expression} LIKE {parameter}")
    }

    fn like_pattern(&self, pattern: &str) -> String {
        let mut translated = String::with_capacity(pattern.len());
        let mut characters = pattern.chars();
        while let Some(character) = characters.next() {
            match character {
                '*' => translated.push('%'),
                '?' => translated.push('_'),
                // At the very end it stands for itself.
                '\\' => push_literal(&mut translated, characters.next().unwrap_or('\\')),
                literal => push_literal(&mut translated, literal),
            }
        }
        translated
    }

    fn is_in(&self, expression: &str, parameter: &str) -> String {
        format!("{expression} = ANY({parameter})")
    }

    fn is_not_in(&self, expression: &str, parameter: &str) -> String {
        format!("{expression} <> ALL({parameter})")
    }

    fn key_is_in(&self, alias: &str, parameter: &str) -> String {
        format!(
            "({alias}.partition_id, {alias}.key) IN (SELECT (k >> 51)::smallint, k FROM unnest({parameter}) k)"
        )
    }

    fn value_key(&self, value: &str) -> String {
        format!(
            "(CASE WHEN length({value}) <= 64 THEN {value} ELSE left({value}, 32) || ':' || md5({value}) END)"
        )
    }

    fn row_by_row(&self) -> &'static str {
        " OFFSET 0"
    }

    fn boolean(&self, value: bool) -> &'static str {
        if value { "true" } else { "false" }
    }

    fn not_by_index(&self, expression: &str) -> String {
        format!("({expression} || '')")
    }

    fn array_members(&self, column: &str, alias: &str) -> String {
        format!("json_array_elements_text({column}::json) {alias}(value)")
    }

    fn nulls_as_lowest(&self, is_ascending: bool) -> &'static str {
        if is_ascending { " NULLS FIRST" } else { " NULLS LAST" }
    }

    fn takes_many_recursive_terms(&self) -> bool {
        false
    }

    fn job_leases(&self) -> &'static str {
        "(SELECT DISTINCT ON (m.value) m.value::bigint AS job_key, j.key AS lease_key, j.worker AS worker, \
         j.deadline AS deadline FROM job_leases j, json_array_elements_text(j.jobs::json) m(value) \
         ORDER BY m.value, j.key DESC)"
    }

    /// The partition stands above bit 51 of a key, so comparing both is comparing the key.
    fn key_test(&self, alias: &str, operator: &str, expression: &str) -> String {
        match operator {
            "=" => format!(
                "({alias}.partition_id = ({expression} >> 51)::smallint AND {alias}.key = {expression})"
            ),
            _ => format!(
                "({alias}.partition_id, {alias}.key) {operator} (({expression} >> 51)::smallint, {expression})"
            ),
        }
    }

    fn key_order(&self, alias: &str, direction: &str) -> String {
        format!("{alias}.partition_id{direction}, {alias}.key{direction}")
    }
}

fn push_literal(pattern: &mut String, literal: char) {
    if matches!(literal, '%' | '_' | '\\') {
        pattern.push('\\');
    }
    pattern.push(literal);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_keep_their_meaning() {
        assert_eq!(Postgres.like_pattern("a*b?c"), "a%b_c");
        assert_eq!(Postgres.like_pattern(r"a\*b\?c"), "a*b?c");
        assert_eq!(Postgres.like_pattern("100%_"), r"100\%\_");
        assert_eq!(Postgres.like_pattern(r"a\\b\"), r"a\\b\\");
    }
}
