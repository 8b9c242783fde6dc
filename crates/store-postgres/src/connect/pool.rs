//! A bounded number of connections for one kind of work, opened when needed and given back when they are clean.

use super::connector::Connector;
use super::session::{Flushed, Session};
use super::settings::Settings;
use crate::call::Call;
use crate::error;
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tidemill_store::{Error, Held, PoolMeter, Result};
use tokio::sync::{Semaphore, SemaphorePermit};
use tokio::time::Instant;
use tokio_postgres::Row;

/// Each kind of work has a pool of its own, so that searches of clients cannot take the connections that commits need.
pub(crate) struct Pool {
    connector: Arc<Connector>,
    settings: Arc<Settings>,
    idle: Mutex<Vec<Session>>,
    permits: Semaphore,
    silence: Silence,
    meter: Arc<PoolMeter>,
}

impl Pool {
    pub(crate) fn new(
        connector: Arc<Connector>,
        settings: Settings,
        name: &'static str,
        connections_max: usize,
    ) -> Pool {
        Pool {
            meter: Arc::new(PoolMeter::new(name, connections_max.max(1))),
            silence: Silence::default(),
            connector,
            settings: Arc::new(settings),
            idle: Mutex::new(Vec::new()),
            permits: Semaphore::new(connections_max.max(1)),
        }
    }

    pub(crate) async fn take(&self) -> Result<Lease<'_>> {
        let waits = self.meter.waits();
        let permit = self.permits.acquire().await.expect("never closed");
        drop(waits);
        let uses = self.meter.uses();
        // The connection that was used last is taken first, because it is the least likely to have been closed meanwhile.
        let found = loop {
            match self.idle.lock().expect("no holder panics").pop() {
                Some(session) if session.client.is_closed() => {}
                other => break other,
            }
        };
        let session = match found {
            Some(session) => session,
            // Connections are opened when they are needed: a server counts them, and most nodes need fewer than they may have.
            None => self.connector.connect(&self.settings).await?,
        };
        Ok(Lease { pool: self, session: Some(session), is_busy: false, _uses: uses, _permit: permit })
    }

    /// Gives a read up that has gone on for longer than a search may. The server does that with each statement, but not where it
    /// stands still, and a search is several statements.
    pub(crate) async fn within_limit<T>(&self, read: impl Future<Output = Result<T>>) -> Result<T> {
        let limit_ms = self.connector.search_limit_ms();
        let began = Instant::now();
        match tokio::time::timeout(self.silence.patience(limit_ms), read).await {
            Ok(outcome) => outcome,
            Err(_) if self.silence.was_broken_since(began) => Err(Error::TooSlow { limit_ms }),
            Err(_) => {
                self.silence.begins();
                let reason = format!("it has not answered for {} ms", began.elapsed().as_millis());
                Err(Error::Unavailable { place: self.connector.place().to_owned(), reason })
            }
        }
    }

    /// Reads in one flush. A connection may have been lost without notice, as by a restart of the server, so a read is tried once more on
    /// another one. Writes are not: nobody knows whether the first try was written.
    pub(crate) async fn read(&self, calls: &[Call<'_>]) -> Result<Vec<Vec<Row>>> {
        let mut is_second = false;
        loop {
            let mut lease = self.take().await?;
            let flushed = lease.run(calls).await;
            self.silence.ends();
            match flushed.into_rows() {
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
        self.silence.ends();
        rows.map_err(|error| self.connector.error(&error))
    }

    pub(crate) fn meter(&self) -> &Arc<PoolMeter> {
        &self.meter
    }

    pub(crate) fn connector(&self) -> &Arc<Connector> {
        &self.connector
    }
}

/// Knows whether the server answers at all. Once it was silent for as long as a search may take, the next
/// searches wait only shortly: each would find out the same again, and a request is often more than one.
#[derive(Default)]
struct Silence {
    has_begun: AtomicBool,
    broken_at: Mutex<Option<Instant>>,
}

/// The server's own limit comes first where it works. A slow search is told as slow, and only a server that
/// does not answer at all counts as away.
const GRACE_MS: u64 = 500;
const PATIENCE_IN_SILENCE: Duration = Duration::from_secs(1);

impl Silence {
    fn patience(&self, limit_ms: u64) -> Duration {
        let whole = Duration::from_millis(limit_ms + GRACE_MS);
        if self.has_begun.load(Ordering::Relaxed) { whole.min(PATIENCE_IN_SILENCE) } else { whole }
    }

    fn begins(&self) {
        self.has_begun.store(true, Ordering::Relaxed);
    }

    fn ends(&self) {
        self.has_begun.store(false, Ordering::Relaxed);
        *self.broken_at.lock().expect("no holder panics") = Some(Instant::now());
    }

    fn was_broken_since(&self, began: Instant) -> bool {
        self.broken_at.lock().expect("no holder panics").is_some_and(|at| at > began)
    }
}

/// A connection in use. One that is dropped in the middle of something is closed, not given back.
pub(crate) struct Lease<'p> {
    pool: &'p Pool,
    session: Option<Session>,
    is_busy: bool,
    _uses: Held<'p>,
    _permit: SemaphorePermit<'p>,
}

impl Lease<'_> {
    pub(crate) async fn run(&mut self, calls: &[Call<'_>]) -> Flushed {
        self.is_busy = true;
        let began = std::time::Instant::now();
        let flushed = self.session().run(calls).await;
        self.pool.meter.called(began);
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
        let began = std::time::Instant::now();
        let flushed = self.session().transact(begin, calls, end, after).await;
        self.pool.meter.called(began);
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
            // Answers that nobody has read are still on their way, and the next user would take them for its own.
            && !self.is_busy
            && !session.client.is_closed()
        {
            self.pool.idle.lock().expect("no holder panics").push(session);
        }
    }
}
