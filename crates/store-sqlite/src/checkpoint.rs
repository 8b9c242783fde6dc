//! Copies the write-ahead log into the file, on a thread and a connection of its own. Commits go on meanwhile;
//! the writer itself only copies the few pages that came in at the end, so that the log can start over.

use crate::connect::{self, Role};
use crate::step::{Step, Steps};
use crate::writer::Writer;
use rusqlite::Connection;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;
use tidemill_store::{Error, Result};

/// How often the size of the log is looked at.
const LOOK_EVERY: Duration = Duration::from_millis(200);
/// What the writer may be asked to copy by itself.
const PAGES_FOR_WRITER_MAX: i64 = 2000;
/// Rounds in which the copy may catch up with the writer.
const ROUNDS_MAX: usize = 8;

pub(crate) struct Checkpointer {
    stop: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Checkpointer {
    pub(crate) fn start(path: &Path, writer: Arc<Writer>, bytes: u64, steps: Steps) -> Result<Checkpointer> {
        let connection = connect::open(path, Role::Checkpointer)?;
        let mut log = path.as_os_str().to_owned();
        log.push("-wal");
        let log = PathBuf::from(log);
        let (stop, stopped) = channel();
        let thread = std::thread::Builder::new()
            .name("tidemill-checkpoint".into())
            .spawn(move || {
                while stopped.recv_timeout(LOOK_EVERY) == Err(RecvTimeoutError::Timeout) {
                    let size = std::fs::metadata(&log).map_or(0, |file| file.len());
                    if size >= bytes {
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
            // What is wrong here is wrong for the writer too, which reports it.
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
