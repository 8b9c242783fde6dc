//! Serves the requests of other nodes.

use super::Node;
use crate::broker::CommandError;
use crate::cluster::{PeerReply, PeerRequest};
use crate::definitions::CacheReport;
use crate::partition::PartitionCall;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::PartitionId;
use tokio::time::Instant;

/// A node that does not answer by then is shown without an answer.
const REPORT_LIMIT: Duration = Duration::from_secs(1);

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
            PeerRequest::CacheReport => PeerReply::Cache(Box::new(self.definitions.report())),
            PeerRequest::SetClock { pinned_at } => {
                self.set_own_clock(pinned_at).await;
                PeerReply::Noted
            }
        }
    }

    /// Of this node and of all others. Nobody is waited for for long.
    pub(super) async fn all_cache_reports(&self) -> Vec<(String, Option<String>, Option<CacheReport>)> {
        let view = self.routes.view();
        let asked = view.nodes.iter().map(|node| async move {
            let report = match (&self.peers, &node.address) {
                _ if node.holder == self.holder => Some(self.definitions.report()),
                (Some(peers), Some(address)) => {
                    let answer = peers.ask(address, &PeerRequest::CacheReport);
                    match tokio::time::timeout(REPORT_LIMIT, answer).await {
                        Ok(Ok(PeerReply::Cache(report))) => Some(*report),
                        _ => None,
                    }
                }
                _ => None,
            };
            (node.holder.to_string(), node.address.clone(), report)
        });
        futures_util::future::join_all(asked).await
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
