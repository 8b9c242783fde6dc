//! Connections that only read, lent out one piece of work at a time on blocking threads.

use crate::connect::{self, Role};
use crate::error::Outcome;
use crate::like;
use crate::patience::{Patience, Waiting};
use crate::writer::Writer;
use rusqlite::Connection;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Instant;
use tidemill_store::{Error, PoolMeter, PoolUse, Result};
use tokio::sync::Semaphore;

/// Steps of SQLite's machine between two looks at the clock and at who waits. A look takes a lock and the
/// time, so it must be rare beside the work, and still frequent enough to end a search soon after its limit.
const STEPS_PER_LOOK: i32 = 10_000;

type Value = Box<dyn Any + Send>;
type Work = Box<dyn FnOnce(&Connection, &Patience) -> Outcome<Value> + Send>;

/// Readers have connections of their own: in WAL mode they see the last commit and neither wait for the writer nor hold it up.
pub(crate) struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    /// There are as many permits as connections, so a reader with a permit finds a connection in `idle`.
    idle: Mutex<Vec<Reader>>,
    free: Arc<Semaphore>,
    limit_ms: Option<u64>,
    meter: PoolMeter,
    /// Told of damage that a read has met.
    writer: Arc<Writer>,
}

struct Reader {
    connection: Connection,
    patience: Arc<Patience>,
}

impl Reader {
    fn open(path: &Path) -> Result<Reader> {
        let connection = connect::open(path, Role::Reader)?;
        let patience = Arc::<Patience>::default();
        let watch = || -> rusqlite::Result<()> {
            // Patterns have a look of their own, because one match over a large value is a single step for SQLite.
            like::register(&connection, patience.clone())?;
            let watched = patience.clone();
            connection.progress_handler(STEPS_PER_LOOK, Some(move || watched.is_over()))
        };
        watch().map_err(|error| crate::error::Fault::from(error).at(path))?;
        Ok(Reader { connection, patience })
    }
}

impl Readers {
    pub(crate) fn open(
        path: &Path,
        name: &'static str,
        count: usize,
        limit_ms: Option<u64>,
        writer: Arc<Writer>,
    ) -> Result<Readers> {
        let readers: Result<Vec<Reader>> = (0..count.max(1)).map(|_| Reader::open(path)).collect();
        Ok(Readers {
            shared: Arc::new(Shared {
                path: path.to_owned(),
                idle: Mutex::new(readers?),
                free: Arc::new(Semaphore::new(count.max(1))),
                limit_ms,
                meter: PoolMeter::new(name, count.max(1)),
                writer,
            }),
        })
    }

    pub(crate) fn usage(&self) -> PoolUse {
        self.shared.meter.read()
    }

    /// Runs the work in one read transaction, so that it sees one state. When the returned future is dropped, the work
    /// is interrupted: a client that has left must not keep a connection from others.
    pub(crate) async fn read<T, W>(&self, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    {
        self.read_in_parts(move |connection, _| work(connection)).await
    }

    /// For work of which a part may have less time than the whole.
    pub(crate) async fn read_in_parts<T, W>(&self, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Connection, &Patience) -> Outcome<T> + Send + 'static,
    {
        let work: Work = Box::new(move |connection, patience| Ok(Box::new(work(connection, patience)?)));
        let value = self.run(work).await?.downcast::<T>();
        Ok(*value.expect("the work has given it"))
    }

    /// Not generic: handing work to another thread is a lot of code, which would be compiled again for every kind of read.
    async fn run(&self, work: Work) -> Result<Value> {
        let waits = self.shared.meter.waits();
        let permit = self.shared.free.clone().acquire_owned().await.expect("never closed");
        drop(waits);
        let shared = self.shared.clone();
        let has_left = Arc::<AtomicBool>::default();
        // This is dropped with the future of the caller, which is how the thread learns that nobody waits any more.
        let _waiting = Waiting(has_left.clone());
        let run = move || {
            let _permit = permit;
            let (_uses, began) = (shared.meter.uses(), Instant::now());
            let reader = Lent::of(&shared);
            let read = shared.run(reader.get(), has_left, work);
            shared.meter.called(began);
            read
        };
        match tokio::task::spawn_blocking(run).await {
            Ok(result) => result,
            Err(error) => Err(Error::Failed {
                place: self.shared.path.display().to_string(),
                reason: error.to_string(),
            }),
        }
    }
}

/// A connection in use; it goes back even when the work panics.
struct Lent<'s> {
    shared: &'s Shared,
    reader: Option<Reader>,
}

impl<'s> Lent<'s> {
    fn of(shared: &'s Shared) -> Lent<'s> {
        let reader = shared.idle.lock().expect("no holder panics").pop();
        Lent { shared, reader }
    }

    fn get(&self) -> &Reader {
        self.reader.as_ref().expect("there are as many as permits")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.shared.idle.lock().expect("no holder panics").extend(self.reader.take());
    }
}

impl Shared {
    /// Writing to a damaged file would build on rows that are not there, so the writer is stopped.
    fn told(&self, error: Error) -> Error {
        if matches!(error, Error::Corrupt { .. }) {
            self.writer.stop(&error);
        }
        error
    }

    fn run(&self, reader: &Reader, has_left: Arc<AtomicBool>, work: Work) -> Result<Value> {
        let Reader { connection, patience } = reader;
        patience.begin(self.limit_ms, has_left);
        let read = || -> Outcome<Value> {
            // All statements of the work run in one transaction, so that a page and its total, or the rows of
            // several needs, are of one state.
            let transaction = connection.unchecked_transaction()?;
            let value = work(connection, patience)?;
            transaction.commit()?;
            Ok(value)
        };
        read().map_err(|fault| match (fault.at(&self.path), self.limit_ms) {
            // An interrupted read fails with one of several errors. Damage is told in any case.
            (error, Some(limit_ms)) if patience.is_over() && !error.is_fatal() => Error::TooSlow { limit_ms },
            (error, _) => self.told(error),
        })
    }
}
