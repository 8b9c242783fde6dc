//! After a restart the store has exactly what was committed.

use crate::workload::Workload;
use crate::{Place, Session, dump};
use std::collections::BTreeMap;
use tidemill_model::entity::Lifecycle;
use tidemill_model::{Change, Entity, Need};
use tidemill_store::LIST_ROWS_MAX;

pub async fn everything_is_there_after_reopening(place: &dyn Place) {
    let before = {
        let session = Session::open(place).await;
        let mut workload = Workload::new(42);
        for _ in 0..60 {
            session.store.commit(workload.next(&session.fence)).await.expect("commits");
        }
        dump(&*session.store).await
    };
    assert!(before.lines().count() > 500, "the workload is worth its name");
    let store = place.open().await;
    assert_eq!(dump(&*store).await, before);
}

/// The live instances that the changes of the workload leave are those that the store loads.
pub async fn a_random_workload_equals_its_model(place: &dyn Place) {
    let session = Session::open(place).await;
    let mut workload = Workload::new(7);
    let mut live: BTreeMap<i64, Entity> = BTreeMap::new();
    let mut ended = 0;
    for _ in 0..100 {
        let batch = workload.next(&session.fence);
        for change in &batch.changes {
            match change {
                Change::Put(Entity::ProcessInstance(instance)) => {
                    live.insert(instance.key.0, Entity::ProcessInstance(instance.clone()));
                }
                Change::End { entity: Entity::ProcessInstance(instance), .. } => {
                    assert_eq!(instance.state, Lifecycle::Completed);
                    live.remove(&instance.key.0);
                    ended += 1;
                }
                _ => {}
            }
        }
        session.store.commit(batch).await.expect("commits");
    }
    assert!(ended > 50 && live.len() > 20);
    let needs: Vec<Need> =
        live.keys().map(|key| Need::Instance(tidemill_model::ProcessInstanceKey(*key))).collect();
    let loaded = session.store.load(session.fence.partition, &needs, LIST_ROWS_MAX).await.expect("loads");
    for (expected, loaded) in live.values().zip(loaded) {
        let kept = loaded.entities.iter().find(|entity| matches!(entity, Entity::ProcessInstance(_)));
        assert_eq!(kept, Some(expected));
    }
    let all = session.store.process_instances(&Default::default()).await.expect("searches");
    assert_eq!(all.total, live.len() as u64 + ended);
}
