//! Running counts of ended elements per definition, kept in step with history by every commit and every purge.

use crate::error::Outcome;
use rusqlite::{Connection, params};
use std::collections::HashMap;
use tidemill_model::entity::{ElementInstance, InstanceState};

const ADD: &str = "INSERT INTO element_counts VALUES (?1, ?2, ?3, ?4) \
    ON CONFLICT DO UPDATE SET count = count + excluded.count";

/// Counts the very rows that `delete_belongings` deletes next: both take the first `?2` by key.
const SUBTRACT: &str = "INSERT INTO element_counts \
    SELECT definition_key, element_id, state, -count(*) FROM element_instances_history WHERE key IN \
    (SELECT key FROM element_instances_history WHERE instance_key = ?1 ORDER BY key LIMIT ?2) \
    GROUP BY definition_key, element_id, state \
    ON CONFLICT DO UPDATE SET count = count + excluded.count";

/// A batch has few different elements, however many of each. They are added up in memory first: a statement
/// for each element would cost as much as writing the element.
pub(crate) fn add<'e>(
    connection: &Connection,
    ended: impl Iterator<Item = &'e ElementInstance>,
) -> Outcome<()> {
    let mut counts: HashMap<(i64, &str, &str), i64> = HashMap::new();
    for element in ended {
        let key = (
            element.origin.definition.0,
            element.element_id.as_str(),
            InstanceState::from(element.state).name(),
        );
        *counts.entry(key).or_default() += 1;
    }
    let mut statement = connection.prepare_cached(ADD)?;
    for ((definition, element_id, state), count) in counts {
        statement.execute(params![definition, element_id, state, count])?;
    }
    Ok(())
}

/// Before the first so many of an instance's elements go.
pub(crate) fn subtract(connection: &Connection, instance: i64, most: i64) -> Outcome<()> {
    connection.prepare_cached(SUBTRACT)?.execute([instance, most])?;
    Ok(())
}
