//! An open store.

use crate::catalog::Catalog;
use crate::entry::read;
use crate::error::{Failure, damaged, is_full};
use crate::health::Health;
use crate::keys::{Keys, Space};
use crate::line::Line;
use crate::wakeup::Notifiers;
use crate::{Options, library, settings};
use redis::{Client, Cmd, Pipeline, Value};
use std::sync::{Arc, RwLock};
use std::time::Duration;
use tidemill_model::{PartitionCount, PartitionId};
use tidemill_store::{Error, Result};

/// The layout of keys and rows that this version writes.
const LAYOUT: u32 = 1;
/// A write that takes longer counts as lost: whoever sent it takes the partition again, over a new connection, and looks for it.
/// Clients are promised that work goes on within ten seconds.
const WRITE_LIMIT: Duration = Duration::from_secs(5);
/// A read that takes longer has lost its server.
const READ_LIMIT: Duration = Duration::from_secs(60);

pub struct RedisStore {
    /// For messages: the address without the password.
    pub(crate) place: String,
    pub(crate) options: Options,
    pub(crate) space: Space,
    /// Commits, in their own line: a long read must not hold them up on this side.
    pub(crate) writes: Line,
    pub(crate) reads: Line,
    pub(crate) client: Client,
    pub(crate) notifiers: Arc<Notifiers>,
    pub(crate) catalog: RwLock<Option<Arc<Catalog>>>,
    pub(crate) health: Health,
}

impl RedisStore {
    /// Makes the store where there is none yet.
    pub async fn open(options: &Options) -> Result<RedisStore> {
        let place = place_of(&options.url);
        let client = Client::open(options.url.as_str());
        let client =
            client.map_err(|error| Error::Failed { place: place.clone(), reason: error.to_string() })?;
        let store = RedisStore {
            place,
            options: options.clone(),
            space: Space::new(&options.prefix, options.partitions),
            writes: Line::new(client.clone(), WRITE_LIMIT),
            reads: Line::new(client.clone(), READ_LIMIT),
            client,
            notifiers: Arc::new(Notifiers::new(options.partitions)),
            catalog: RwLock::new(None),
            health: Health::default(),
        };
        settings::prepare(&store.writes, &store.place, options).await?;
        store.look_at_server().await?;
        library::load(&store.writes).await.map_err(|failure| failure.of_read(&store.place))?;
        store.make().await?;
        Ok(store)
    }

    /// Whoever comes first decides on the number of partitions.
    async fn make(&self) -> Result<()> {
        let meta = self.space.common().named("meta");
        let asked = self.options.partitions.0;
        let mut pipeline = redis::pipe();
        pipeline.cmd("HSETNX").arg(&meta).arg("layout").arg(LAYOUT).ignore();
        pipeline.cmd("HSETNX").arg(&meta).arg("partitions").arg(asked).ignore();
        pipeline.cmd("HMGET").arg(&meta).arg("layout").arg("partitions");
        let answers = self.writes.ask_all(pipeline).await.map_err(|failure| failure.of_write(&self.place))?;
        let answer = answers.into_iter().next_back().unwrap_or(Value::Nil);
        let (layout, found): (u32, u16) = read(answer).map_err(|error| damaged(&meta, error))?;
        if layout > LAYOUT {
            return Err(Error::NewerSchema { place: self.place.clone(), found: layout, known: LAYOUT });
        }
        if found != asked {
            return Err(Error::OtherPartitionCount { place: self.place.clone(), found, asked });
        }
        Ok(())
    }

    pub(crate) fn count(&self) -> PartitionCount {
        self.options.partitions
    }

    pub(crate) fn keys(&self, partition: PartitionId) -> Result<&Keys> {
        self.space.of(partition).ok_or_else(|| Error::Failed {
            place: format!("partition {partition}"),
            reason: "the store has no such partition".into(),
        })
    }

    pub(crate) async fn read(&self, command: &Cmd) -> Result<Value> {
        self.reads.ask(command).await.map_err(|failure| failure.of_read(&self.place))
    }

    /// The answers show one state.
    pub(crate) async fn read_all(&self, mut pipeline: Pipeline) -> Result<Vec<Value>> {
        match self.reads.ask_each(&mut pipeline).await {
            // A server without memory takes no transactions, not even of reads. It takes a function that reads.
            Err(Failure::Answered(error)) if is_full(&error) => {
                read(self.look(&library::all(&pipeline)).await?)
            }
            answers => answers.map_err(|failure| failure.of_read(&self.place)),
        }
    }

    /// A function that reads.
    pub(crate) async fn look(&self, call: &Cmd) -> Result<Value> {
        library::run(&self.reads, call).await.map_err(|failure| failure.of_read(&self.place))
    }

    /// A function that writes and may be repeated.
    pub(crate) async fn run(&self, call: &Cmd) -> Result<Value> {
        library::run(&self.writes, call).await.map_err(|failure: Failure| failure.of_write(&self.place))
    }
}

/// Passwords do not belong into messages.
pub(crate) fn place_of(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, _)), Some((_, host))) => format!("{scheme}://{host}"),
        _ => url.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn messages_have_no_password() {
        assert_eq!(super::place_of("rediss://me:p@ss@h:1/0"), "rediss://h:1/0");
        assert_eq!(super::place_of("redis://h:1"), "redis://h:1");
    }
}
