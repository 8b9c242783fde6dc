//! The changes of a batch as statements: at most three per table, however many rows.

use super::columns::Columns;
use super::statements::{Verb, binds_partition, lacks_end, statement};
use crate::call::{Call, Param};
use std::collections::BTreeMap;
use tidemill_model::{Change, Ended, Entity, EntityKind};
use tidemill_store::{Batch, Culprit};
use tidemill_store_sql::{Table, any_row};

/// A statement of a commit, with the entity that is at fault when it is refused, where that is certain.
pub(super) struct Step<'b> {
    pub(super) call: Call<'b>,
    pub(super) culprit: Option<Culprit>,
}

impl<'b> From<Call<'b>> for Step<'b> {
    fn from(call: Call<'b>) -> Step<'b> {
        Step { call, culprit: None }
    }
}

#[derive(Default)]
struct Group<'b> {
    put: Vec<&'b Entity>,
    removed: Vec<&'b Entity>,
    ended: Vec<&'b Entity>,
}

/// Table by table, removals first, because a timer that moves is removed and put.
pub(super) fn steps(batch: &Batch) -> Vec<Step<'_>> {
    let mut groups: BTreeMap<EntityKind, Group<'_>> = BTreeMap::new();
    for change in &batch.changes {
        let entity = change.entity();
        let group = groups.entry(entity.kind()).or_default();
        match change {
            Change::Put(_) => group.put.push(entity),
            Change::Remove(_) => group.removed.push(entity),
            Change::End { was_stored, .. } => {
                group.ended.push(entity);
                if *was_stored {
                    group.removed.push(entity);
                }
            }
        }
    }
    let steps = |(kind, group)| table_steps(Table::of(kind), &group, batch);
    groups.into_iter().flat_map(steps).collect()
}

fn table_steps<'b>(table: &Table, group: &Group<'b>, batch: &'b Batch) -> Vec<Step<'b>> {
    let mut steps = Vec::with_capacity(3);
    if table.ended == Ended::HistoryFromTheStart {
        // Written once and never changed, however its change is called.
        let written = [&group.put[..], &group.ended].concat();
        steps.extend(rows_step(table, Verb::Put, &written, batch));
        return steps;
    }
    steps.extend(rows_step(table, Verb::Remove, &group.removed, batch));
    if table.ended == Ended::History {
        steps.extend(rows_step(table, Verb::End, &group.ended, batch));
    }
    steps.extend(rows_step(table, Verb::Put, &group.put, batch));
    steps
}

fn rows_step<'b>(table: &Table, verb: Verb, entities: &[&'b Entity], batch: &'b Batch) -> Option<Step<'b>> {
    let first = any_row(entities.first()?);
    let culprit = (entities.len() == 1).then(|| Culprit { kind: table.kind, key: first.number() });
    let mut columns = Columns::default();
    for row in entities.iter().map(|entity| any_row(entity)) {
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
            }
        }
    }
    let sql = statement(table, verb, &columns.columns);
    let mut params: Vec<Param<'b>> = Vec::with_capacity(columns.columns.len() + 2);
    if !binds_partition(table) {
        params.push(batch.partition().into());
    }
    params.extend(columns.columns.into_iter().map(super::columns::Column::into_param));
    if matches!(verb, Verb::End) && lacks_end(table) {
        params.push(batch.at.0.into());
    }
    Some(Step { call: Call::new(sql, params), culprit })
}
