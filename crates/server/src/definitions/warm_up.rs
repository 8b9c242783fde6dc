//! Loads the definitions of active instances when a node starts, beside its work, so that the first commands do not wait for them.

use super::DefinitionCache;
use std::collections::BTreeSet;
use std::sync::Arc;
use tidemill_model::DefinitionKey;
use tidemill_model::entity::InstanceState;
use tidemill_store::Result;
use tidemill_store::query::{Filter, Order, Page, ProcessInstanceField, Search, Test};

/// Instances that are looked at: the youngest, which are the most likely to go on soon.
const INSTANCES_MAX: u32 = 5_000;
/// Definitions that are loaded at most.
const DEFINITIONS_MAX: usize = 500;

pub(crate) async fn warm_up(cache: Arc<DefinitionCache>) {
    if !cache.config.warms_up {
        return;
    }
    match load(&cache).await {
        Ok(0) => {}
        Ok(loaded) => tracing::debug!(loaded, "the definitions of active instances are in the cache"),
        Err(error) => tracing::debug!(%error, "could not warm the cache of definitions up; it fills by use"),
    }
}

async fn load(cache: &DefinitionCache) -> Result<usize> {
    let filter = Filter::default().is(ProcessInstanceField::State, Test::eq(InstanceState::Active.name()));
    let page = Page { limit: INSTANCES_MAX, ..Page::default() };
    let found = cache
        .store
        .process_instances(
            &Search::of(filter).sort_by(ProcessInstanceField::StartDate, Order::Descending).page(page),
        )
        .await?;
    let mut seen = BTreeSet::new();
    let definitions: Vec<DefinitionKey> =
        found.items.into_iter().map(|instance| instance.definition).filter(|key| seen.insert(*key)).collect();
    let mut loaded = 0;
    for definition in definitions.into_iter().take(DEFINITIONS_MAX.min(cache.config.entries_max)) {
        let (_, bytes) = cache.fill();
        // The rest comes by use: nothing may be pushed out by what nobody has asked for yet.
        if bytes >= cache.config.bytes_max / 2 {
            break;
        }
        loaded += usize::from(cache.process(definition).await?.is_some());
    }
    Ok(loaded)
}
