//! Live instances with everything that belongs to them.

use crate::entry::{fields, read};
use crate::keys::KEY_BYTES;
use crate::row::{read_instance, read_key_entry, unpacked};
use crate::store::RedisStore;
use redis::Value;
use std::collections::BTreeMap;
use tidemill_model::{Entity, Key, ProcessInstanceKey};
use tidemill_store::Result;
use tidemill_store::rows::Tables;

impl RedisStore {
    /// The instances that rows with these keys belong to.
    pub(crate) async fn instances_by_key(&self, keys: &[Key]) -> Result<Vec<Option<ProcessInstanceKey>>> {
        let mut pipeline = redis::pipe();
        for key in keys {
            let (block, offset) = self.space.of_key(*key).unwrap_or(self.space.common()).block(*key);
            pipeline.cmd("GETRANGE").arg(block).arg(offset).arg(offset + KEY_BYTES - 1);
        }
        let answers = self.read_all(pipeline).await?.into_iter();
        answers.map(|answer| Ok(read_key_entry(&read::<Vec<u8>>(answer)?))).collect()
    }

    /// All of one state. Instances that do not live are left out, but rows without an instance are not.
    pub(super) async fn live_instances(
        &self,
        instances: &[ProcessInstanceKey],
    ) -> Result<BTreeMap<ProcessInstanceKey, Tables>> {
        let mut pipeline = redis::pipe();
        for instance in instances {
            let keys = self.space.of_key(instance.key()).unwrap_or(self.space.common());
            pipeline.cmd("GET").arg(keys.instance(*instance));
            pipeline.cmd("HGETALL").arg(keys.live(*instance));
        }
        let mut answers = self.read_all(pipeline).await?.into_iter();
        let mut loaded = BTreeMap::new();
        for instance in instances {
            let (row, live) = (answers.next().unwrap_or(Value::Nil), answers.next().unwrap_or(Value::Nil));
            let rows: &mut Tables = loaded.entry(*instance).or_default();
            if let Some((row, false)) = read_row(*instance, row)? {
                rows.put(&row);
            }
            for (field, bytes) in fields(live)? {
                rows.put(&unpacked(&field, &bytes)?);
            }
        }
        Ok(loaded)
    }
}

/// The row of an instance, and whether it has ended.
pub(crate) fn read_row(instance: ProcessInstanceKey, answer: Value) -> Result<Option<(Entity, bool)>> {
    let Some(json) = read::<Option<Vec<u8>>>(answer)? else { return Ok(None) };
    let stored = read_instance(&format!("instances-{instance}"), &json)?;
    Ok(Some((Entity::ProcessInstance(stored.instance.into()), stored.is_ended)))
}
