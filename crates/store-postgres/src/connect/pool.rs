//! A bounded number of connections for one kind of work, opened when needed and given back when they are clean.

use super::connector::Connector;
use super::session::{Flushed, Session};
use super::settings::Settings;
use crate::call::Call;
use crate::error;
use std::ops::Deref;
use std::sync::{Arc, Mutex};
use tidemill_store::Result;
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio_postgres::Row;

/// Each kind of work has a pool of its own, so that searches of clients cannot take the connections that commits need.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    settings: Arc<Settings>,
    idle: Mutex<Vec<Session>>,
    permits: Semaphore,
}

impl Pool {
    pub(crate) fn new(connector: Arc<Connector>, settings: Settings, connections_max: usize) -> Pool {
        Pool {
            connector,
            settings: Arc::new(settings),
            idle: Mutex::new(Vec::new()),
            permits: Semaphore::new(connections_max.max(1)),
        }
    }

    pub(crate) async fn take(&self) -> Result<Lease<'_>> {
        let permit = self.permits.acquire().await.expect("never closed");
        // The connection that was used last is taken first, because it is the least likely to have been closed meanwhile.
        let found = loop {
            match self.idle.lock().expect("no holder panics").pop() {
                Some(session) if session.client.is_closed() => {}
                other => break other,
            }
        };
        let session = match found {
            Some(session) => session,
            None => self.connector.connect(&self.settings).await?,
        };
        Ok(Lease { pool: self, session: Some(session), is_busy: false, _permit: permit })
    }

    /// Reads in one flush. A connection may have been lost without notice, as by a restart of the server, so a read is tried once more on
    /// another one. Writes are not: nobody knows whether the first try was written.
    pub(crate) async fn read(&self, calls: &[Call<'_>]) -> Result<Vec<Vec<Row>>> {
        let mut is_second = false;
        loop {
            let mut lease = self.take().await?;
            match lease.run(calls).await.into_rows() {
                Ok(rows) => return Ok(rows),
                Err(error) if error::is_connection(&error) && !is_second => is_second = true,
                Err(error) => return Err(self.connector.error(&error)),
            }
        }
    }

    pub(crate) async fn read_one(&self, call: Call<'_>) -> Result<Vec<Row>> {
        Ok(self.read(&[call]).await?.pop().unwrap_or_default())
    }

    /// Writes in one transaction and one flush, which takes one round trip.
    pub(crate) async fn write(&self, calls: &[Call<'_>]) -> Result<Vec<Vec<Row>>> {
        let mut lease = self.take().await?;
        let rows = lease.transact("BEGIN", calls, "COMMIT", &[]).await.into_rows();
        rows.map_err(|error| self.connector.error(&error))
    }

    pub(crate) fn connector(&self) -> &Arc<Connector> {
        &self.connector
    }
}

/// A connection in use. One that is dropped in the middle of something is closed, not given back.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    session: Option<Session>,
    is_busy: bool,
    _permit: SemaphorePermit<'p>,
}

impl Lease<'_> {
    pub(crate) async fn run(&mut self, calls: &[Call<'_>]) -> Flushed {
        self.is_busy = true;
        let flushed = self.session().run(calls).await;
        self.is_busy = false;
        flushed
    }

    pub(crate) async fn transact(
        &mut self,
        begin: &str,
        calls: &[Call<'_>],
        end: &str,
        after: &[Call<'_>],
    ) -> Flushed {
        self.is_busy = true;
        let flushed = self.session().transact(begin, calls, end, after).await;
        self.is_busy = end.is_empty();
        flushed
    }

    fn session(&self) -> &Session {
        self.session.as_ref().expect("there until it is dropped")
    }
}

impl Deref for Lease<'_> {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session()
    }
}

impl Drop for Lease<'_> {
    fn drop(&mut self) {
        if let Some(session) = self.session.take()
            && !self.is_busy
            && !session.client.is_closed()
        {
            self.pool.idle.lock().expect("no holder panics").push(session);
        }
    }
}
