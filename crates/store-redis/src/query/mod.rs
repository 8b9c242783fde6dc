//! Get and search: a planner finds the instances that can matter, their rows are fetched, and plain Rust does the rest.

mod candidates;
mod fetch;
mod filter;
mod statistics;

use crate::store::RedisStore;
use async_trait::async_trait;
use fetch::{Depth, Fetched};
use filter::{is_about_jobs, needs_tree, without_related};
use std::time::{Duration, Instant};
use tidemill_model::{DefinitionKey, ElementInstanceKey, Key, ProcessInstanceKey, TenantId};
use tidemill_store::query::plain::find;
use tidemill_store::query::*;
use tidemill_store::rows::{Tables, Viewed};
use tidemill_store::view::*;
use tidemill_store::{Error, Query, Result};

/// Instances whose rows are in memory at once.
const INSTANCES_PER_STEP: usize = 256;

impl RedisStore {
    async fn search<F: Viewed>(&self, search: &Search<F>) -> Result<Results<F::View>> {
        let catalog = self.catalog().await?;
        let deployed = Fetched { live: catalog.rows.clone(), history: Tables::default() };
        if Kind::of::<F>() == Kind::Deployed {
            return deployed.views().search(search);
        }
        // Before anything is read: a cursor of another search is refused at once.
        find::<F>([], search, &deployed.views())?;
        let mut passing = deployed.views().passing(search);
        let base = self.base::<F>(&search.filter).await?;
        let candidates = self.narrowed::<F>(&base, &search.filter).await?;
        let step = if needs_tree(&search.filter) { candidates.len().max(1) } else { INSTANCES_PER_STEP };
        let begin = Instant::now();
        for part in candidates.chunks(step) {
            let depth = Depth::of::<F>(&search.filter);
            passing.extend(self.fetch(&base, part, depth).await?.views().passing(search));
            let limit_ms = self.options.search_limit_ms;
            if begin.elapsed() > Duration::from_millis(limit_ms) {
                return Err(Error::TooSlow { limit_ms });
            }
        }
        let all = Search { filter: Filter::default(), ..search.clone() };
        find(passing, &all, &deployed.views())
    }

    /// Definitions, and leases where jobs are looked at. Nothing of it is found by itself.
    async fn base<F: Viewed>(&self, filter: &Filter<F>) -> Result<Tables> {
        let process_definitions = self.catalog().await?.rows.process_definitions.clone();
        let mut base = Tables { process_definitions, ..Tables::default() };
        if is_about_jobs(filter) {
            self.put_leases(&mut base).await?;
        }
        Ok(base)
    }

    /// Candidates that also pass the conditions on their own row, where others must be looked up for each of them.
    async fn narrowed<F: Viewed>(
        &self,
        base: &Tables,
        filter: &Filter<F>,
    ) -> Result<Vec<ProcessInstanceKey>> {
        let candidates = self.candidates(filter).await?;
        if Kind::of::<F>() != Kind::Instances || filter.related() == 0 || needs_tree(filter) {
            return Ok(candidates);
        }
        let own = Search::of(without_related(filter));
        let mut narrowed = Vec::new();
        for part in candidates.chunks(INSTANCES_PER_STEP) {
            let fetched = self.fetch(base, part, Depth::Instances).await?;
            narrowed.extend(fetched.views().passing(&own).iter().filter_map(F::instance));
        }
        Ok(narrowed)
    }

    async fn single<F: Viewed>(&self, key: i64) -> Result<Option<F::View>> {
        let (instance, depth) = match Kind::of::<F>() {
            Kind::Instances => (Some(ProcessInstanceKey(key)), Depth::Instances),
            _ => (self.instances_by_key(&[Key(key)]).await?.remove(0), Depth::Everything),
        };
        let Some(instance) = instance else { return Ok(None) };
        let base = self.base::<F>(&Filter::default()).await?;
        Ok(self.fetch(&base, &[instance], depth).await?.views().single::<F>(key))
    }

    /// One instance with everything that it has and had.
    async fn whole(&self, instance: ProcessInstanceKey) -> Result<Fetched> {
        let base = self.base::<ProcessInstanceField>(&Filter::default()).await?;
        self.fetch(&base, &[instance], Depth::Everything).await
    }
}

/// Where the rows of a search are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Deployed,
    Instances,
    /// They belong to instances.
    Belongings,
}

impl Kind {
    pub(super) fn of<F: Field>() -> Kind {
        let name = F::key().name();
        if name == ProcessDefinitionField::key().name() || name == ResourceField::key().name() {
            Kind::Deployed
        } else if name == ProcessInstanceField::key().name() {
            Kind::Instances
        } else {
            Kind::Belongings
        }
    }
}

tidemill_store::implement_searches!(RedisStore);

#[async_trait]
impl Query for RedisStore {
    async fn visible_variables(&self, scope: ElementInstanceKey) -> Result<Vec<VariableView>> {
        let instance = self.instances_by_key(&[scope.key()]).await?.remove(0);
        let fetched = self.whole(instance.unwrap_or(ProcessInstanceKey(scope.0))).await?;
        Ok(fetched.views().visible_variables(scope))
    }

    async fn flows_taken(&self, instance: ProcessInstanceKey) -> Result<Option<FlowsTaken>> {
        let base = self.base::<ProcessInstanceField>(&Filter::default()).await?;
        Ok(self.fetch(&base, &[instance], Depth::Instances).await?.views().flows_taken(instance))
    }

    async fn call_hierarchy(&self, instance: ProcessInstanceKey) -> Result<Option<Vec<CallHierarchyEntry>>> {
        let base = self.base::<ProcessInstanceField>(&Filter::default()).await?;
        let mut above = vec![instance];
        loop {
            let fetched = self.fetch(&base, &above, Depth::Instances).await?;
            let last = above.last().copied().unwrap_or(instance);
            let parent =
                fetched.views().single::<ProcessInstanceField>(last.0).and_then(|row| row.parent_instance);
            match parent.filter(|parent| !above.contains(parent)) {
                Some(parent) => above.push(parent),
                None => return Ok(fetched.views().call_hierarchy(instance)),
            }
        }
    }

    async fn instance_statistics(&self, instance: ProcessInstanceKey) -> Result<Vec<ElementStatistics>> {
        Ok(self.whole(instance).await?.views().instance_statistics(instance))
    }

    async fn definition_statistics(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>> {
        match filter.all.is_empty() {
            true => self.all_elements(definition).await,
            false => self.filtered_elements(definition, filter).await,
        }
    }

    async fn process_statistics(&self) -> Result<Vec<ProcessStatistics>> {
        let (deployed, active) = self.counted().await?;
        Ok(deployed.views().count_processes(|definitions| active.of(definitions)))
    }

    async fn version_statistics(
        &self,
        tenant: Option<&TenantId>,
        process_id: &str,
    ) -> Result<Vec<VersionStatistics>> {
        let (deployed, active) = self.counted().await?;
        let views = deployed.views();
        Ok(views.count_versions(tenant, process_id, |definitions| active.of(definitions)))
    }

    async fn error_statistics(&self) -> Result<Vec<ErrorStatistics>> {
        self.errors().await
    }
}
