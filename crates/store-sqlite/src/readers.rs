//! Connections that only read, lent out one piece of work at a time on blocking threads.

use crate::connect::{self, Role};
use crate::error::Outcome;
use crate::writer::Writer;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};
use tidemill_store::{Error, Result};
use tokio::sync::Semaphore;

/// Steps of SQLite's machine between two looks at the clock.
const STEPS_PER_LOOK: i32 = 10_000;

pub(crate) struct Readers {
    shared: Arc<Shared>,
}

struct Shared {
    path: PathBuf,
    idle: Mutex<Vec<Connection>>,
    free: Arc<Semaphore>,
    limit_ms: Option<u64>,
    /// Told of damage that a read has met.
    writer: Arc<Writer>,
}

impl Readers {
    pub(crate) fn open(
        path: &Path,
        count: usize,
        limit_ms: Option<u64>,
        writer: Arc<Writer>,
    ) -> Result<Readers> {
        let connections: Result<Vec<Connection>> =
            (0..count.max(1)).map(|_| connect::open(path, Role::Reader)).collect();
        Ok(Readers {
            shared: Arc::new(Shared {
                path: path.to_owned(),
                idle: Mutex::new(connections?),
                free: Arc::new(Semaphore::new(count.max(1))),
                limit_ms,
                writer,
            }),
        })
    }

    /// Runs the work in one read transaction, so that it sees one state.
    pub(crate) async fn read<T, W>(&self, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    {
        let permit = self.shared.free.clone().acquire_owned().await.expect("never closed");
        let shared = self.shared.clone();
        let run = move || {
            let _permit = permit;
            let connection = Lent::of(&shared);
            shared.run(connection.get(), work)
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
    connection: Option<Connection>,
}

impl<'s> Lent<'s> {
    fn of(shared: &'s Shared) -> Lent<'s> {
        let connection = shared.idle.lock().expect("no holder panics").pop();
        Lent { shared, connection }
    }

    fn get(&self) -> &Connection {
        self.connection.as_ref().expect("there are as many as permits")
    }
}

impl Drop for Lent<'_> {
    fn drop(&mut self) {
        self.shared.idle.lock().expect("no holder panics").extend(self.connection.take());
    }
}

impl Shared {
    /// Whoever wrote to a damaged file would build on what is not there.
    fn told(&self, error: Error) -> Error {
        if matches!(error, Error::Corrupt { .. }) {
            self.writer.stop(&error);
        }
        error
    }

    fn run<T>(&self, connection: &Connection, work: impl FnOnce(&Connection) -> Outcome<T>) -> Result<T> {
        let read = || -> Outcome<T> {
            if let Some(limit_ms) = self.limit_ms {
                let deadline = Instant::now() + Duration::from_millis(limit_ms);
                connection.progress_handler(STEPS_PER_LOOK, Some(move || Instant::now() >= deadline))?;
            }
            let transaction = connection.unchecked_transaction()?;
            let value = work(connection)?;
            transaction.commit()?;
            Ok(value)
        };
        read().map_err(|fault| {
            use rusqlite::ffi::ErrorCode::OperationInterrupted;
            let was_interrupted = matches!(&fault, crate::error::Fault::Sqlite(error)
                if error.sqlite_error_code() == Some(OperationInterrupted));
            match self.limit_ms {
                Some(limit_ms) if was_interrupted => Error::TooSlow { limit_ms },
                _ => self.told(fault.at(&self.path)),
            }
        })
    }
}
