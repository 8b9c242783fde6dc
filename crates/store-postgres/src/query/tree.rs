//! Walks up through scopes and callers, each in one statement.

use super::row::ResultRow;
use crate::PostgresStore;
use crate::call::Call;
use std::collections::BTreeMap;
use tidemill_model::{ElementInstanceKey, ProcessInstanceKey, Text};
use tidemill_store::Result;
use tidemill_store::query::VariableField;
use tidemill_store::view::{CallHierarchyEntry, FlowsTaken, VariableView};
use tidemill_store_sql::{Columns, SearchTable};

/// Call trees and scopes are never this deep; damaged rows must not make a read endless.
macro_rules! depth_max {
    () => {
        "10000"
    };
}

/// The scopes from the innermost to the instance's own, each with what can be seen there.
const VISIBLE: &str = concat!(
    "WITH RECURSIVE scopes(key, depth) AS (SELECT $1, 0 UNION ALL \
     SELECT e.parent_key, s.depth + 1 FROM scopes s CROSS JOIN LATERAL \
     (SELECT parent_key FROM element_instances WHERE partition_id = (s.key >> 51)::smallint AND key = s.key UNION ALL \
     SELECT parent_key FROM element_instances_history WHERE partition_id = (s.key >> 51)::smallint AND key = s.key) e \
     WHERE s.depth < ",
    depth_max!(),
    "), instance(key) AS (SELECT key FROM scopes ORDER BY depth DESC LIMIT 1) \
     SELECT v.key, v.instance_key, v.root_key, v.tenant, v.scope_key, v.name, v.value \
     FROM scopes s CROSS JOIN instance i CROSS JOIN LATERAL \
     (SELECT key, instance_key, root_key, tenant, scope_key, name, value FROM variables \
     WHERE instance_key = i.key AND scope_key = s.key UNION ALL \
     SELECT key, instance_key, root_key, tenant, scope_key, name, value FROM variables_history \
     WHERE instance_key = i.key AND scope_key = s.key) v ORDER BY s.depth"
);

/// The partition is a part of the key, and named so that the primary key, which begins with it, is used. At most one of both halves
/// has the row.
const FLOWS: &str = "SELECT t.key, t.root_key, t.definition_key, d.process_id, t.tenant, t.flows FROM \
    (SELECT key, root_key, definition_key, tenant, flows FROM process_instances \
    WHERE partition_id = ($1 >> 51)::smallint AND key = $1 UNION ALL \
    SELECT key, root_key, definition_key, tenant, flows FROM process_instances_history \
    WHERE partition_id = ($1 >> 51)::smallint AND key = $1) t \
    LEFT JOIN process_definitions d ON d.key = t.definition_key";

/// One round trip however deep the calls go. It begins with a row that only names the first parent, so that the instance itself is found
/// in the same way as its callers.
const CALLERS: &str = concat!(
    "WITH RECURSIVE callers(key, definition_key, tenant, parent_key, depth) AS ( \
     SELECT NULL::bigint, NULL::bigint, NULL::text COLLATE \"C\", $1, 0 UNION ALL \
     SELECT i.key, i.definition_key, i.tenant, i.parent_key, c.depth + 1 FROM callers c CROSS JOIN LATERAL \
     (SELECT key, definition_key, tenant, parent_key FROM process_instances \
     WHERE partition_id = (c.parent_key >> 51)::smallint AND key = c.parent_key UNION ALL \
     SELECT key, definition_key, tenant, parent_key FROM process_instances_history \
     WHERE partition_id = (c.parent_key >> 51)::smallint AND key = c.parent_key) i WHERE c.depth < ",
    depth_max!(),
    ") SELECT c.key, c.definition_key, d.process_id, d.name, c.tenant FROM callers c \
     LEFT JOIN process_definitions d ON d.key = c.definition_key WHERE c.depth > 0 ORDER BY c.depth DESC"
);

impl PostgresStore {
    pub(super) async fn variables_seen(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>> {
        self.searches.within_limit(self.catch_up_key(scope.0)).await?;
        let rows =
            self.searches.within_limit(self.searches.read_one(Call::new(VISIBLE, [scope.0.into()]))).await?;
        // The statement gives the innermost scope first, and the first of a name stays: an inner variable hides those around it.
        let mut visible: BTreeMap<Text, VariableView> = BTreeMap::new();
        for row in &rows {
            let variable = VariableField::view(&mut Columns::of(&ResultRow(row)))?;
            visible.entry(variable.name.clone()).or_insert(variable);
        }
        Ok(visible.into_values().collect())
    }

    pub(super) async fn flows(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>> {
        self.searches.within_limit(self.catch_up_key(instance.0)).await?;
        let rows =
            self.searches.within_limit(self.searches.read_one(Call::new(FLOWS, [instance.0.into()]))).await?;
        let Some(row) = rows.first() else { return Ok(None) };
        let row = ResultRow(row);
        let mut columns = Columns::of(&row);
        Ok(Some(FlowsTaken {
            instance: columns.key()?,
            root: columns.key()?,
            definition: columns.key()?,
            process_id: columns.maybe_text()?.unwrap_or_default(),
            tenant: columns.tenant()?,
            flows: columns.flows()?,
        }))
    }

    pub(super) async fn callers(
        &self,
        instance: ProcessInstanceKey,
    ) -> Result<Option<Vec<CallHierarchyEntry>>> {
        self.searches.within_limit(self.catch_up_all()).await?;
        let rows = self
            .searches
            .within_limit(self.searches.read_one(Call::new(CALLERS, [instance.0.into()])))
            .await?;
        let hierarchy = rows.iter().map(|row| {
            let row = ResultRow(row);
            let mut columns = Columns::of(&row);
            Ok(CallHierarchyEntry {
                instance: columns.key()?,
                definition: columns.key()?,
                process_id: columns.maybe_text()?.unwrap_or_default(),
                process_name: columns.maybe_text()?,
                tenant: columns.tenant()?,
            })
        });
        let hierarchy: Vec<CallHierarchyEntry> = hierarchy.collect::<Result<_>>()?;
        Ok(match hierarchy.len() {
            0 => None,
            1 => Some(Vec::new()),
            _ => Some(hierarchy),
        })
    }
}
