//! Rows that belong to no single instance: message boxes, signals, deployed things, jobs to hand out, leases.

use crate::entry::{fields, read};
use crate::keys::{Keys, box_name, ordered};
use crate::library;
use crate::row::unpacked;
use crate::store::RedisStore;
use crate::writes::number;
use redis::Value;
use tidemill_model::{BoxName, JobPosition, Key, Need, PartitionId};
use tidemill_store::Result;
use tidemill_store::rows::Tables;

impl RedisStore {
    /// The rows that a need is about, and perhaps others.
    pub(super) async fn listed(&self, partition: PartitionId, need: &Need, rows_max: u32) -> Result<Tables> {
        let keys = self.keys(partition)?;
        match need {
            Need::MessageBox(name) => self.message_box(keys, name).await,
            Need::SignalSubscriptions { tenant, name, after } => {
                let from = after.map_or("-".to_owned(), |after| format!("({}", ordered(after.0)));
                let mut question = redis::cmd("ZRANGEBYLEX");
                question.arg(keys.signals(tenant, name)).arg(from).arg("+");
                question.arg("LIMIT").arg(0).arg(u64::from(rows_max) + 1);
                let members: Vec<i64> = read(self.read(&question).await?)?;
                self.rows_of_keys("signal", members).await
            }
            Need::WaitingJobs { job_type, after } => {
                self.waiting_jobs(keys, job_type, *after, rows_max).await
            }
            Need::Leases => self.leases(keys).await,
            Need::Process { .. } => {
                let mut rows = self.catalog().await?.rows.clone();
                self.put_hash(&mut rows, self.space.catalog().named("start-timers")).await?;
                Ok(rows)
            }
            Need::Definition(key) => {
                let mut rows = self.catalog().await?.rows.clone();
                rows.process_files.clear();
                self.file(*key).await?.iter().for_each(|file| rows.put(file));
                Ok(rows)
            }
            _ => Ok(self.catalog().await?.rows.clone()),
        }
    }

    async fn message_box(&self, keys: &Keys, name: &BoxName) -> Result<Tables> {
        let mut pipeline = redis::pipe();
        pipeline.cmd("HGETALL").arg(keys.named(&box_name(name)));
        pipeline.cmd("HGETALL").arg(keys.locks(&name.tenant, &name.correlation_key));
        let mut rows = Tables::default();
        for answer in self.read_all(pipeline).await? {
            put_fields(&mut rows, answer)?;
        }
        Ok(rows)
    }

    async fn waiting_jobs(
        &self,
        keys: &Keys,
        job_type: &str,
        after: Option<JobPosition>,
        rows_max: u32,
    ) -> Result<Tables> {
        let mut args = vec![number(u64::from(rows_max) + 1), b"+inf".to_vec()];
        if let Some(after) = after {
            args.extend([number(-i64::from(after.priority)), ordered(after.key.0).into_bytes()]);
        }
        let found = self.look(&library::call("behind", &[keys.jobs(job_type)], &args)).await?;
        let found: Vec<(i64, f64)> = read(found)?;
        self.rows_of_keys("job", found.into_iter().map(|(key, _)| key).collect()).await
    }

    async fn leases(&self, keys: &Keys) -> Result<Tables> {
        let leased: Vec<(i64, i64)> =
            read(self.read(redis::cmd("HGETALL").arg(keys.named("leased"))).await?)?;
        let mut rows = self.rows_of_keys("job", leased.into_iter().map(|(job, _)| job).collect()).await?;
        self.put_hash(&mut rows, keys.named("leases")).await?;
        Ok(rows)
    }

    /// Live rows of one kind, wherever their instances are.
    async fn rows_of_keys(&self, word: &str, found: Vec<i64>) -> Result<Tables> {
        let keys: Vec<Key> = found.into_iter().map(Key).collect();
        let instances = self.instances_by_key(&keys).await?;
        let mut pipeline = redis::pipe();
        for (key, instance) in keys.iter().zip(instances) {
            let Some((instance, names)) = instance.and_then(|it| Some((it, self.space.of_key(it.key())?)))
            else {
                continue;
            };
            pipeline.cmd("HGET").arg(names.live(instance)).arg(format!("{word}:{key}"));
        }
        let mut rows = Tables::default();
        for answer in self.read_all(pipeline).await? {
            if let Some(bytes) = read::<Option<Vec<u8>>>(answer)? {
                rows.put(&unpacked(word, &bytes)?);
            }
        }
        Ok(rows)
    }

    async fn put_hash(&self, rows: &mut Tables, hash: String) -> Result<()> {
        put_fields(rows, self.read(redis::cmd("HGETALL").arg(hash)).await?)
    }
}

fn put_fields(rows: &mut Tables, answer: Value) -> Result<()> {
    for (field, bytes) in fields(answer)? {
        rows.put(&unpacked(&field, &bytes)?);
    }
    Ok(())
}
