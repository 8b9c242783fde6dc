//! The one thread that writes. All work that waits when it gets free shares a transaction, and so one sync;
//! each piece of work has a savepoint of its own, so that one that is refused takes nobody with it.

use crate::checkpoint::LogSize;
use crate::error::{Fault, Outcome};
use crate::last::{self, LastBatch};
use crate::step::{Step, Steps};
use rusqlite::Connection;
use std::any::Any;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, OnceLock};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};
use tidemill_store::{Error, PoolMeter, PoolUse, Result};
use tokio::sync::oneshot;

/// Pieces of work that may share a transaction. More would save hardly anything, and the first of them would wait for the last.
const GROUP_MAX: usize = 64;

/// Before the next try to write to a full disk.
const FULL_PAUSE: Duration = Duration::from_millis(250);

/// Work is two closures deep because its fate is known in two steps: the piece itself may be refused, and the
/// transaction that carries it may still fail at its commit.
/// Runs in the transaction; gives what is to be done when its fate is known.
type Work = Box<dyn FnOnce(&Connection) -> Outcome<Done> + Send>;
type Done = Box<dyn FnOnce()>;
/// The result of a piece of work, whatever its type.
type Value = Box<dyn Any + Send>;
type ValueWork = Box<dyn FnOnce(&Connection) -> Outcome<Value> + Send>;
/// Told to callers whose work is not written. Kept apart from the work, because the transaction may fail after the work has run.
type Refuse = Box<dyn FnOnce(Error) + Send>;

enum Job {
    InTransaction {
        work: Work,
        refuse: Refuse,
    },
    /// Between transactions: copies the last pages of the log, so that it can start over.
    Checkpoint(std::sync::mpsc::Sender<()>),
}

/// SQLite takes one writer at a time. A single thread avoids waiting for locks inside SQLite, which has no order and no fairness.
pub(crate) struct Writer {
    /// None once the writer is being dropped: the thread ends when its channel has lost the last sender.
    jobs: Mutex<Option<Sender<Job>>>,
    thread: Mutex<Option<JoinHandle<()>>>,
    /// Why nothing is written any more.
    stopped: Arc<OnceLock<String>>,
    pub(crate) steps: Steps,
    pub(crate) log_size: LogSize,
    meter: Arc<PoolMeter>,
    path: PathBuf,
}

impl Writer {
    pub(crate) fn start(
        connection: Connection,
        path: &Path,
        last: LastBatch,
        checkpoint_bytes: u64,
        steps: Steps,
    ) -> Result<Writer> {
        let (sender, receiver) = channel();
        let stopped = Arc::new(OnceLock::new());
        let log_size = LogSize::of(&connection).map_err(|error| Fault::from(error).at(path))?;
        let meter = Arc::new(PoolMeter::new("writes", 1));
        let session = Session {
            meter: meter.clone(),
            connection,
            last,
            path: path.to_owned(),
            checkpoint_bytes,
            log_size: log_size.clone(),
            steps: steps.clone(),
            stopped: stopped.clone(),
        };
        let thread = std::thread::Builder::new()
            .name("tidemill-writer".into())
            .spawn(move || session.run(&receiver))
            .map_err(|error| Error::Failed {
                place: "the writer thread".into(),
                reason: error.to_string(),
            })?;
        Ok(Writer {
            jobs: Mutex::new(Some(sender)),
            thread: Mutex::new(Some(thread)),
            stopped,
            steps,
            log_size,
            meter,
            path: path.to_owned(),
        })
    }

    pub(crate) fn usage(&self) -> PoolUse {
        self.meter.read()
    }

    /// Runs the work in a transaction; returns when that is durable. An answer before the sync would be lost with the power.
    pub(crate) async fn write<T, W>(&self, work: W) -> Result<T>
    where
        T: Send + 'static,
        W: FnOnce(&Connection) -> Outcome<T> + Send + 'static,
    {
        let work = move |connection: &Connection| Ok(Box::new(work(connection)?) as Value);
        let value = self.run(Box::new(work)).await?.downcast::<T>();
        Ok(*value.expect("the work has given it"))
    }

