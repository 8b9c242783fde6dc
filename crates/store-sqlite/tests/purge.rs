//! Forgetting much at once: in steps of bounded work, with commits in between.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use tidemill_model::entity::{ElementInstance, Lifecycle, ProcessInstance};
use tidemill_model::{Change, Entity, PartitionId, Timestamp};
use tidemill_store::Store;
use tidemill_store::query::{Filter, Search};
use tidemill_store_conformance::Session;
use tidemill_store_sqlite::{Options, SqliteStore, Step};

const ROWS: usize = 100_000;
/// Rows that one transaction may remove.
const ROWS_PER_STEP: usize = 1_000;

fn end<E>(entity: E) -> Change
where
    Arc<E>: Into<Entity>,
{
    Change::End { entity: Arc::new(entity).into(), was_stored: false }
}

/// An instance that has ended with many elements.
async fn large(session: &Session) -> ProcessInstance {
    let instance = ProcessInstance {
        state: Lifecycle::Completed,
        ended_at: Some(Timestamp(10)),
        ..session.make.instance(session.make.key())
    };
    session.commit(vec![end(instance.clone())]).await;
    for _ in 0..ROWS / 5_000 {
        let elements = (0..5_000).map(|_| {
            end(ElementInstance {
                state: Lifecycle::Completed,
                ended_at: Some(Timestamp(10)),
                ..session.make.element(&instance, instance.key.scope(), "task")
            })
        });
        session.commit(elements.collect()).await;
    }
    instance
}

#[tokio::test(flavor = "multi_thread")]
async fn a_large_instance_goes_in_steps_and_commits_go_on() {
    let directory = tempfile::tempdir().expect("a directory");
    let transactions = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&transactions);
    let options = Options {
        on_step: Some(Arc::new(move |step| {
            if step == Step::Committed {
                counted.fetch_add(1, Ordering::Relaxed);
            }
        })),
        ..Options::new(directory.path().join("store.db"))
    };
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&options).expect("opens"));
    let session = Session::take(Arc::clone(&store), PartitionId::FIRST).await;
    let purged = large(&session).await;
    let live = session.make.instance(session.make.key());
    session.put([Arc::new(live)]).await;

    let before = transactions.load(Ordering::Relaxed);
    let is_over = Arc::new(AtomicBool::new(false));
    let removal = {
        let (store, is_over) = (Arc::clone(&store), Arc::clone(&is_over));
        tokio::spawn(async move {
            assert_eq!(store.purge_history(Timestamp(20), 1).await.expect("purges"), 1);
            is_over.store(true, Ordering::Relaxed);
        })
    };
    let mut commits = 0;
    while !is_over.load(Ordering::Relaxed) {
        session.commit(Vec::new()).await;
        commits += 1;
    }
    removal.await.expect("no panic");
    let steps = transactions.load(Ordering::Relaxed) - before;
    assert!(steps >= ROWS / ROWS_PER_STEP, "{ROWS} rows went in {steps} transactions");
    assert!(commits >= 20, "only {commits} commits got their turn");
    let left = store.definition_statistics(purged.definition, &Filter::default()).await.expect("counts");
    assert_eq!(left.len(), 0, "counts follow: {left:?}");
    assert_eq!(store.element_instances(&Search::default()).await.expect("searches").total, 0);
    assert_eq!(store.process_instances(&Search::default()).await.expect("searches").total, 1);
}
