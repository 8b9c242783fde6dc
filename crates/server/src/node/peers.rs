//! Serves the requests of other nodes.

use super::Node;
use crate::broker::CommandError;
use crate::cluster::{Question, Reply};
use crate::partition::Request;
use std::collections::BTreeSet;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tidemill_model::PartitionId;
use tokio::time::Instant;

impl Node {
    pub(crate) async fn reply(&self, question: Question) -> Reply {
        match question {
            Question::Execute { partition, command, options } => {
                Reply::Answer(self.run_for_peer(partition, command, options).await)
            }
            Question::InboxesHaveGrown { partitions } => self.inboxes_have_grown(partitions).await,
            Question::DefinitionsAreAt { version } => {
                self.newest_definitions.fetch_max(version, Ordering::AcqRel);
                Reply::Noted
            }
            Question::ActivateJobs { command } => Reply::Jobs(self.jobs_here(&command).await),
            Question::AwaitJobs { job_type, wait_ms } => {
                match self.jobs_may_come(job_type, Duration::from_millis(wait_ms)).await {
                    Ok(()) => Reply::Noted,
                    Err(error) => Reply::Answer(Err(error)),
                }
            }
            Question::AwaitEnd { created, wait_ms } => {
                let until = Instant::now() + Duration::from_millis(wait_ms);
                Reply::End(self.await_here(created, until).await)
            }
            Question::OwnershipHasChanged => {
                self.nudged.notify_one();
                Reply::Noted
            }
            Question::SetClock { pinned_at } => {
                self.set_own_clock(pinned_at).await;
                Reply::Noted
            }
        }
    }

    async fn inboxes_have_grown(&self, partitions: BTreeSet<PartitionId>) -> Reply {
        let loops = partitions.iter().filter_map(|partition| self.loops.get(*partition));
        // One that stops has a successor, and that one begins with the inbox.
        let told = loops.map(|handle| async move { handle.send_surely(Request::InboxHasGrown).await });
        futures_util::future::join_all(told).await;
        match partitions.iter().all(|partition| self.loops.is_known(*partition)) {
            true => Reply::Noted,
            false => Reply::Answer(Err(CommandError::Moved)),
        }
    }
}
