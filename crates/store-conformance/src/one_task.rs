//! The life of a one-task instance as changes: what stores are measured by.

use crate::Session;
use std::sync::Arc;
use tidemill_model::entity::*;
use tidemill_model::{Change, Entity, Timestamp};

pub struct OneTask {
    pub instance: ProcessInstance,
    task: ElementInstance,
    pub job: Job,
    variable: Variable,
}

impl OneTask {
    /// The n-th of them.
    pub fn begin(session: &Session, definition: &ProcessDefinition, n: usize) -> OneTask {
        let instance = ProcessInstance {
            started_at: Timestamp(1_000_000 + n as i64),
            business_id: n.is_multiple_of(10).then(|| format!("order-{n}").into()),
            ..session.make.instance(definition.key)
        };
        let task = session.make.element(&instance, instance.key.scope(), "task");
        let job = session.make.job(&task, "work");
        let variable = session.make.variable(&instance, instance.key.scope(), "orderId", &format!("\"{n}\""));
        OneTask { instance, task, job, variable }
    }

    pub fn begin_changes(&self, session: &Session) -> Vec<Change> {
        let start = session.make.element(&self.instance, self.instance.key.scope(), "start");
        vec![
            put(self.instance.clone()),
            end(ElementInstance { state: Lifecycle::Completed, ..start }, false),
            put(self.task.clone()),
            put(self.job.clone()),
            put(self.variable.clone()),
        ]
    }

    pub fn end_changes(&self, session: &Session) -> Vec<Change> {
        let at = Some(self.instance.started_at + 500);
        let last = session.make.element(&self.instance, self.instance.key.scope(), "end");
        let instance = ProcessInstance { state: Lifecycle::Completed, ended_at: at, ..self.instance.clone() };
        let task = ElementInstance { state: Lifecycle::Completed, ended_at: at, ..self.task.clone() };
        let job = Job { last_event: JobEvent::Completed, ended_at: at, ..self.job.clone() };
        vec![
            end(instance, true),
            end(task, true),
            end(job, true),
            end(self.variable.clone(), true),
            end(ElementInstance { state: Lifecycle::Completed, ended_at: at, ..last }, false),
        ]
    }
}

/// Rows that are inserted, overwritten or deleted.
pub fn row_operations(changes: &[Change]) -> usize {
    changes
        .iter()
        .map(|change| if matches!(change, Change::End { was_stored: true, .. }) { 2 } else { 1 })
        .sum()
}

pub fn put<E>(entity: E) -> Change
where
    Arc<E>: Into<Entity>,
{
    Change::Put(Arc::new(entity).into())
}

pub fn end<E>(entity: E, was_stored: bool) -> Change
where
    Arc<E>: Into<Entity>,
{
    Change::End { entity: Arc::new(entity).into(), was_stored }
}
