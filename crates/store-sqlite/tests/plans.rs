//! Searches over a large history cost no more than the page and the total that they show.

use std::sync::Arc;
use tidemill_model::PartitionId;
use tidemill_store::query::{Order, Page, PageStart, ProcessInstanceField, Search, Searches};
use tidemill_store_conformance::history::fill;
use tidemill_store_conformance::{Session, lists_over_history, searches_over_history};
use tidemill_store_sqlite::{Options, SqliteStore};

const INSTANCES: usize = 50_000;
/// Steps of a page. Reading every instance takes ten times as many.
const PAGE_STEPS_MAX: u64 = 100_000;
/// Steps of a total, which is counted up to ten thousand.
const COUNT_STEPS_MAX: u64 = 800_000;

#[tokio::test(flavor = "multi_thread")]
async fn searches_read_what_they_show_and_not_what_there_is() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Arc::new(SqliteStore::open(&Options::new(directory.path().join("t.db"))).expect("opens"));
    let session = Session::take(store.clone(), PartitionId::FIRST).await;
    let history = &fill(&session, INSTANCES).await;
    let mut failures = Vec::new();
    macro_rules! check {
        ($name:literal, $search:expr) => {
            let work = store.work_of(&$search).await.expect("searches");
            println!("{:40} {:8} {:8}", $name, work.page, work.count);
            if work.page > PAGE_STEPS_MAX || work.count > COUNT_STEPS_MAX {
                failures.push(format!("{}: {} + {} steps\n{}", $name, work.page, work.count, work.plan));
            }
        };
    }
    searches_over_history!(history, check);
    lists_over_history!(history, check);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_hundredth_page_costs_as_much_as_the_second() {
    let directory = tempfile::tempdir().expect("a directory");
    let store = Arc::new(SqliteStore::open(&Options::new(directory.path().join("t.db"))).expect("opens"));
    let session = Session::take(store.clone(), PartitionId::FIRST).await;
    fill(&session, 10_000).await;
    let newest = Search::default().sort_by(ProcessInstanceField::StartDate, Order::Descending);
    let mut search = newest.page(Page { limit: 50, start: PageStart::Offset(0) });
    let mut costs = Vec::new();
    for _ in 0..100 {
        let found = store.process_instances(&search).await.expect("searches");
        search.page.start = PageStart::After(found.end_cursor.expect("a full page"));
        costs.push(store.work_of(&search).await.expect("searches").page);
    }
    assert!(costs[98] < 2 * costs[0], "{costs:?}");
}
