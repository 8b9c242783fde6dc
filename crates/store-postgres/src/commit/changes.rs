//! The net changes of batches as statements: at most three per table, however many rows.

use super::columns::Columns;
use super::statements::{Verb, binds_partition, lacks_end, statement};
use crate::call::{Call, Param};
use crate::follow::{Group, Net};
use tidemill_model::{Entity, PartitionId, Timestamp};
use tidemill_store::Culprit;
use tidemill_store_sql::{Binder, Table, any_row};

/// A statement of a commit, with the entity that is at fault when it is refused, where that is certain.
pub(crate) struct Step<'b> {
    pub(crate) call: Call<'b>,
    pub(crate) culprit: Option<Culprit>,
}

impl<'b> From<Call<'b>> for Step<'b> {
    fn from(call: Call<'b>) -> Step<'b> {
        Step { call, culprit: None }
    }
}

/// Table by table, removals first.
pub(super) fn steps<'r>(partition: PartitionId, net: &Net<'r>) -> Vec<Step<'r>> {
    let steps = |(kind, group): (_, Group<'r>)| table_steps(Table::of(kind), &group, partition);
    net.groups().into_iter().flat_map(steps).collect()
}

fn table_steps<'r>(table: &Table, group: &Group<'r>, partition: PartitionId) -> Vec<Step<'r>> {
    let rows = |entities: &[&'r Entity]| -> Vec<(&'r Entity, Timestamp)> {
        entities.iter().map(|entity| (*entity, Timestamp(0))).collect()
    };
    let mut steps = Vec::with_capacity(3);
    steps.extend(rows_step(table, Verb::Remove, &rows(&group.removed), partition));
    steps.extend(rows_step(table, Verb::End, &group.ended, partition));
    steps.extend(rows_step(table, Verb::Put, &rows(&group.put), partition));
    steps
}

/// The times are those of the batches, for rows that have ended and do not know when.
fn rows_step<'r>(
    table: &Table,
    verb: Verb,
    entities: &[(&'r Entity, Timestamp)],
    partition: PartitionId,
) -> Option<Step<'r>> {
    let first = any_row(entities.first()?.0);
    let culprit = (entities.len() == 1).then(|| Culprit { kind: table.kind, key: first.number() });
    let mut columns = Columns::default();
    for (row, at) in entities.iter().map(|(entity, at)| (any_row(entity), at)) {
        columns.begin_row();
        match verb {
            Verb::Put => {
                row.bind(&mut columns);
                row.bind_live(&mut columns);
            }
            Verb::Remove => row.bind_key(&mut columns),
            Verb::End => {
                row.bind(&mut columns);
                row.bind_end(&mut columns);
                if lacks_end(table) {
                    columns.maybe_int(Some(at.0));
                }
            }
        }
    }
    let sql = statement(table, verb, &columns.columns);
    let mut params: Vec<Param<'r>> = Vec::with_capacity(columns.columns.len() + 1);
    if !binds_partition(table) {
        params.push(partition.into());
    }
    params.extend(columns.columns.into_iter().map(super::columns::Column::into_param));
    Some(Step { call: Call::new(sql, params), culprit })
}