    /// Not generic, so that it is compiled once and not for every kind of write.
    async fn run(&self, work: ValueWork) -> Result<Value> {
        // Either closure may answer, but only one of them does: the first takes the sender.
        let (answer, answered) = oneshot::channel::<Result<Value>>();
        let answer = Arc::new(Mutex::new(Some(answer)));
        let take = {
            let answer = answer.clone();
            move || answer.lock().expect("no holder panics").take()
        };
        let refuse: Refuse = Box::new(move |error| {
            if let Some(answer) = take() {
                // A caller that has gone away does not want the answer.
                let _ = answer.send(Err(error));
            }
        });
        let work: Work = Box::new(move |connection| {
            let value = work(connection)?;
            Ok(Box::new(move || {
                if let Some(answer) = answer.lock().expect("no holder panics").take() {
                    let _ = answer.send(Ok(value));
                }
            }) as Done)
        });
        self.meter.note_waiting(true);
        self.send(Job::InTransaction { work, refuse }).inspect_err(|_| self.meter.note_waiting(false))?;
        answered.await.unwrap_or_else(|_| Err(self.closed()))
    }

    /// Blocks until the writer has copied what is left of the log.
    pub(crate) fn finish_checkpoint(&self) {
        let (done, finished) = channel();
        if self.send(Job::Checkpoint(done)).is_ok() {
            // An error means that the writer has ended: there is nothing left to wait for.
            let _ = finished.recv();
        }
    }

    /// For good: only a fresh start may write again.
    pub(crate) fn stop(&self, error: &Error) {
        // The first reason stays, because later ones are only its consequences.
        let _ = self.stopped.set(error.to_string());
    }

    fn send(&self, job: Job) -> Result<()> {
        let jobs = self.jobs.lock().expect("no holder panics");
        match &*jobs {
            Some(sender) if self.stopped.get().is_none() => sender.send(job).map_err(|_| self.closed()),
            _ => Err(self.closed()),
        }
    }

    fn closed(&self) -> Error {
        let reason =
            self.stopped.get().cloned().unwrap_or_else(|| format!("{} was closed", self.path.display()));
        Error::Closed(reason)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        // Work that is queued is still written: the thread empties the channel before it sees that no sender is left.
        self.jobs.lock().expect("no holder panics").take();
        if let Some(thread) = self.thread.lock().expect("no holder panics").take() {
            // A panic of the writer was reported by its own thread.
            let _ = thread.join();
        }
    }
}

/// The writer's side of the channel: everything that the thread owns.
struct Session {
    connection: Connection,
    last: LastBatch,
    path: PathBuf,
    checkpoint_bytes: u64,
    log_size: LogSize,
    steps: Steps,
    stopped: Arc<OnceLock<String>>,
    meter: Arc<PoolMeter>,
}

impl Session {
    fn run(self, jobs: &Receiver<Job>) {
        LogSize::watch(&self.connection);
        while let Ok(first) = jobs.recv() {
            let mut group = Vec::new();
            let mut next = Some(first);
            // Nobody is waited for: the group is what has gathered while the last transaction was synced. So
            // a lone caller is not delayed, and under load groups get larger by themselves.
            while let Some(job) = next.take() {
                match job {
                    Job::InTransaction { work, refuse } => {
                        self.meter.note_waiting(false);
                        group.push((work, refuse));
                    }
                    Job::Checkpoint(done) => {
                        self.checkpoint();
                        // The caller may have gone.
                        let _ = done.send(());
                    }
                }
                if group.len() < GROUP_MAX {
                    next = jobs.try_recv().ok();
                }
            }
            if !group.is_empty() {
                self.run_group(group);
            }
            // This slows down a writer that is faster than the checkpointer. Without it the log would fill the disk.
            if self.log_size.is_excessive(self.checkpoint_bytes) {
                self.checkpoint();
            }
        }
    }

