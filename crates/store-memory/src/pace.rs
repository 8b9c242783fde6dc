//! The way between a server and the memory: how long calls take, and which of them do not arrive.

use crate::MemoryStore;
use async_trait::async_trait;
use tidemill_store::{Loaded, Result};

/// Asked about every call that loops and nodes make; `call` is the name of the method.
#[async_trait]
pub trait Pace: Send + Sync {
    /// Returns when the call has arrived. After an error it has had no effect.
    async fn arrive(&self, call: &'static str) -> Result<()>;

    /// Returns when the answer has arrived. The call has had its effect, also where an error hides that.
    async fn depart(&self, call: &'static str) -> Result<()>;

    /// Rows may look different to this server: one of an older version finds files that it cannot read.
    fn bring(&self, _loaded: &mut [Loaded]) {}
}

impl MemoryStore {
    pub(crate) async fn arrive(&self, call: &'static str) -> Result<()> {
        match &self.pace {
            Some(pace) => pace.arrive(call).await,
            None => Ok(()),
        }
    }

    pub(crate) async fn depart(&self, call: &'static str) -> Result<()> {
        match &self.pace {
            Some(pace) => pace.depart(call).await,
            None => Ok(()),
        }
    }

    pub(crate) async fn paced<T>(&self, call: &'static str, run: impl FnOnce() -> Result<T>) -> Result<T> {
        self.arrive(call).await?;
        let done = run()?;
        self.depart(call).await?;
        Ok(done)
    }
}
