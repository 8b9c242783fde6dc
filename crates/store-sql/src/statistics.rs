//! Counts over instances, elements and incidents: the statements, and reading their rows.

use super::{Columns, Dialect, SearchTable, Side, SqlRow, Statement, where_clause};
use std::collections::BTreeMap;
use tidemill_model::entity::InstanceState;
use tidemill_model::{DefinitionKey, ProcessInstanceKey, TenantId, Text};
use tidemill_store::Result;
use tidemill_store::query::{Filter, ProcessInstanceField, Test};
use tidemill_store::view::{ElementStatistics, ErrorStatistics, ProcessStatistics, VersionStatistics};

/// One pass over the live instances counts both kinds.
const INSTANCE_COUNTS: &str =
    "count(CASE WHEN NOT i.has_incident THEN 1 END), count(CASE WHEN i.has_incident THEN 1 END)";

/// Gives the rows of `ElementCounts`.
pub fn elements_of_instance(dialect: &dyn Dialect, instance: ProcessInstanceKey) -> Statement<'_> {
    let mut statement = Statement::new(dialect);
    for (n, table) in ["element_instances", "element_instances_history"].iter().enumerate() {
        statement.push(if n == 0 { "" } else { " UNION ALL " });
        statement
            .push(&format!("SELECT element_id, state, has_incident, 1 FROM {table} WHERE instance_key = "));
        statement.push_parameter(instance.0);
    }
    statement
}

/// Gives the rows of `ElementCounts`. Without a filter, history has been counted already; with one, the elements
/// of the instances that pass are looked at.
pub fn elements_of_definition<'d>(
    dialect: &'d dyn Dialect,
    definition: DefinitionKey,
    filter: &Filter<ProcessInstanceField>,
) -> Statement<'d> {
    let mut statement = Statement::new(dialect);
    let push_elements = |statement: &mut Statement<'_>, table: &str| {
        statement
            .push(&format!("SELECT element_id, state, has_incident, 1 FROM {table} WHERE definition_key = "));
        statement.push_parameter(definition.0);
    };
    push_elements(&mut statement, "element_instances");
    if filter.all.is_empty() {
        statement.push(
            " UNION ALL SELECT element_id, state, FALSE, count FROM element_counts WHERE definition_key = ",
        );
        statement.push_parameter(definition.0);
    } else {
        push_instances(&mut statement, definition, filter);
        statement.push(" UNION ALL ");
        push_elements(&mut statement, "element_instances_history");
        push_instances(&mut statement, definition, filter);
    }
    statement
}

fn push_instances(
    statement: &mut Statement<'_>,
    definition: DefinitionKey,
    filter: &Filter<ProcessInstanceField>,
) {
    // The definition is added to the filter, because instances are indexed by it.
    let of_definition = filter.clone().is(ProcessInstanceField::DefinitionKey, Test::eq(definition.key()));
    statement.push(" AND instance_key IN (");
    for (n, side) in [Side::Live, Side::History].into_iter().enumerate() {
        statement.push(if n == 0 { "SELECT t.key FROM " } else { " UNION ALL SELECT t.key FROM " });
        statement.push(ProcessInstanceField::table(side).expect("instances live and end"));
        statement.push(" t");
        where_clause(statement, &of_definition, side);
    }
    statement.push(")");
}

/// Adds up rows `(element_id, state, has_incident, count)`: a database would sort them all first.
#[derive(Default)]
pub struct ElementCounts(BTreeMap<Text, [i64; 4]>);

impl ElementCounts {
    pub fn add(&mut self, row: &dyn SqlRow) -> Result<()> {
        let mut columns = Columns::of(row);
        let (element, state, has_incident) = (columns.text()?, columns.read()?, columns.boolean()?);
        let count = columns.int()?;
        let counted = self.0.entry(element).or_default();
        match (state, has_incident) {
            (InstanceState::Completed, _) => counted[1] += count,
            (InstanceState::Terminated, _) => counted[2] += count,
            (InstanceState::Active, false) => counted[0] += count,
            (InstanceState::Active, true) => counted[3] += count,
        }
        Ok(())
    }

