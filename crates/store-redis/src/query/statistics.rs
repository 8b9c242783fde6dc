//! Counts. Ended elements and live instances are counted as they come and go.

use super::fetch::{Depth, Fetched};
use crate::entry::read;
use crate::store::RedisStore;
use std::collections::BTreeMap;
use tidemill_model::{DefinitionKey, Text};
use tidemill_store::Result;
use tidemill_store::query::{Condition, Filter, ProcessInstanceField, Search, Test};
use tidemill_store::rows::Tables;
use tidemill_store::view::{ElementStatistics, ErrorStatistics};

/// Live instances of each definition, without and with an incident.
pub(super) struct Active(BTreeMap<i64, [u64; 2]>);

impl Active {
    pub(super) fn of(&self, definitions: &[DefinitionKey]) -> [u64; 2] {
        let counts = definitions.iter().filter_map(|definition| self.0.get(&definition.0));
        counts.fold([0, 0], |sum, count| [sum[0] + count[0], sum[1] + count[1]])
    }
}

impl RedisStore {
    pub(super) async fn counted(&self) -> Result<(Fetched, Active)> {
        let catalog = self.catalog().await?;
        let mut pipeline = redis::pipe();
        for (_, keys) in self.space.all() {
            pipeline.cmd("HGETALL").arg(keys.named("active-counts"));
        }
        let mut active: BTreeMap<i64, [u64; 2]> = BTreeMap::new();
        for answer in self.read_all(pipeline).await? {
            for (definition, count) in read::<Vec<(String, u64)>>(answer)? {
                let has_incident = usize::from(definition.ends_with('!'));
                if let Ok(key) = definition.trim_end_matches('!').parse() {
                    active.entry(key).or_default()[has_incident] += count;
                }
            }
        }
        Ok((Fetched { live: catalog.rows.clone(), history: Tables::default() }, Active(active)))
    }

    /// Over all instances of a definition: what has ended was counted, what lives is looked at.
    pub(super) async fn all_elements(&self, definition: DefinitionKey) -> Result<Vec<ElementStatistics>> {
        let mut counts = Counts::default();
        for (_, keys) in self.space.all() {
            let counted = self.read(redis::cmd("HGETALL").arg(keys.counts(definition))).await?;
            for (field, count) in read::<Vec<(String, u64)>>(counted)? {
                counts.add_ended(&field, count);
            }
            let live = self.active_in(keys, Some(&[definition])).await?;
            for part in live.chunks(super::INSTANCES_PER_STEP) {
                let mut fetched = self.fetch(&Tables::default(), part, Depth::Everything).await?;
                fetched.history = Tables::default();
                let live = fetched.views().definition_statistics(definition, &Filter::default());
                live.iter().for_each(|element| counts.add(element));
            }
        }
        Ok(counts.0.into_values().collect())
    }

    pub(super) async fn filtered_elements(
        &self,
        definition: DefinitionKey,
        filter: &Filter<ProcessInstanceField>,
    ) -> Result<Vec<ElementStatistics>> {
        let mut own = filter.clone();
        own.all.push(Condition::Is(ProcessInstanceField::DefinitionKey, Test::eq(definition.key())));
        let base = self.base(&own).await?;
        let mut counts = Counts::default();
        for part in self.narrowed(&base, &own).await?.chunks(super::INSTANCES_PER_STEP) {
            let fetched = self.fetch(&base, part, Depth::Everything).await?;
            for instance in fetched.views().passing(&Search::of(own.clone())) {
                let elements = fetched.views().instance_statistics(instance.key);
                elements.iter().for_each(|element| counts.add(element));
            }
        }
        Ok(counts.0.into_values().collect())
    }

    pub(super) async fn errors(&self) -> Result<Vec<ErrorStatistics>> {
        let stuck: Vec<_> = self.noted("incidents").await?.into_iter().collect();
        let mut fetched = self.fetch(&Tables::default(), &stuck, Depth::Everything).await?;
        fetched.history = Tables::default();
        Ok(fetched.views().error_statistics())
    }
}

/// By element id.
#[derive(Default)]
struct Counts(BTreeMap<Text, ElementStatistics>);

impl Counts {
    fn of(&mut self, element_id: &str) -> &mut ElementStatistics {
        let none = || ElementStatistics {
            element_id: element_id.into(),
            active: 0,
            completed: 0,
            canceled: 0,
            incidents: 0,
        };
        self.0.entry(element_id.into()).or_insert_with(none)
    }

    fn add(&mut self, element: &ElementStatistics) {
        let sum = self.of(&element.element_id);
        sum.active += element.active;
        sum.completed += element.completed;
        sum.canceled += element.canceled;
        sum.incidents += element.incidents;
    }

    fn add_ended(&mut self, field: &str, count: u64) {
        let Some((state, element_id)) = field.split_once(':') else { return };
        let sum = self.of(element_id);
        match state {
            "completed" => sum.completed += count,
            "canceled" => sum.canceled += count,
            "incidents" => sum.incidents += count,
            _ => sum.active += count,
        }
    }
}
