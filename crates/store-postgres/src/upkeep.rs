//! Work that a store does by itself for as long as it is there: days ahead, indexes of days that were there before their
//! index was, statistics.

use crate::connect::{Connector, Pool, Role, Settings};
use crate::statistics::{self, Tables};
use crate::{Options, indexes, periods};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tidemill_store::Result;

/// Partitions are looked after this often; they are made days ahead.
const LOOK_AT_DAYS_EVERY: Duration = Duration::from_secs(60 * 60);
/// History is looked at this often for whether it has grown.
const LOOK_AT_STATISTICS_EVERY: Duration = Duration::from_secs(5 * 60);
/// After a try that met a table in use.
const LOOK_AGAIN_AFTER: Duration = Duration::from_secs(60);

#[derive(Clone)]
struct Upkeep {
    /// Weak, so that these tasks end with the store.
    store: Weak<Pool>,
    connector: Arc<Connector>,
    options: Options,
    is_pooled: bool,
}

pub(crate) fn start(
    writes: &Arc<Pool>,
    connector: &Arc<Connector>,
    options: &Options,
    is_pooled: bool,
    days_are_made: bool,
    lacks_indexes: bool,
) {
    let upkeep = Upkeep {
        store: Arc::downgrade(writes),
        connector: connector.clone(),
        options: options.clone(),
        is_pooled,
    };
    tokio::spawn(upkeep.clone().make_days(days_are_made));
    if lacks_indexes {
        // A migration may have left indexes to be built, which takes long on a large history.
        tokio::spawn(upkeep.clone().build_indexes());
    }
    tokio::spawn(upkeep.gather_statistics());
}

impl Upkeep {
    /// False where the store has gone. Nodes that have started together do not come together.
    async fn pause(&self, time: Duration) -> bool {
        tokio::time::sleep(time.mul_f64(0.5 + fastrand::f64())).await;
        self.store.strong_count() > 0
    }

    async fn make_days(self, mut are_made: bool) {
        while self.pause(if are_made { LOOK_AT_DAYS_EVERY } else { LOOK_AGAIN_AFTER }).await {
            let (schema, days_ahead) = (&self.options.schema, self.options.days_ahead);
            let settings = Settings::new(schema, Role::Engine, self.is_pooled);
            let made = periods::make_ahead(&self.connector, &settings, schema, days_ahead).await;
            are_made = told(made, "the time partitions of the days ahead could not be made");
        }
    }

    async fn build_indexes(self) {
        loop {
            let built = indexes::build_missing(&self.connector, &self.options.schema, self.is_pooled).await;
            let is_done =
                told(built, "the indexes of earlier days could not be built; searches are slow until then");
            if is_done || !self.pause(LOOK_AGAIN_AFTER).await {
                return;
            }
        }
    }

    async fn gather_statistics(self) {
        while self.pause(LOOK_AT_STATISTICS_EVERY).await {
            let (schema, is_pooled) = (&self.options.schema, self.is_pooled);
            let gathered = statistics::gather(&self.connector, schema, is_pooled, Tables::Grown).await;
            told(gathered.map(|()| true), "the statistics of the history could not be gathered");
        }
    }
}

fn told(done: Result<bool>, warning: &'static str) -> bool {
    done.unwrap_or_else(|error| {
        tracing::warn!(%error, "{warning}");
        false
    })
}
