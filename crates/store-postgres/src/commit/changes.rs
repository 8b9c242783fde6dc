//! The changes of a batch as statements: at most three per table, however many rows.

use super::columns::Columns;
use super::statements::{Verb, binds_partition, lacks_end, statement};
use crate::call::{Call, Param};
use std::collections::BTreeMap;
use tidemill_model::{Change, Ended, Entity, EntityKey, EntityKind, with_kind};
use tidemill_store::{Batch, Culprit};
use tidemill_store_sql::Row;

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
    let steps = |(kind, group)| with_kind!(kind, R => table_steps::<R>(&group, batch));
    groups.into_iter().flat_map(steps).collect()
}

fn table_steps<'b, R: Row>(group: &Group<'b>, batch: &'b Batch) -> Vec<Step<'b>> {
    let mut steps = Vec::with_capacity(3);
    if R::ENDED == Ended::HistoryFromTheStart {
        // Written once and never changed, however its change is called.
        let written = [&group.put[..], &group.ended].concat();
        steps.extend(rows_step::<R>(Verb::Put, &written, batch));
        return steps;
    }
    steps.extend(rows_step::<R>(Verb::Remove, &group.removed, batch));
    if R::ENDED == Ended::History {
        steps.extend(rows_step::<R>(Verb::End, &group.ended, batch));
    }
    steps.extend(rows_step::<R>(Verb::Put, &group.put, batch));
    steps
}

fn rows_step<'b, R: Row>(verb: Verb, entities: &[&'b Entity], batch: &'b Batch) -> Option<Step<'b>> {
    let rows: Vec<&'b R> = entities.iter().filter_map(|entity| R::of(entity)).collect();
    let first = *rows.first()?;
    let culprit = (rows.len() == 1).then(|| Culprit { kind: R::KIND, key: first.key().numbers().0 });
    let mut columns = Columns::default();
    for row in rows {
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
    let sql = statement::<R>(verb, &columns.columns);
    let mut params: Vec<Param<'b>> = Vec::with_capacity(columns.columns.len() + 2);
    if !binds_partition::<R>() {
        params.push(batch.partition().into());
    }
    params.extend(columns.columns.into_iter().map(super::columns::Column::into_param));
    if matches!(verb, Verb::End) && lacks_end::<R>() {
        params.push(batch.at.0.into());
    }
    Some(Step { call: Call::new(sql, params), culprit })
}
