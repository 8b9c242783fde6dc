//! Streams: what has fired in a namespace, for consumers who read it and acknowledge how far they have got.

use super::{TimerFailure, TimerService};
use crate::timers::deliver::{StreamCursor, StreamPage, Streams};
use crate::timers::id;
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_timers::block::Scope;
use tokio::time::Instant;

/// Between two looks, while a consumer waits.
const LOOK_EVERY: Duration = Duration::from_millis(100);

impl TimerService {
    fn streams(&self) -> Streams {
        Streams { store: self.node.timer_store().clone(), id_of: id::generated }
    }

    /// Timers behind the cursor; where there are none, waits for them up to `wait`.
    pub async fn read_stream(
        &self,
        scope: &Scope,
        cursor: &StreamCursor,
        limit: usize,
        wait: Duration,
    ) -> Result<StreamPage, TimerFailure> {
        let (until, partitions) = (Instant::now() + wait, self.partitions().collect::<Vec<PartitionId>>());
        loop {
            let page = self.streams().read(&partitions, scope, cursor, limit, self.now_ms()).await?;
            if !page.timers.is_empty() || Instant::now() + LOOK_EVERY > until {
                return Ok(page);
            }
            tokio::time::sleep(LOOK_EVERY).await;
        }
    }

    /// What was read up to the cursor is forgotten.
    pub async fn acknowledge(&self, scope: &Scope, cursor: &StreamCursor) -> Result<(), TimerFailure> {
        for partition in self.partitions() {
            let Some(through) = cursor.0.get(&partition.0) else { continue };
            let ask = |request| self.node.ask_timers(partition, request);
            self.streams().acknowledge(partition, ask, scope, *through).await??;
        }
        Ok(())
    }
}
