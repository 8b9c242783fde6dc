//! Deployed things, kept in memory as long as their version number stands still: every search needs the definitions.

use crate::entry::{fields, read};
use crate::row::unpacked;
use crate::store::RedisStore;
use redis::Value;
use std::sync::{Arc, PoisonError};
use tidemill_store::Result;
use tidemill_store::rows::Tables;

pub(crate) struct Catalog {
    pub(crate) version: u64,
    /// Definitions, start subscriptions, forms and resources.
    pub(crate) rows: Tables,
}

const HASHES: [&str; 4] = ["definitions", "starts", "forms", "resources"];

impl RedisStore {
    pub(crate) async fn catalog(&self) -> Result<Arc<Catalog>> {
        let keys = self.space.catalog();
        let version = version_in(self.read(redis::cmd("GET").arg(keys.version())).await?)?;
        let known = self.catalog.read().unwrap_or_else(PoisonError::into_inner).clone();
        if let Some(known) = known.filter(|known| known.version == version) {
            return Ok(known);
        }
        let mut pipeline = redis::pipe();
        pipeline.cmd("GET").arg(keys.version());
        for hash in HASHES {
            pipeline.cmd("HGETALL").arg(keys.named(hash));
        }
        let mut answers = self.read_all(pipeline).await?.into_iter();
        let version = version_in(answers.next().unwrap_or(Value::Nil))?;
        let mut rows = Tables::default();
        for (hash, answer) in HASHES.iter().zip(answers) {
            for (_, bytes) in fields(answer)? {
                rows.put(&unpacked(&keys.named(hash), &bytes)?);
            }
        }
        let catalog = Arc::new(Catalog { version, rows });
        let mut slot = self.catalog.write().unwrap_or_else(PoisonError::into_inner);
        // Another reader may have been faster with a newer one.
        if slot.as_ref().is_none_or(|known| known.version <= version) {
            *slot = Some(catalog.clone());
        }
        Ok(catalog)
    }
}

pub(crate) fn version_in(answer: Value) -> Result<u64> {
    Ok(read::<Option<u64>>(answer)?.unwrap_or_default())
}
