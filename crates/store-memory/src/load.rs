//! Loads the rows that the engine needs: live rows only.

use crate::{MemoryStore, maintenance};
use async_trait::async_trait;
use tidemill_model::{Need, PartitionId, ProcessInstanceKey, Remains, TenantId, Text};
use tidemill_store::{IdempotentAnswer, Load, Loaded, Result, rows};

#[async_trait]
impl Load for MemoryStore {
    async fn load(&self, partition: PartitionId, needs: &[Need], list_rows_max: u32) -> Result<Vec<Loaded>> {
        self.paced("load", || {
            let state = self.state();
            let load = |need| rows::load(&state.live, partition, need, list_rows_max);
            let mut loaded: Vec<Loaded> = needs.iter().map(load).collect();
            if let Some(pace) = &self.pace {
                pace.bring(&mut loaded);
            }
            Ok(loaded)
        })
        .await
    }

    async fn remains(&self, instances: &[ProcessInstanceKey]) -> Result<Vec<Remains>> {
        self.paced("remains", || {
            let state = self.state();
            Ok(instances.iter().map(|instance| maintenance::remains(&state.history, *instance)).collect())
        })
        .await
    }

    async fn answers(
        &self,
        partition: PartitionId,
        keys: &[(TenantId, Text)],
    ) -> Result<Vec<Option<IdempotentAnswer>>> {
        self.paced("answers", || {
            let state = self.state();
            let answer = |(tenant, key): &(TenantId, Text)| {
                state.answers.get(&(partition, tenant.clone(), key.clone())).cloned()
            };
            Ok(keys.iter().map(answer).collect())
        })
        .await
    }
}