    fn run_group(&self, group: Vec<(Work, Refuse)>) {
        // Work that was queued before the writer was stopped must not run after it.
        if let Some(reason) = self.stopped.get() {
            group.into_iter().for_each(|(_, refuse)| refuse(Error::Closed(reason.clone())));
            return;
        }
        let mut accepted: Vec<(Done, Refuse)> = Vec::with_capacity(group.len());
        let mut waiting = group.into_iter();
        let (uses, began) = (self.meter.uses(), Instant::now());
        let written = self.transaction(&mut waiting, &mut accepted);
        self.meter.called(began);
        drop(uses);
        match written {
            Ok(()) => accepted.into_iter().for_each(|(done, _)| done()),
            Err(fault) => {
                let error = fault.at(&self.path);
                if !self.connection.is_autocommit() {
                    // The first error is the one to tell, not one of the rollback.
                    let _ = self.execute("ROLLBACK");
                }
                let all =
                    accepted.into_iter().map(|(_, refuse)| refuse).chain(waiting.map(|(_, refuse)| refuse));
                self.refuse_all(error, all);
            }
        }
    }

    fn refuse_all(&self, error: Error, mut all: impl Iterator<Item = Refuse>) {
        let reason = error.to_string();
        // Somebody else's lock goes away, and a full disk gets room again: SQLite has undone the transaction. After any other failure
        // the state of the file is no longer certain, and only a fresh start may write again.
        let others: Box<dyn Fn() -> Error> = match &error {
            Error::Locked { path, .. } => {
                let path = path.clone();
                Box::new(move || Error::Locked { path: path.clone(), by: reason.clone() })
            }
            Error::FullForNow { place, reason } => {
                // Partitions try again at once. Nothing else could be written meanwhile, so nobody is held up.
                std::thread::sleep(FULL_PAUSE);
                let (place, reason) = (place.clone(), reason.clone());
                Box::new(move || Error::FullForNow { place: place.clone(), reason: reason.clone() })
            }
            _ => {
                let _ = self.stopped.set(reason.clone());
                Box::new(move || Error::Closed(reason.clone()))
            }
        };
        if let Some(first) = all.next() {
            first(error);
        }
        all.for_each(|refuse| refuse(others()));
    }

    /// An error here ends the transaction for all. Refusals of single pieces are answered on the way.
    fn transaction(
        &self,
        group: &mut std::vec::IntoIter<(Work, Refuse)>,
        accepted: &mut Vec<(Done, Refuse)>,
    ) -> Outcome<()> {
        // A single piece can use the transaction itself, which saves two statements in the usual case.
        let needs_savepoints = group.len() > 1;
        // IMMEDIATE takes the lock for writing at once. A transaction that begins as a reader (the fence is
        // read first) would fail without waiting if another program wrote before its first write.
        self.execute("BEGIN IMMEDIATE")?;
        self.steps.take(Step::Begun);
        for (work, refuse) in group {
            if needs_savepoints {
                self.execute("SAVEPOINT piece")?;
            }
            match work(&self.connection) {
                Ok(done) => accepted.push((done, refuse)),
                Err(fault) => {
                    let error = fault.at(&self.path);
                    // On some errors SQLite gives up the whole transaction by itself.
                    if error.is_fatal() || self.connection.is_autocommit() {
                        // This one comes first in the list, because the first to be refused hears the error
                        // itself and the others only its consequence.
                        accepted.insert(0, (Box::new(|| ()), refuse));
                        return Err(Fault::Store(error));
                    }
                    refuse(error);
                    if !needs_savepoints {
                        return self.execute("ROLLBACK");
                    }
                    self.execute("ROLLBACK TO piece")?;
                }
            }
            if needs_savepoints {
                self.execute("RELEASE piece")?;
            }
        }
        // Read inside the transaction, but noted after the commit: the note may lag behind the store and must never be ahead of it.
        let newest = last::newest(&self.connection)?;
        self.steps.take(Step::Written);
        self.execute("COMMIT")?;
        self.last.note(newest);
        self.log_size.note();
        self.steps.take(Step::Committed);
        Ok(())
    }

    fn execute(&self, sql: &str) -> Outcome<()> {
        self.connection.prepare_cached(sql)?.execute([])?;
        Ok(())
    }

    /// A failure shows up at the next commit, which needs the same file.
    /// PASSIVE copies what it can and waits for nobody. The other modes wait for readers, and a slow search
    /// would hold up all commits.
    fn checkpoint(&self) {
        self.steps.take(Step::CheckpointBegun);
        let _ = self.connection.query_row("PRAGMA wal_checkpoint(PASSIVE)", [], |_| Ok(()));
        self.steps.take(Step::CheckpointEnded);
    }
}
