//! Everything that a store can tell, as one text: two stores with the same content give the same.

use std::fmt::Write;
use tidemill_model::{ElementInstanceKey, Need, PartitionId, Timestamp};
use tidemill_store::Store;
use tidemill_store::query::{Field, Page, PageStart, Results, Search};

/// More than any test makes.
const ALL: u32 = 100_000;

pub async fn dump(store: &dyn Store) -> String {
    let mut text = String::new();
    let instances = store.process_instances(&all()).await.expect("searches");
    let needs: Vec<Need> = instances.items.iter().map(|instance| Need::Instance(instance.key)).collect();
    for instance in &instances.items {
        let flows = store.flows_taken(instance.key).await.expect("reads");
        let visible = store.visible_variables(ElementInstanceKey(instance.key.0)).await.expect("reads");
        line(&mut text, "flows", &flows);
        line(&mut text, "visible", &visible);
        line(&mut text, "counts", &store.instance_statistics(instance.key).await.expect("counts"));
    }
    macro_rules! pages {
        ([] $($search:ident($field:ident) $(, $get:ident($key:ident))?;)+) => {
            $(page(&mut text, stringify!($search), &store.$search(&all()).await.expect("searches"));)+
        };
    }
    tidemill_store::for_each_search!([pages] []);
    for mut loaded in store.load(PartitionId::FIRST, &needs, ALL).await.expect("loads") {
        // The order of an instance's entities is not promised.
        loaded.entities.sort_by_key(|entity| format!("{entity:?}"));
        line(&mut text, "loaded", &loaded);
    }
    for partition in store.partition_count().ids() {
        partition_lines(&mut text, store, partition).await;
    }
    text
}

async fn partition_lines(text: &mut String, store: &dyn Store, partition: PartitionId) {
    let timers = store.timers(partition, None, Timestamp::MAX, ALL as usize).await.expect("reads");
    let leases = store.load(partition, &[Need::Leases], ALL).await.expect("loads");
    line(text, "timers", &timers);
    line(text, "leases", &leases);
    for entry in store.waiting(partition, ALL as usize).await.expect("reads") {
        line(text, "inbox", &(partition, entry.received_at, entry.payload));
    }
}

fn all<F: Field>() -> Search<F> {
    Search::default().page(Page { limit: ALL, start: PageStart::Offset(0) })
}

fn page<V: std::fmt::Debug>(text: &mut String, name: &str, results: &Results<V>) {
    for item in &results.items {
        line(text, name, item);
    }
}

fn line(text: &mut String, name: &str, value: &dyn std::fmt::Debug) {
    writeln!(text, "{name}: {value:?}").expect("a string takes everything");
}