    /// By element id, without those whose rows are all gone.
    pub fn into_statistics(self) -> Vec<ElementStatistics> {
        let counted = self.0.into_iter().filter(|(_, counts)| counts.iter().any(|count| *count != 0));
        counted
            .map(|(element_id, counts)| {
                let [active, completed, canceled, incidents] = counts.map(i64::unsigned_abs);
                ElementStatistics { element_id, active, completed, canceled, incidents }
            })
            .collect()
    }
}

/// Per process, for `read_process`. Only live instances are counted, which stay few whatever the history
/// holds.
/// The join from the left lists processes without instances too. It repeats a definition for each of its
/// instances, hence the DISTINCT.
pub fn processes(dialect: &dyn Dialect) -> Statement<'_> {
    let mut statement = Statement::new(dialect);
    statement.push(&format!(
        "SELECT d.process_id, d.tenant, \
         (SELECT n.name FROM process_definitions n WHERE n.process_id = d.process_id AND n.tenant = d.tenant \
         AND n.state <> 'DELETED' ORDER BY n.version DESC LIMIT 1), \
         count(DISTINCT d.key) > 1, {INSTANCE_COUNTS} \
         FROM process_definitions d LEFT JOIN process_instances i ON i.definition_key = d.key \
         WHERE d.state <> 'DELETED' GROUP BY d.process_id, d.tenant ORDER BY d.process_id, d.tenant"
    ));
    statement
}

pub fn read_process(row: &dyn SqlRow) -> Result<ProcessStatistics> {
    let mut columns = Columns::of(row);
    Ok(ProcessStatistics {
        process_id: columns.text()?,
        tenant: columns.tenant()?,
        latest_name: columns.maybe_text()?,
        has_multiple_versions: columns.boolean()?,
        active_without_incident: columns.count()?,
        active_with_incident: columns.count()?,
    })
}

/// Per version of one process, for `read_version`.
pub fn versions<'d>(dialect: &'d dyn Dialect, tenant: Option<&TenantId>, process_id: &str) -> Statement<'d> {
    let mut statement = Statement::new(dialect);
    statement.push(&format!(
        "SELECT d.key, d.process_id, d.name, d.version, d.tenant, {INSTANCE_COUNTS} \
         FROM process_definitions d LEFT JOIN process_instances i ON i.definition_key = d.key \
         WHERE d.state <> 'DELETED' AND d.process_id = "
    ));
    statement.push_parameter(process_id);
    if let Some(tenant) = tenant {
        statement.push(" AND d.tenant = ");
        statement.push_parameter(tenant.as_str());
    }
    statement.push(" GROUP BY d.key, d.process_id, d.name, d.version, d.tenant ORDER BY d.version, d.tenant");
    statement
}

pub fn read_version(row: &dyn SqlRow) -> Result<VersionStatistics> {
    let mut columns = Columns::of(row);
    Ok(VersionStatistics {
        definition: columns.key()?,
        process_id: columns.text()?,
        name: columns.maybe_text()?,
        version: columns.small()?,
        tenant: columns.tenant()?,
        active_without_incident: columns.count()?,
        active_with_incident: columns.count()?,
    })
}

/// Per error text, for `read_error`. Rows are grouped by hash and text, because two texts may have the same hash.
pub fn errors(dialect: &dyn Dialect) -> Statement<'_> {
    let mut statement = Statement::new(dialect);
    statement.push(
        "SELECT message_hash, message, count(DISTINCT instance_key) AS instances FROM incidents \
         GROUP BY message_hash, message ORDER BY instances DESC, message",
    );
    statement
}

pub fn read_error(row: &dyn SqlRow) -> Result<ErrorStatistics> {
    let mut columns = Columns::of(row);
    Ok(ErrorStatistics {
        hash: columns.small()?,
        message: columns.text()?.into(),
        active_instances: columns.count()?,
    })
}
