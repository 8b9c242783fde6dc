//! Forgetting what has served its time, and nothing else.

use super::{end, put};
use crate::{Place, Session};
use tidemill_model::entity::{ElementInstance, Lifecycle, ProcessInstance};
use tidemill_model::{PartitionId, ProcessInstanceKey, TenantId, Timestamp};
use tidemill_store::query::{Filter, Search};
use tidemill_store::{Batch, CommandOutcome, CommandResult, Deletion, IdempotentAnswer, Position};

/// An instance that has ended at this time, with an element and a variable.
async fn ended(session: &Session, at: i64) -> ProcessInstance {
    let instance = ProcessInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(at)),
        ..session.make.instance(session.make.key())
    };
    let element = ElementInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(at)),
        ..session.make.element(&instance, instance.key.scope(), "task")
    };
    let variable = session.make.variable(&instance, instance.key.scope(), "x", "1");
    session.commit(vec![end(&instance, false), end(&element, false), end(&variable, false)]).await;
    instance
}

async fn rows(session: &Session) -> [u64; 3] {
    let store = &session.store;
    [
        store.process_instances(&Search::default()).await.expect("searches").total,
        store.element_instances(&Search::default()).await.expect("searches").total,
        store.variables(&Search::default()).await.expect("searches").total,
    ]
}

pub async fn an_ended_instance_can_be_deleted(place: &dyn Place) {
    let session = Session::open(place).await;
    let (first, second) = (ended(&session, 10).await, ended(&session, 10).await);
    let counted = async |of: &ProcessInstance| {
        session.store.definition_statistics(of.definition, &Filter::default()).await.expect("counts").len()
    };
    assert_eq!([counted(&first).await, counted(&second).await], [1, 1]);
    let live = session.make.instance(session.make.key());
    session.commit(vec![put(&live)]).await;
    let delete = |key| session.store.delete_instance(key);
    assert_eq!(delete(live.key).await.expect("asks"), Deletion::StillActive);
    assert_eq!(delete(ProcessInstanceKey(5)).await.expect("asks"), Deletion::NotFound);
    assert_eq!(delete(first.key).await.expect("asks"), Deletion::Deleted);
    assert_eq!(delete(first.key).await.expect("asks"), Deletion::NotFound);
    assert_eq!(rows(&session).await, [2, 1, 1]);
    assert_eq!([counted(&first).await, counted(&second).await], [0, 1]);
}

pub async fn old_history_goes(place: &dyn Place) {
    let session = Session::open(place).await;
    for at in [10, 20, 30, 40] {
        ended(&session, at).await;
    }
    // An element of a running instance has ended long ago: it stays as long as its instance.
    let live = session.make.instance(session.make.key());
    let old = session.make.element(&live, live.key.scope(), "old");
    session.commit(vec![put(&live), end(&old, false)]).await;
    assert_eq!(session.store.purge_history(Timestamp(30), 1).await.expect("purges"), 1);
    assert_eq!(session.store.purge_history(Timestamp(30), 10).await.expect("purges"), 1);
    assert_eq!(session.store.purge_history(Timestamp(30), 10).await.expect("purges"), 0);
    assert_eq!(rows(&session).await, [3, 3, 2]);
}

pub async fn old_results_and_logs_go(place: &dyn Place) {
    let session = Session::open(place).await;
    let mut ids = Vec::new();
    for at in [10, 20, 30] {
        let answer = IdempotentAnswer {
            tenant: TenantId::default(),
            key: format!("{at}").into(),
            body_hash: 1,
            answer: vec![],
            created_at: Timestamp(at),
        };
        let batch = Batch {
            at: Timestamp(at),
            results: vec![CommandResult { position: Position(at), answer: vec![1] }],
            answers: vec![answer],
            ..session.batch(Vec::new())
        };
        ids.push(batch.id);
        session.store.commit(batch).await.expect("commits");
    }
    let store = &session.store;
    assert_eq!(store.purge_results(Timestamp(20), 10).await.expect("purges"), 1);
    assert_eq!(store.outcome(Position(10)).await.expect("reads"), CommandOutcome::Unknown);
    assert_ne!(store.outcome(Position(20)).await.expect("reads"), CommandOutcome::Unknown);
    assert_eq!(store.purge_idempotency(Timestamp(20), 10).await.expect("purges"), 1);
    let keys = [(TenantId::default(), "10".into()), (TenantId::default(), "20".into())];
    let answers = store.answers(PartitionId(1), &keys).await.expect("reads");
    assert!(answers[0].is_none() && answers[1].is_some());
    assert_eq!(store.purge_batches(Timestamp(1_000), 10).await.expect("purges"), 2);
    assert!(!store.has_batch(PartitionId(1), ids[1]).await.expect("reads"));
    assert!(store.has_batch(PartitionId(1), ids[2]).await.expect("reads"), "the last one stays");
}
