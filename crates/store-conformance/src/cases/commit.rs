//! A batch takes effect as a whole, and only then.

use super::{end, put, remove};
use crate::{Place, Session};
use tidemill_model::entity::Lifecycle;
use tidemill_model::{Entity, Need, PartitionId, TenantId, Timestamp};
use tidemill_store::query::{ElementInstanceField, Filter, Search, Test};
use tidemill_store::{Batch, BatchId, Error, IdempotentAnswer, NewInboxEntry};

pub async fn a_batch_is_all_or_nothing(place: &dyn Place) {
    let session = Session::open(place).await;
    let definition = session.make.definition("p", 1);
    session.commit(vec![put(&definition)]).await;
    let instance = session.make.instance(definition.key);
    // The same id and version under another key: no store can take it.
    let twin = session.make.definition("p", 1);
    let entry = NewInboxEntry { partition: PartitionId(1), received_at: Timestamp(1), payload: vec![1] };
    let batch = Batch { outgoing: vec![entry], ..session.batch(vec![put(&instance), put(&twin)]) };
    let id = batch.id;
    let refused = session.store.commit(batch).await;
    let Err(Error::Refused { culprit: Some(culprit), .. }) = refused else { panic!("{refused:?}") };
    assert_eq!(culprit.key, twin.key.0);
    assert!(session.store.process_instance(instance.key).await.expect("reads").is_none());
    assert!(session.store.waiting(PartitionId(1), 9).await.expect("reads").is_empty());
    assert!(!session.store.has_batch(PartitionId(1), id).await.expect("reads"));
    session.commit(vec![put(&instance)]).await;
    assert!(session.store.process_instance(instance.key).await.expect("reads").is_some());
}

pub async fn a_row_is_put_changed_and_removed(place: &dyn Place) {
    let session = Session::open(place).await;
    let mut instance = session.make.instance(session.make.key());
    let element = session.make.element(&instance, instance.key.scope(), "task");
    session.commit(vec![put(&instance), put(&element)]).await;
    instance.incidents = 1;
    session.commit(vec![put(&instance), remove(&element)]).await;
    let loaded = session.load(Need::Instance(instance.key)).await;
    assert_eq!(loaded.entities, [Entity::ProcessInstance(instance.clone().into())]);
    let view = session.store.process_instance(instance.key).await.expect("reads").expect("there");
    assert!(view.has_incident);
    assert!(session.store.element_instance(element.key).await.expect("reads").is_none());
}

pub async fn what_ends_moves_to_history(place: &dyn Place) {
    let session = Session::open(place).await;
    let instance = session.make.instance(session.make.key());
    let mut lived = session.make.element(&instance, instance.key.scope(), "lived");
    let mut flashed = session.make.element(&instance, instance.key.scope(), "flashed");
    let variable = session.make.variable(&instance, lived.key, "x", "1");
    session.commit(vec![put(&instance), put(&lived), put(&variable)]).await;
    (lived.state, lived.ended_at) = (Lifecycle::Completed, Some(Timestamp(200)));
    (flashed.state, flashed.ended_at) = (Lifecycle::Terminated, Some(Timestamp(201)));
    session.commit(vec![end(&lived, true), end(&flashed, false), end(&variable, true)]).await;
    let loaded = session.load(Need::Instance(instance.key)).await;
    assert_eq!(loaded.entities.len(), 1, "the engine sees live rows only: {loaded:?}");
    let of_instance =
        Filter::default().is(ElementInstanceField::ProcessInstance, Test::eq(instance.key.key()));
    let found = session.store.element_instances(&Search::of(of_instance)).await.expect("searches");
    let shown: Vec<_> =
        found.items.iter().map(|e| (e.element_id.as_str(), e.state.name(), e.ended_at)).collect();
    assert_eq!(
        shown,
        [("lived", "COMPLETED", Some(Timestamp(200))), ("flashed", "TERMINATED", Some(Timestamp(201)))]
    );
    assert!(session.store.variable(variable.key).await.expect("reads").is_some());
}

