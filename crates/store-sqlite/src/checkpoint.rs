//! Copies the write-ahead log into the file, on a thread and a connection of its own. Commits go on meanwhile;
//! the writer itself only copies the few pages that came in at the end, so that the log can start over.

use crate::connect::{self, Role};
use crate::step::{Step, Steps};
use crate::watch::{Missing, Watch};
use crate::writer::Writer;
use rusqlite::Connection;
use std::cell::Cell;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tidemill_store::{Error, Result};

/// The time between two looks at the size of the log.
/// Files that were removed under the server are noticed as fast.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// Pages that the writer may be asked to copy by itself. Commits wait for that, so they are few.
const PAGES_FOR_WRITER_MAX: i64 = 100;
/// Rounds in which the copy may catch up with the writer.
/// Commits add pages while a round copies. A bound is needed, because under steady load the copy may never come to an end.
const ROUNDS_MAX: usize = 8;

/// A log that has grown to so many times the wanted size is copied by the writer itself: whoever writes faster than
/// the copy can follow has to wait for it.
const GROWTH_MAX: u64 = 4;

thread_local! {
    /// Pages in the log, as the last commit of this thread has left it.
    /// The hook of SQLite is a plain function, which cannot carry a reference to `LogSize`.
    static PAGES: Cell<u64> = const { Cell::new(0) };
}

/// The part of the log that waits to be copied. The size of the file does not tell it, because the file keeps its size when the log
/// starts over.
#[derive(Clone)]
pub(crate) struct LogSize {
    bytes: Arc<AtomicU64>,
    page_bytes: u64,
}

impl LogSize {
    pub(crate) fn of(connection: &Connection) -> rusqlite::Result<LogSize> {
        let page_bytes = connection.pragma_query_value(None, "page_size", |row| row.get(0))?;
        Ok(LogSize { bytes: Arc::default(), page_bytes })
    }

    /// To be called on the thread that writes through this connection.
    pub(crate) fn watch(connection: &Connection) {
        connection.wal_hook(Some(|_, pages| {
            PAGES.set(u64::try_from(pages).unwrap_or(0));
            Ok(())
        }));
    }

    /// Follows the commit that this thread has just made.
    pub(crate) fn note(&self) {
        // Relaxed will do, because the number only decides when to copy, and one that is a commit old decides as well.
        self.bytes.store(PAGES.get() * self.page_bytes, Ordering::Relaxed);
    }

    fn bytes(&self) -> u64 {
        self.bytes.load(Ordering::Relaxed)
    }

    pub(crate) fn is_excessive(&self, wanted: u64) -> bool {
        self.bytes() > wanted * GROWTH_MAX
    }
}

pub(crate) struct Checkpointer {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(
        path: &Path,
        watch: Watch,
        writer: Arc<Writer>,
        bytes: u64,
        steps: Steps,
    ) -> Result<Checkpointer> {
        let connection = connect::open(path, Role::Checkpointer)?;
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("tidemill-checkpoint".into())
            .spawn(move || {
                while stopped.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                    if let Some(missing) = watch.missing() {
                        // The writer stops first: a commit that is answered from here on would lie in a file without a name.
                        writer.stop(&missing.error());
                        save(&connection, &missing);
                        break;
                    }
                    if writer.log_size.bytes() >= bytes {
                        checkpoint(&connection, &writer, &steps);
                    }
                }
            })
            .map_err(|error| Error::Failed {
                place: "the checkpoint thread".into(),
                reason: error.to_string(),
            })?;
        Ok(Checkpointer { stop: Some(stop), thread: Some(thread) })
    }
}

/// Copies the log into the database where the log's file was removed: answered commits lie in it, and the database, which still has its
/// name, is the only place where they survive.
fn save(connection: &Connection, missing: &Missing) {
    if let Missing::Companion(_) = missing {
        for _ in 0..ROUNDS_MAX {
            // A reader that is still at work keeps pages back for as long as it works.
            // FULL waits for the writer, unlike PASSIVE: here nothing is lost by waiting, and a page that is left behind is.
            let saved = connection.query_row("PRAGMA wal_checkpoint(FULL)", [], |row| {
                let (is_busy, in_log, copied): (i64, i64, i64) = (row.get(0)?, row.get(1)?, row.get(2)?);
                Ok(is_busy == 0 && in_log == copied)
            });
            if saved.unwrap_or(false) {
                return;
            }
        }
    }
}

/// The log starts over only when all of it was copied at a moment without a writer, and no copy beside a busy
/// writer ever sees such a moment. So the bulk is copied here, and the writer copies the rest between two of its transactions.
fn checkpoint(connection: &Connection, writer: &Writer, steps: &Steps) {
    for _ in 0..ROUNDS_MAX {
        steps.take(Step::CheckpointBegun);
        let left = connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |row| {
            let (in_log, copied): (i64, i64) = (row.get(1)?, row.get(2)?);
            Ok(in_log - copied)
        });
        steps.take(Step::CheckpointEnded);
        match left {
            Ok(left) if left > PAGES_FOR_WRITER_MAX => {}
            // An error here also meets the writer, which reports it.
            _ => break,
        }
    }
    writer.finish_checkpoint();
}

impl Drop for Checkpointer {
    fn drop(&mut self) {
        self.stop.take();
        if let Some(thread) = self.thread.take() {
            // A panic was reported by its own thread.
            let _ = thread.join();
        }
    }
}
