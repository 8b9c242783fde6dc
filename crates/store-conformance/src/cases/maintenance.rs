//! Forgetting what has served its time, and nothing else.

use super::{end, put};
use crate::{Place, Session};
use tidemill_model::entity::{ElementInstance, Lifecycle, ProcessInstance};
use tidemill_model::{PartitionId, ProcessInstanceKey, Remains, TenantId, Timestamp};
use tidemill_store::query::{Filter, Search};
use tidemill_store::{
    Batch, CommandOutcome, CommandResult, DELETED_ROWS_MAX, Error, IdempotentAnswer, Position,
};

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

async fn remains(session: &Session, instance: ProcessInstanceKey) -> Remains {
    session.store.remains(&[instance]).await.expect("asks").remove(0)
}

async fn delete(session: &Session, instances: &[ProcessInstanceKey]) {
    let batch = Batch { deletions: instances.to_vec(), ..session.batch(Vec::new()) };
    session.store.commit(batch).await.expect("commits");
}

pub async fn an_ended_instance_is_deleted_with_a_commit(place: &dyn Place) {
    let session = Session::open(place).await;
    let (first, second) = (ended(&session, 10).await, ended(&session, 10).await);
    let counted = async |of: &ProcessInstance| {
        session.store.definition_statistics(of.definition, &Filter::default()).await.expect("counts").len()
    };
    assert_eq!([counted(&first).await, counted(&second).await], [1, 1]);
    let live = session.make.instance(session.make.key());
    session.commit(vec![put(&live)]).await;
    let whole = Remains { is_ended_instance: true, rows: 2, has_more: false };
    let asked = [first.key, live.key, ProcessInstanceKey(5), second.key];
    let told = session.store.remains(&asked).await.expect("asks");
    assert_eq!(told, [whole, Remains::default(), Remains::default(), whole]);
    delete(&session, &[first.key]).await;
    assert_eq!(remains(&session, first.key).await, Remains::default());
    assert_eq!(rows(&session).await, [2, 1, 1]);
    assert_eq!([counted(&first).await, counted(&second).await], [0, 1]);
    // A deletion that finds no rows deletes nothing.
    delete(&session, &[first.key, ProcessInstanceKey(5)]).await;
    assert_eq!(rows(&session).await, [2, 1, 1]);
}

pub async fn what_ends_in_a_batch_can_be_deleted_by_it(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    session.commit(vec![put(&instance), put(&element)]).await;
    let changes = vec![end(&instance, true), end(&element, true)];
    let batch = Batch { deletions: vec![instance.key], ..session.batch(changes) };
    session.store.commit(batch).await.expect("commits");
    assert_eq!(rows(&session).await, [0, 0, 0]);
    let counts = session.store.definition_statistics(instance.definition, &Filter::default()).await;
    assert_eq!(counts.expect("counts"), []);
}

pub async fn a_large_instance_is_deleted_in_steps(place: &dyn Place) {
    const ELEMENTS: usize = 2 * DELETED_ROWS_MAX + 500;
    let session = Session::open(place).await;
    let (large, other) = (ended(&session, 10).await, ended(&session, 10).await);
    let element = || ElementInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(10)),
        ..session.make.element(&large, large.key.scope(), "task")
    };
    session.commit((0..ELEMENTS).map(|_| end(&element(), false)).collect()).await;
    let mut is_ended_instance = true;
    let mut steps = 0;
    loop {
        let before = rows(&session).await;
        let left = remains(&session, large.key).await;
        assert_eq!(left.is_ended_instance, is_ended_instance, "it is not shown from the first step on");
        if left.rows == 0 {
            break;
        }
        delete(&session, &[large.key]).await;
        is_ended_instance = false;
        let gone: u64 = before[1..].iter().sum::<u64>() - rows(&session).await[1..].iter().sum::<u64>();
        assert!(gone as usize <= DELETED_ROWS_MAX + 1, "{gone} rows went with one commit");
        assert!(left.has_more || gone as usize == left.rows, "{left:?}, {gone} rows went");
        steps += 1;
    }
    assert_eq!(steps, 3);
    assert_eq!(rows(&session).await, [1, 1, 1], "what belongs to the other instance stays");
    let counts = async |of: &ProcessInstance| {
        session.store.definition_statistics(of.definition, &Filter::default()).await.expect("counts").len()
    };
    assert_eq!([counts(&large).await, counts(&other).await], [0, 1]);
}

pub async fn a_stale_owner_cannot_delete(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = ended(&session, 10).await;
    let fence = &session.fence;
    let taken = session.store.acquire(fence.partition, &fence.holder, 60_000).await.expect("asks");
    assert!(taken.is_some_and(|owned| owned.fence.epoch > fence.epoch));
    let batch = Batch { deletions: vec![instance.key], ..session.batch(Vec::new()) };
    let refused = session.store.commit(batch).await;
    assert!(matches!(refused, Err(Error::Fenced { .. })), "{refused:?}");
    assert_eq!(rows(&session).await, [1, 1, 1]);
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
