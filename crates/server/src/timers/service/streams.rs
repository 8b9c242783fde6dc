//! Streams: what has fired in a namespace, for consumers who read it and acknowledge how far they have got.

use super::{TimerFailure, TimerService};
use crate::timers::LaneBell;
use crate::timers::deliver::{StreamCursor, StreamPage, Streams};
use crate::timers::id;
use futures_util::future::select_all;
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::PartitionId;
use tidemill_timers::block::Scope;
use tokio::time::Instant;

/// Between two looks, while partitions of other nodes may have something for a consumer who waits.
const LOOK_ELSEWHERE: Duration = Duration::from_millis(100);
/// Between two looks where all partitions are here and ring: one of them may have moved since.
const LOOK_ANYHOW: Duration = Duration::from_secs(5);

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
            let bells: Vec<Arc<LaneBell>> =
                partitions.iter().filter_map(|partition| self.node.timer_bell(*partition)).collect();
            // A row that is written while this reads has rung the bell already.
            let rung: Vec<_> = bells.iter().map(|bell| Box::pin(bell.next_in_streams())).collect();
            let page = self.streams().read(&partitions, scope, cursor, limit, self.now_ms()).await?;
            if !page.timers.is_empty() || Instant::now() >= until {
                return Ok(page);
            }
            let look = if rung.len() == partitions.len() { LOOK_ANYHOW } else { LOOK_ELSEWHERE };
            let rung = async {
                match rung.is_empty() {
                    true => std::future::pending().await,
                    false => select_all(rung).await,
                }
            };
            // Either way it looks again.
            let _ = tokio::time::timeout_at(until.min(Instant::now() + look), rung).await;
        }
    }

    /// Forgets the deliveries up to the cursor.
    pub async fn acknowledge(&self, scope: &Scope, cursor: &StreamCursor) -> Result<(), TimerFailure> {
        for partition in self.partitions() {
            let Some(through) = cursor.0.get(&partition.0) else { continue };
            let ask = |request| self.node.ask_timers(partition, request);
            self.streams().acknowledge(partition, ask, scope, *through).await??;
        }
        Ok(())
    }
}
