//! Conditions over call trees: everything below an instance or an element.

use super::Statement;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey};

/// The instance and all that were called from it.
pub(super) fn push_within_instance(statement: &mut Statement<'_>, instance: ProcessInstanceKey) {
    statement.push("t.instance_key IN (WITH RECURSIVE tree(key) AS (SELECT ");
    statement.push_parameter(instance.0);
    statement.push(
        " UNION SELECT c.key FROM tree JOIN (SELECT key, parent_key FROM process_instances UNION ALL \
         SELECT key, parent_key FROM process_instances_history) c ON c.parent_key = tree.key) \
         SELECT key FROM tree)",
    );
}

/// The element, the elements inside it, the instances called from any of them, and their elements. A calling
/// element leads to the root scope of the called instance.
pub(super) fn push_within_element(statement: &mut Statement<'_>, element: ElementInstanceKey) {
    statement.push("t.element_instance IN (WITH RECURSIVE tree(instance_key, key) AS (SELECT * FROM (");
    for (n, table) in ["element_instances", "element_instances_history"].iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        statement.push(&format!("SELECT instance_key, key FROM {table} WHERE key = "));
        statement.push_parameter(element.0);
    }
    statement.push(
        ") start UNION SELECT c.to_instance, c.to_key FROM tree JOIN (\
         SELECT instance_key AS from_instance, parent_key AS from_key, instance_key AS to_instance, \
         key AS to_key FROM element_instances UNION ALL \
         SELECT instance_key, parent_key, instance_key, key FROM element_instances_history UNION ALL \
         SELECT parent_key, parent_element, key, key FROM process_instances UNION ALL \
         SELECT parent_key, parent_element, key, key FROM process_instances_history) c \
         ON c.from_instance = tree.instance_key AND c.from_key = tree.key) SELECT key FROM tree)",
    );
}
