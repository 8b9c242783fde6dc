//! The retention that operators have set. It is in the store so that all nodes keep to it.

use crate::PostgresStore;
use crate::call::Call;
use tidemill_store::{Kept, Result, Retention};

const HISTORY: &str = "history_retention_ms";
const LOG: &str = "log_retention_ms";

const READ: &str =
    "SELECT name, value FROM settings WHERE name IN ('history_retention_ms', 'log_retention_ms')";

const SET: &str =
    "INSERT INTO settings VALUES ($1, $2) ON CONFLICT (name) DO UPDATE SET value = excluded.value";

/// Without a row the setting of each server holds, which is something else than keeping for ever.
const FORGET: &str = "DELETE FROM settings WHERE name = $1";

impl PostgresStore {
    pub(super) async fn kept(&self) -> Result<Retention> {
        let rows = self.loads.read_one(Call::new(READ, [])).await?;
        let value = |name: &str| {
            let row = rows.iter().find(|row| row.get::<_, &str>(0) == name);
            row.map(|row| Kept::from_millis(row.get(1)))
        };
        Ok(Retention { history: value(HISTORY), log: value(LOG) })
    }

    pub(super) async fn keep(&self, retention: Retention) -> Result<()> {
        let call = |name: &'static str, kept: Option<Kept>| match kept {
            Some(kept) => Call::new(SET, [name.into(), kept.to_millis().into()]),
            None => Call::new(FORGET, [name.into()]),
        };
        self.writes.write(&[call(HISTORY, retention.history), call(LOG, retention.log)]).await.map(drop)
    }
}
