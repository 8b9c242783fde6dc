//! Reading live rows back into entities.

use crate::call::{Call, Param};
use crate::error::unreadable;
use serde::de::DeserializeOwned;
use std::borrow::Cow;
use std::sync::Arc;
use tidemill_model::entity::*;
use tidemill_model::{Entity, EntityKind, Key, RawJson, TenantId, Text};
use tidemill_store::{Result, unpack};
use tokio_postgres::Row;

/// A statement that gives entities of one kind. Its first column says to what each belongs; then follows `data`,
/// or the columns of a variable.
pub(super) struct Fetch<'a> {
    pub(super) call: Call<'a>,
    pub(super) kind: EntityKind,
}

impl<'a> Fetch<'a> {
    pub(super) fn new(
        kind: EntityKind,
        sql: impl Into<Cow<'a, str>>,
        params: impl Into<Vec<Param<'a>>>,
    ) -> Fetch<'a> {
        Fetch { call: Call::new(sql, params), kind }
    }
}

pub(super) const VARIABLE_COLUMNS: &str =
    "key, instance_key, root_key, definition_key, tenant, scope_key, name, value";

/// What a row belongs to, and what it is.
pub(super) fn owned_entity(kind: EntityKind, row: &Row) -> Result<(i64, Entity)> {
    Ok((row.get(0), entity(kind, row)?))
}

fn entity(kind: EntityKind, row: &Row) -> Result<Entity> {
    match kind {
        EntityKind::ProcessInstance => data::<ProcessInstance>(row),
        EntityKind::ElementInstance => data::<ElementInstance>(row),
        EntityKind::Variable => Ok(variable(row)),
        EntityKind::Job => data::<Job>(row),
        EntityKind::JobLease => data::<JobLease>(row),
        EntityKind::UserTask => data::<UserTask>(row),
        EntityKind::Incident => data::<Incident>(row),
        EntityKind::Timer => data::<Timer>(row),
        EntityKind::Message => data::<Message>(row),
        EntityKind::MessageSubscription => data::<MessageSubscription>(row),
        EntityKind::BoxSubscription => data::<BoxSubscription>(row),
        EntityKind::MessageStartLock => data::<MessageStartLock>(row),
        EntityKind::SignalSubscription => data::<SignalSubscription>(row),
        EntityKind::StartSubscription => data::<StartSubscription>(row),
        EntityKind::LoopInput => data::<LoopInput>(row),
        EntityKind::LoopOutput => data::<LoopOutput>(row),
        EntityKind::ProcessDefinition => data::<ProcessDefinition>(row),
        EntityKind::ProcessXml => Ok(file(row)),
        EntityKind::Form => data::<Form>(row),
        EntityKind::Resource => data::<Resource>(row),
        EntityKind::MessageCorrelation => unreachable!("correlations are history and never loaded"),
    }
}

fn data<T>(row: &Row) -> Result<Entity>
where
    T: DeserializeOwned,
    Arc<T>: Into<Entity>,
{
    Ok(Arc::new(unpack::<T>(row.get(1)).map_err(unreadable)?).into())
}

fn variable(row: &Row) -> Entity {
    let key = |column: usize| Key(row.get(column));
    let text = |column: usize| Text::from(row.get::<_, &str>(column));
    let origin = Origin {
        instance: key(2).into(),
        root: key(3).into(),
        definition: key(4).into(),
        tenant: TenantId(text(5)),
    };
    let variable = Variable {
        key: key(1).into(),
        origin,
        scope: key(6).into(),
        name: text(7),
        value: RawJson::new(text(8)),
    };
    Arc::new(variable).into()
}

fn file(row: &Row) -> Entity {
    let xml: String = row.get(1);
    Arc::new(ProcessXml { definition: Key(row.get(0)).into(), xml: xml.into() }).into()
}