pub async fn the_batch_log_settles_unknown_outcomes(place: &dyn Place) {
    let session = Session::open(place).await;
    let batch = session.batch(Vec::new());
    let id = batch.id;
    assert!(!session.store.has_batch(PartitionId(1), id).await.expect("reads"));
    session.store.commit(batch.clone()).await.expect("commits");
    assert!(session.store.has_batch(PartitionId(1), id).await.expect("reads"));
    assert!(!session.store.has_batch(PartitionId(2), id).await.expect("reads"));
    assert!(!session.store.has_batch(PartitionId(1), BatchId(id.0 + 1)).await.expect("reads"));
    assert!(session.store.commit(batch).await.is_err(), "a batch is never written twice");
}

pub async fn keys_outside_the_block_are_refused(place: &dyn Place) {
    let session = Session::open(place).await;
    let beyond = Batch { highest_key: 1 << 40, ..session.batch(Vec::new()) };
    assert!(matches!(session.store.commit(beyond).await, Err(Error::Refused { .. })));
}

pub async fn answers_are_kept_for_retries(place: &dyn Place) {
    let session = Session::open(place).await;
    let answer = |tenant: &str, key: &str| IdempotentAnswer {
        tenant: TenantId(tenant.into()),
        key: key.into(),
        body_hash: -5,
        answer: vec![1, 2],
        created_at: Timestamp(77),
    };
    let batch = Batch { answers: vec![answer("a", "k"), answer("b", "k")], ..session.batch(Vec::new()) };
    session.store.commit(batch).await.expect("commits");
    let keys = [(TenantId("a".into()), "k".into()), (TenantId("c".into()), "k".into())];
    let found = session.store.answers(PartitionId(1), &keys).await.expect("reads");
    assert_eq!(found, [Some(answer("a", "k")), None]);
    assert_eq!(session.store.answers(PartitionId(2), &keys[..1]).await.expect("reads"), [None]);
    let twice = Batch { answers: vec![answer("a", "k")], ..session.batch(Vec::new()) };
    assert!(session.store.commit(twice).await.is_err(), "a key is answered once");
}

pub async fn late_answers_replace_what_was_noted_before(place: &dyn Place) {
    let session = Session::open(place).await;
    let answer = |content: u8, created_at: i64| IdempotentAnswer {
        tenant: TenantId("a".into()),
        key: "k".into(),
        body_hash: -5,
        answer: vec![content],
        created_at: Timestamp(created_at),
    };
    for (content, created_at) in [(1, 77), (2, 78)] {
        let batch = Batch { late_answers: vec![answer(content, created_at)], ..session.batch(Vec::new()) };
        session.store.commit(batch).await.expect("commits");
        let keys = [(TenantId("a".into()), "k".into())];
        let found = session.store.answers(PartitionId(1), &keys).await.expect("reads");
        assert_eq!(found, [Some(answer(content, created_at))]);
    }
}

pub async fn commits_of_many_partitions_run_together(place: &dyn Place) {
    let store = place.open().await;
    let mut tasks = Vec::new();
    for partition in 1..=super::PARTITIONS {
        let session = Session::take(store.clone(), PartitionId(partition)).await;
        tasks.push(tokio::spawn(async move {
            for n in 0..50 {
                let instance = session.make.instance(session.make.key());
                if n % 10 == 3 {
                    // A batch that is refused takes none of its neighbours with it.
                    let beyond = Batch { highest_key: 1 << 40, ..session.batch(vec![put(&instance)]) };
                    assert!(session.store.commit(beyond).await.is_err());
                } else {
                    session.commit(vec![put(&instance)]).await;
                }
            }
        }));
    }
    for task in tasks {
        task.await.expect("no panic");
    }
    let found = store.process_instances(&Search::default()).await.expect("searches");
    assert_eq!(found.total, u64::from(super::PARTITIONS) * 45);
}
