//! Serves the requests of other nodes.

use super::Node;
use crate::broker::CommandError;
use crate::cluster::{PeerReply, PeerRequest};
use crate::partition::PartitionCall;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::PartitionId;
use tokio::time::Instant;

impl Node {
    pub(crate) async fn reply(&self, question: PeerRequest) -> PeerReply {
        match question {
            PeerRequest::Execute { partition, command, options } => {
                PeerReply::Answer(self.run_for_peer(partition, command, options).await)
            }
            PeerRequest::InboxesHaveGrown { partitions } => self.inboxes_have_grown(partitions).await,
            PeerRequest::DefinitionsAreAt { version } => {
                self.newest_definitions.fetch_max(version, Ordering::AcqRel);
                PeerReply::Noted
            }
            PeerRequest::ActivateJobs { command } => PeerReply::Jobs(self.jobs_here(&command).await),
            PeerRequest::AwaitJobs { job_type, wait_ms } => {
                match self.jobs_may_come(job_type, Duration::from_millis(wait_ms)).await {
                    Ok(()) => PeerReply::Noted,
                    Err(error) => PeerReply::Answer(Err(error)),
                }
            }
            PeerRequest::AwaitEnd { created, wait_ms } => {
                let until = Instant::now() + Duration::from_millis(wait_ms);
                PeerReply::End(self.await_here(created, until).await)
            }
            PeerRequest::OwnershipHasChanged => {
                self.ownership_changed.notify_one();
                PeerReply::Noted
            }
            PeerRequest::Timers { partition, request } => {
                PeerReply::Timers(self.timers_for_peer(partition, request).await)
            }
            PeerRequest::SetClock { pinned_at } => {
                self.set_own_clock(pinned_at).await;
                PeerReply::Noted
            }
        }
    }

    async fn inboxes_have_grown(&self, partitions: BTreeSet<PartitionId>) -> PeerReply {
        let loops = partitions.iter().filter_map(|partition| self.loops.get(*partition));
        // One that stops has a successor, and that one begins with the inbox.
        let told = loops.map(|handle| async move { handle.send_surely(PartitionCall::InboxHasGrown).await });
        futures_util::future::join_all(told).await;
        match partitions.iter().all(|partition| self.loops.is_known(*partition)) {
            true => PeerReply::Noted,
            false => PeerReply::Answer(Err(CommandError::Moved)),
        }
    }
}
