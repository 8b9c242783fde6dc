//! The store itself: opening and closing.

use crate::checkpoint::Checkpointer;
use crate::connect::{self, Role};
use crate::files;
use crate::last::{self, LastBatch};
use crate::lock::FileLock;
use crate::readers::Readers;
use crate::schema;
use crate::step::{BatchHook, StepHook, Steps};
use crate::wakeup::Notifiers;
use crate::watch::Watch;
use crate::writer::Writer;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tidemill_model::PartitionCount;
use tidemill_store::Result;

/// The settings of a store. Only the path, the partitions and the limit of searches can be set by operators;
/// the others have one good value and are fields so that tests can make them small.
#[derive(Clone)]
pub struct Options {
    pub path: PathBuf,
    /// Fixed when the file is made.
    pub partitions: PartitionCount,
    /// Connections for searches.
    /// A search occupies one of them on a blocking thread until it ends; further searches wait for a free one.
    pub search_readers: usize,
    /// Connections for what the engine loads, so that no search can hold it up.
    /// A partition reads rows while it reads a page of timers or of the inbox, so one would not do.
    pub load_readers: usize,
    /// A search that takes longer is given up.
    pub search_limit_ms: u64,
    /// The log is copied into the file when it has grown to this size.
    /// A page that was changed a hundred times is copied once: the longer the log may grow, the less is
    /// copied in all. But a start after a crash reads all of it.
    pub checkpoint_bytes: u64,
    /// The file may not grow beyond this; none lets it fill the disk.
    /// Tests meet a full disk by it.
    pub file_bytes_max: Option<u64>,
    /// For crash tests.
    pub on_step: Option<StepHook>,
    /// For benchmarks: sees every batch on its way to the writer.
    pub on_batch: Option<BatchHook>,
}

impl Options {
    pub fn new(path: impl AsRef<Path>) -> Options {
        Options {
            path: path.as_ref().to_owned(),
            partitions: PartitionCount::ONE,
            search_readers: 4,
            load_readers: 2,
            search_limit_ms: 10_000,
            checkpoint_bytes: 128 << 20,
            file_bytes_max: None,
            on_step: None,
            on_batch: None,
        }
    }
}

/// Dropping it closes the file.
pub struct SqliteStore {
    pub(crate) path: PathBuf,
    pub(crate) partitions: PartitionCount,
    // Fields are dropped in this order. The last connection to close copies the log into the file, so readers,
    // which cannot, go first; the checkpointer uses the writer; the lock goes last.
    pub(crate) searches: Readers,
    pub(crate) loads: Readers,
    _checkpointer: Checkpointer,
    pub(crate) writer: Arc<Writer>,
    pub(crate) notifiers: Notifiers,
    pub(crate) on_batch: Option<BatchHook>,
    _lock: FileLock,
}

impl SqliteStore {
    /// Opens the file, makes it if it is missing, brings its schema up to date. Blocks for as long as that takes.
    pub fn open(options: &Options) -> Result<SqliteStore> {
        let path = files::real_path(&options.path)?;
        // Taking the lock makes the file, so this must come first: afterwards a lost store would look like a new one.
        last::refuse_emptied(&path)?;
        let lock = FileLock::take(&path)?;
        // SQLite gives its log and index the permissions that the database has, so these are set before it opens the file.
        files::close_to_others(&path)?;
        let mut connection = connect::open(&path, Role::Writer)?;
        schema::prepare(&mut connection, &path, options.partitions)?;
        // This reads a table that only a migration may have made, and it must see the number of the last
        // batch before anything is written that raises it.
        let last = LastBatch::open(&connection, &path)?;
        if let Some(bytes) = options.file_bytes_max {
            connect::limit_size(&connection, &path, bytes)?;
        }
        let steps = Steps(options.on_step.clone());
        let writer =
            Arc::new(Writer::start(connection, &path, last, options.checkpoint_bytes, steps.clone())?);
        // The identity is that of the file which was locked. A look at the path would take a file that
        // replaced it meanwhile for the right one.
        let watch = Watch::new(&path, lock.identity);
        let checkpointer =
            Checkpointer::start(&path, watch, writer.clone(), options.checkpoint_bytes, steps)?;
        Ok(SqliteStore {
            partitions: options.partitions,
            _checkpointer: checkpointer,
            searches: Readers::open(
                &path,
                "searches",
                options.search_readers,
                Some(options.search_limit_ms),
                writer.clone(),
            )?,
            loads: Readers::open(&path, "loads", options.load_readers, None, writer.clone())?,
            path,
            notifiers: Notifiers::new(options.partitions),
            on_batch: options.on_batch.clone(),
            writer,
            _lock: lock,
        })
    }
}
