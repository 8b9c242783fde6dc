//! Conditions over call trees: everything below an instance or an element.

use super::Statement;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey};

/// A table whose rows lead from a scope to one inside it, or from a calling element to the called instance.
struct Edges {
    table: &'static str,
    from: [&'static str; 2],
    to: [&'static str; 2],
}

const ELEMENTS: [&str; 2] = ["element_instances", "element_instances_history"];
const INSTANCES: [&str; 2] = ["process_instances", "process_instances_history"];

/// The instance and all that were called from it.
pub(super) fn push_within_instance(statement: &mut Statement<'_>, instance: ProcessInstanceKey) {
    // UNION without ALL drops rows that were met before, so a damaged tree with a circle ends too.
    statement.push("t.instance_key IN (WITH RECURSIVE tree(key) AS (SELECT ");
    statement.push_parameter(instance.0);
    let text = match statement.dialect.takes_many_recursive_terms() {
        true => INSTANCES
            .map(|table| {
                // CROSS JOIN keeps SQLite from changing the order: it must begin with the tree and enter each table by its index.
                format!(" UNION SELECT c.key FROM tree CROSS JOIN {table} c ON c.parent_key = tree.key")
            })
            .concat(),
        false => {
            let [live, history] = INSTANCES.map(|table| format!("SELECT key, parent_key FROM {table}"));
            format!(
                " UNION SELECT c.key FROM tree JOIN ({live} UNION ALL {history}) c ON c.parent_key = tree.key"
            )
        }
    };
    statement.push(&text);
    statement.push(") SELECT key FROM tree)");
}

/// The element, the elements inside it, the instances called from any of them, and their elements. A calling
/// element leads to the root scope of the called instance.
pub(super) fn push_within_element(statement: &mut Statement<'_>, element: ElementInstanceKey) {
    statement.push(
        "(t.instance_key, t.element_instance) IN (WITH RECURSIVE tree(instance_key, key) AS (SELECT * FROM (",
    );
    for (n, table) in ELEMENTS.iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        let parameter = statement.parameter(element.0);
        let is_it = statement.dialect.key_test("e", "=", &parameter);
        statement.push(&format!("SELECT instance_key, key FROM {table} e WHERE {is_it}"));
    }
    statement.push(") start");
    let inside = ELEMENTS.map(|table| Edges {
        table,
        from: ["instance_key", "parent_key"],
        to: ["instance_key", "key"],
    });
    // An element instance leads to the instance that it has called by two keys, because the index over callers has both.
    let called =
        INSTANCES.map(|table| Edges { table, from: ["parent_key", "parent_element"], to: ["key", "key"] });
    push_steps(statement, inside.iter().chain(&called));
    statement.push(") SELECT instance_key, key FROM tree)");
}

/// The recursive part: one term per table where that is allowed, so that each is entered by its own index.
fn push_steps<'e>(statement: &mut Statement<'_>, edges: impl Iterator<Item = &'e Edges>) {
    if statement.dialect.takes_many_recursive_terms() {
        for Edges { table, from, to } in edges {
            statement.push(&format!(
                " UNION SELECT c.{}, c.{} FROM tree CROSS JOIN {table} c ON c.{} = tree.instance_key AND c.{} = tree.key",
                to[0], to[1], from[0], from[1]
            ));
        }
        return;
    }
    let tables: Vec<String> = edges
        .map(|Edges { table, from, to }| {
            format!(
                "SELECT {} AS f0, {} AS f1, {} AS t0, {} AS t1 FROM {table}",
                from[0], from[1], to[0], to[1]
            )
        })
        .collect();
    statement.push(&format!(
        " UNION SELECT c.t0, c.t1 FROM tree JOIN ({}) c ON c.f0 = tree.instance_key AND c.f1 = tree.key",
        tables.join(" UNION ALL ")
    ));
}
