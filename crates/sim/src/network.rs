//! The network between nodes: questions and replies take their time, and some get lost.

use crate::fleet::member_at;
use crate::world::World;
use async_trait::async_trait;
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use tidemill_server::simulation::{Failure, Network};
use tokio::sync::oneshot;

/// A node that connects to a machine that is cut off hears nothing for so long.
const CONNECT_LIMIT: Duration = Duration::from_secs(1);

pub(crate) struct SimNetwork {
    pub(crate) world: Arc<World>,
    pub(crate) member: usize,
}

impl SimNetwork {
    fn is_cut(&self, to: usize) -> bool {
        let (members, now_ms) = (self.world.members(), self.world.now_ms());
        [self.member, to].into_iter().any(|member| members[member].others_are_away_until > now_ms)
    }

    async fn travel(&self) {
        let ms = match self.world.is_struck(30) {
            true => self.world.between(200, 3_000),
            false => self.world.below(3),
        };
        tokio::time::sleep(Duration::from_millis(ms)).await;
    }

    /// Has the other node answer, as long as somebody waits for it.
    fn hand_over(&self, to: usize, question: Bytes) -> Option<oneshot::Receiver<Bytes>> {
        let (group, node) = {
            let members = self.world.members();
            (members[to].group?, members[to].node.clone()?)
        };
        // A server notices sooner or later that the one who asked has gone.
        let notices = self.world.percent(70);
        let (mut answer, reply) = oneshot::channel();
        self.world.spawn(group, async move {
            let replying = tidemill_server::simulation::reply(&node, &question);
            let replied = tokio::select! {
                biased;
                replied = replying => replied,
                () = answer.closed(), if notices => return,
            };
            if let Ok(bytes) = replied {
                let _ = answer.send(Bytes::from(bytes));
            }
        });
        Some(reply)
    }
}

#[async_trait]
impl Network for SimNetwork {
    async fn ask(&self, address: &str, question: Bytes) -> Result<Bytes, Failure> {
        let lost = |what: &str| Err(Failure::Lost(what.to_owned()));
        let Some(to) = member_at(address) else { return Err(Failure::NotSent("no such node".to_owned())) };
        self.travel().await;
        if self.is_cut(to) {
            tokio::time::sleep(CONNECT_LIMIT).await;
            return Err(Failure::NotSent("the node is cut off".to_owned()));
        }
        if self.world.is_struck(20) {
            self.world.note(|| format!("a question of node {} to node {to} is lost", self.member));
            self.travel().await;
            return lost("the question was lost");
        }
        let Some(reply) = self.hand_over(to, question) else {
            return Err(Failure::NotSent("nobody is there".to_owned()));
        };
        let Ok(reply) = reply.await else { return lost("the node has gone") };
        self.travel().await;
        if self.is_cut(to) || self.world.is_struck(20) {
            self.world.note(|| format!("a reply of node {to} to node {} is lost", self.member));
            return lost("the reply was lost");
        }
        Ok(reply)
    }
}
