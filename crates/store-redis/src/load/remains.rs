//! The rows that an ended instance has left.

use crate::entry::{entries, read};
use crate::row::read_instance;
use crate::store::RedisStore;
use redis::Value;
use tidemill_model::{ProcessInstanceKey, Remains};
use tidemill_store::{DELETED_ROWS_MAX, Result};

impl RedisStore {
    pub(super) async fn remains_of(&self, instance: ProcessInstanceKey) -> Result<Remains> {
        let Some(keys) = self.space.of_key(instance.key()) else { return Ok(Remains::default()) };
        let name = keys.instance(instance);
        let mut pipeline = redis::pipe();
        pipeline.cmd("GET").arg(&name);
        // Each entry has a row at least, so these tell whether there is more than one commit deletes.
        pipeline.cmd("XRANGE").arg(keys.events(instance)).arg("-").arg("+");
        pipeline.arg("COUNT").arg(DELETED_ROWS_MAX + 1);
        let mut answers = self.read_all(pipeline).await?.into_iter();
        let json: Option<Vec<u8>> = read(answers.next().unwrap_or(Value::Nil))?;
        let stored = json.map(|json| read_instance(&name, &json)).transpose()?;
        if stored.as_ref().is_some_and(|stored| !stored.is_ended) {
            return Ok(Remains::default());
        }
        let entries = entries(answers.next().unwrap_or(Value::Array(Vec::new())))?;
        let rows: usize = entries.iter().map(|entry| entry.number("n") as usize).sum();
        Ok(Remains {
            is_ended_instance: stored.is_some(),
            rows: rows.min(DELETED_ROWS_MAX),
            has_more: rows > DELETED_ROWS_MAX,
        })
    }
}
