//! How fast the file takes batches, and how long searches take over what they leave behind.
//! `cargo run --release -p tidemill-store-sqlite --example measure -- [instances] [instances per batch]`

use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_model::entity::*;
use tidemill_model::{Change, Need, PartitionId};
use tidemill_store::query::*;
use tidemill_store::{LIST_ROWS_MAX, Store};
use tidemill_store_conformance::Session;
use tidemill_store_conformance::one_task::{OneTask, put, row_operations};
use tidemill_store_sqlite::{Options, SqliteStore};

#[tokio::main]
async fn main() {
    let mut arguments = std::env::args().skip(1).map(|argument| argument.parse::<usize>().expect("a number"));
    let (instances, per_batch) = (arguments.next().unwrap_or(50_000), arguments.next().unwrap_or(500));
    let directory = tempfile::tempdir().expect("a directory");
    let path = directory.path().join("store.db");
    let store: Arc<dyn Store> = Arc::new(SqliteStore::open(&Options::new(&path)).expect("opens"));
    let session = Session::take(store, PartitionId::FIRST).await;
    let definition = session.make.definition("order", 1);
    session.commit(vec![put(definition.clone())]).await;

    // Six keys an instance; the blocks of a lone owner follow each other.
    for _ in 0..instances * 6 / (1 << 20) {
        session.store.reserve_keys(&session.fence, 1).await.expect("reserves");
    }

    let mut last = Vec::new();
    let mut rows = 0;
    let (mut writing, mut loading) = (Duration::ZERO, Duration::ZERO);
    for first in (0..instances).step_by(per_batch) {
        let begun: Vec<OneTask> =
            (first..first + per_batch).map(|n| OneTask::begin(&session, &definition, n)).collect();
        let mut changes: Vec<Change> = begun.iter().flat_map(|live| live.begin_changes(&session)).collect();
        rows += row_operations(&changes);
        writing += commit(&session, changes).await;
        let needs: Vec<Need> = begun.iter().map(|live| Need::instance_of::<Job>(live.job.key)).collect();
        let started = Instant::now();
        session.store.load(session.fence.partition, &needs, LIST_ROWS_MAX).await.expect("loads");
        loading += started.elapsed();
        changes = begun.iter().flat_map(|live| live.end_changes(&session)).collect();
        rows += row_operations(&changes);
        writing += commit(&session, changes).await;
        last = begun;
    }
    let seconds = writing.as_secs_f64();
    let bytes = std::fs::metadata(&path).expect("the file").len();
    println!(
        "{instances} one-task instances, {per_batch} per batch, {} bytes each",
        bytes / instances as u64
    );
    println!(
        "  commit: {:.0} instances/s, {:.0} row operations/s",
        instances as f64 / seconds,
        rows as f64 / seconds
    );
    println!("  load by job key: {:.1} µs an instance", loading.as_secs_f64() * 1e6 / instances as f64);
    searches(&session, &definition, &last[0].instance).await;
}

async fn commit(session: &Session, changes: Vec<Change>) -> Duration {
    let started = Instant::now();
    session.commit(changes).await;
    started.elapsed()
}

async fn searches(session: &Session, definition: &ProcessDefinition, instance: &ProcessInstance) {
    use ProcessInstanceField as P;
    let store = &session.store;
    let page = |limit| Page { limit, start: PageStart::Offset(0) };
    let instances = async |name: &str, search: Search<P>| {
        time(name, async || store.process_instances(&search).await.expect("searches").total).await;
    };
    let by_definition = Filter::default().is(P::DefinitionKey, Test::eq(definition.key.key()));
    let completed = by_definition.clone().is(P::State, Test::eq("COMPLETED"));
    let variable = Condition::HasVariable {
        scope: VariableScope::Anywhere,
        name: "orderId".into(),
        value: vec![Test::eq("\"777\"")],
    };
    instances("instances, first page", Search::default()).await;
    instances("instances of a definition", Search::of(by_definition).page(page(50))).await;
    instances(
        "completed instances of a process id",
        Search::of(completed.clone().is(P::ProcessId, Test::eq("order"))),
    )
    .await;
    instances("completed, newest first", Search::of(completed).sort_by(P::StartDate, Order::Descending))
        .await;
    instances("by key, newest first", Search::default().sort_by(P::Key, Order::Descending)).await;
    instances("by business id", Search::of(Filter::default().is(P::BusinessId, Test::eq("order-770")))).await;
    instances("by variable value", Search::of(Filter::default().and(variable))).await;
    instances("active instances", Search::of(Filter::default().is(P::State, Test::eq("ACTIVE")))).await;
    let elements =
        Search::of(Filter::default().is(ElementInstanceField::ProcessInstance, Test::eq(instance.key.key())));
    time("elements of an instance", async || {
        store.element_instances(&elements).await.expect("searches").total
    })
    .await;
    let values = Search::of(
        Filter::default()
            .is(VariableField::Name, Test::eq("orderId"))
            .is(VariableField::Value, Test::eq("\"777\"")),
    );
    time("variables by name and value", async || store.variables(&values).await.expect("searches").total)
        .await;
    let of_instance =
        Search::of(Filter::default().is(VariableField::ProcessInstance, Test::eq(instance.key.key())));
    time("variables of an instance", async || store.variables(&of_instance).await.expect("searches").total)
        .await;
    time("one instance", async || {
        store.process_instance(instance.key).await.expect("reads").map_or(0, |_| 1)
    })
    .await;
    time("element counts of a definition", async || {
        store.definition_statistics(definition.key, &Filter::default()).await.expect("counts").len() as u64
    })
    .await;
    let incidents = Search::of(Filter::default().and(Condition::WithinInstance(instance.key)));
    time("incidents below an instance", async || store.incidents(&incidents).await.expect("searches").total)
        .await;
    let below = Search::of(Filter::default().and(Condition::WithinElement(instance.key.scope())));
    time("incidents below an element", async || store.incidents(&below).await.expect("searches").total).await;
}

async fn time(name: &str, mut run: impl AsyncFnMut() -> u64) {
    let total = run().await;
    let mut best = Duration::MAX;
    for _ in 0..5 {
        let started = Instant::now();
        run().await;
        best = best.min(started.elapsed());
    }
    println!("  {name}: {:.2} ms, {total} found", best.as_secs_f64() * 1e3);
}
