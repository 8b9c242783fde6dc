//! The store itself: opening it, and what it is made of.

use crate::appender::Appender;
use crate::connect::{Connector, Pool, Role, Settings};
use crate::counts::CountFolds;
use crate::floor::Floors;
use crate::follow::Follower;
use crate::wakeup::{Notifiers, WakeupMode};
use crate::{listener, periods, schema, upkeep};
use std::sync::Arc;
use std::time::Duration;
use tidemill_model::PartitionCount;
use tidemill_store::{Batch, PoolMeter, Result};

/// For what follows the log, and for the look at it before a read.
const FOLLOW_CONNECTIONS: usize = 4;

/// Called on the task that commits.
pub type BatchHook = Arc<dyn Fn(&Batch) + Send + Sync>;

#[derive(Clone)]
pub struct Options {
    /// A URL or keyword list as libpq takes it; what it leaves out comes from the `PG...` variables.
    pub url: String,
    /// Made when it is missing.
    pub schema: String,
    /// Fixed when the store is made.
    pub partitions: PartitionCount,
    /// Polling also says that a transaction pooler may stand in between: then nothing may rely on the session of a connection.
    pub wakeup: WakeupMode,
    /// Connections for commits: as many can be on their way at a time.
    pub write_connections: usize,
    /// Connections for what the engine loads, so that no search can hold it up.
    pub load_connections: usize,
    pub search_connections: usize,
    /// A search that takes longer is given up.
    pub search_limit_ms: u64,
    /// Days whose partitions are made ahead.
    pub days_ahead: u32,
    /// Reads of the inbox begin behind what was consumed this long ago; every so often they go all the way.
    pub inbox_floor_ms: u64,
    /// A batch waits this long before its changes reach the tables, unless somebody reads. At 0 they are written with the commit.
    pub follow_window_ms: u64,
    /// For benchmarks: sees every batch on its way to the server.
    pub on_batch: Option<BatchHook>,
}

impl Options {
    pub fn new(url: impl Into<String>) -> Options {
        Options {
            url: url.into(),
            schema: "tidemill".into(),
            partitions: PartitionCount::ONE,
            wakeup: WakeupMode::Notify,
            write_connections: 8,
            load_connections: 4,
            search_connections: 4,
            search_limit_ms: 10_000,
            days_ahead: 2,
            inbox_floor_ms: 10_000,
            follow_window_ms: 0,
            on_batch: None,
        }
    }
}

/// Dropping it closes its connections.
pub struct PostgresStore {
    pub(crate) partitions: PartitionCount,
    pub(crate) schema: String,
    pub(crate) is_pooled: bool,
    pub(crate) writes: Arc<Pool>,
    pub(crate) loads: Pool,
    pub(crate) searches: Pool,
    /// Apart from commits, which they must never wait behind.
    pub(crate) leases: Pool,
    /// Of all pools, that of appends too.
    pub(crate) meters: [Arc<PoolMeter>; 6],
    pub(crate) notifiers: Arc<Notifiers>,
    pub(crate) floors: Floors,
    pub(crate) counts: CountFolds,
    pub(crate) appender: Appender,
    pub(crate) follower: Arc<Follower>,
    pub(crate) on_batch: Option<BatchHook>,
}

impl PostgresStore {
    /// Connects, makes the schema if it is missing and brings it up to date.
    pub async fn open(options: &Options) -> Result<PostgresStore> {
        let connector = Arc::new(Connector::new(&options.url, options.search_limit_ms)?);
        let is_pooled = options.wakeup != WakeupMode::Notify;
        let settings = |role| Settings::new(&options.schema, role, is_pooled);
        let lacks_indexes =
            schema::prepare(&connector, &settings(Role::Engine), &options.schema, options.partitions).await?;
        let days_are_made =
            periods::make_ahead(&connector, &settings(Role::Engine), &options.schema, options.days_ahead)
                .await?;
        let pool = |role, name, connections| Pool::new(connector.clone(), settings(role), name, connections);
        let notifiers = Arc::new(Notifiers::new(options.partitions, &options.schema, options.wakeup));
        if options.wakeup == WakeupMode::Notify {
            listener::start(connector.clone(), settings(Role::Engine), &notifiers);
        }
        let appends = Arc::new(pool(Role::Engine, "appends", 2));
        let writes = Arc::new(pool(Role::Engine, "writes", options.write_connections));
        let loads = pool(Role::Engine, "loads", options.load_connections);
        let role = Role::Search { limit_ms: options.search_limit_ms };
        let searches = pool(role, "searches", options.search_connections);
        let leases = pool(Role::Engine, "leases", 2);
        let following = pool(Role::Engine, "following", FOLLOW_CONNECTIONS);
        let meters =
            [&*writes, &appends, &loads, &searches, &leases, &following].map(|pool| pool.meter().clone());
        upkeep::start(&writes, &connector, options, is_pooled, days_are_made, lacks_indexes);
        Ok(PostgresStore {
            partitions: options.partitions,
            schema: options.schema.clone(),
            is_pooled,
            writes,
            loads,
            searches,
            leases,
            meters,
            appender: Appender::start(appends, notifiers.clone()),
            notifiers,
            floors: Floors::new(options.partitions, Duration::from_millis(options.inbox_floor_ms)),
            counts: CountFolds::new(options.partitions),
            follower: Follower::new(
                following,
                options.partitions,
                Duration::from_millis(options.follow_window_ms),
            ),
            on_batch: options.on_batch.clone(),
        })
    }
}
