//! The settings of a server: from flags, `TIDEMILL_*` variables and `tidemill.toml`, in this order.

use super::callbacks::CallbackOptions;
use super::listen::{ListenAddress, MetricsAddress};
use super::log_filter;
use super::measure::{Age, Size};
use super::redis_settings::RedisOptions;
use super::store_settings::{is_redis, is_shared};
use super::telemetry;
use anyhow::{Context, Result, bail};
use clap::Args;
use serde::Deserialize;
use std::net::{Ipv4Addr, SocketAddr};
use std::num::{NonZeroU32, NonZeroUsize};
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use tidemill_server::gateway::{GatewayConfig, OperationsConfig};
use tidemill_server::{ClusterConfig, DefinitionCacheConfig, NodeConfig, Telemetry, TimersConfig};

const FILE_DEFAULT: &str = "tidemill.toml";

/// Partitions that a key has room for.
const PARTITIONS: RangeInclusive<u16> = 1..=1024;
/// A lease that is shorter would be lost by a busy server.
const LEASE_MIN: Duration = Duration::from_secs(1);
/// Even a search with a few filters has so many bytes.
const BODY_BYTES_MIN: usize = 1 << 10;
const METRICS_PORT: u16 = 9600;
/// Memory is dear: who needs more of the past sets a retention.
const REDIS_HISTORY: Duration = Duration::from_secs(60 * 60);

/// How servers on one Postgres wake each other.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum Wakeup {
    Notify,
    Poll,
}

#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(crate) enum LogFormat {
    Text,
    Json,
}

/// Every setting may be absent: the next place is asked then.
#[derive(Args, Deserialize, Default, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(crate) struct Settings {
    /// Directory of the embedded store; made if it is missing [default: tidemill-data]
    #[arg(long, env = "TIDEMILL_DATA", value_name = "DIR", conflicts_with = "store")]
    pub(super) data: Option<PathBuf>,

    /// Where the state lives, as a URL: postgres://USER@HOST/DATABASE and redis://USER:PASSWORD@HOST:PORT/DB (or
    /// rediss:// for TLS; ?prefix=NAME for keys of its own) are shared by any number of servers, sqlite:PATH names the
    /// file itself
    #[arg(long, env = "TIDEMILL_STORE", value_name = "URL", hide_env_values = true)]
    pub(super) store: Option<String>,

    /// Schema of the Postgres store; made if it is missing [default: tidemill]
    #[arg(long, env = "TIDEMILL_SCHEMA", value_name = "NAME")]
    pub(super) schema: Option<String>,

    /// How servers on Postgres learn of each other's work: notify, or poll behind a transaction pooler
    /// [default: notify]
    #[arg(long, env = "TIDEMILL_WAKEUP", value_name = "MODE")]
    pub(super) wakeup: Option<Wakeup>,

    /// Connections to Postgres for commits: so many can be on their way [default: 8]
    #[arg(long, env = "TIDEMILL_WRITE_CONNECTIONS", value_name = "N")]
    pub(super) write_connections: Option<NonZeroUsize>,

    /// Connections to Postgres for what the engine loads [default: 4]
    #[arg(long, env = "TIDEMILL_LOAD_CONNECTIONS", value_name = "N")]
    pub(super) load_connections: Option<NonZeroUsize>,

    /// Connections to Postgres for searches [default: 4]
    #[arg(long, env = "TIDEMILL_SEARCH_CONNECTIONS", value_name = "N")]
    pub(super) search_connections: Option<NonZeroUsize>,

    /// A search that takes longer is given up [default: 10s]
    #[arg(long, env = "TIDEMILL_SEARCH_LIMIT", value_name = "AGE")]
    pub(super) search_limit: Option<Age>,

    /// Milliseconds that changes on Postgres may lie in the log before they are written to the tables, if nobody reads them
    /// before: more instances a second, and searches that wait for a part of that time. 0 writes them with each commit
    /// [default: 0]
    #[arg(long, env = "TIDEMILL_FOLLOW_WINDOW_MS", value_name = "N")]
    pub(super) follow_window_ms: Option<u64>,

    /// What the servers of one store know each other by; the same on all of them, and needed for more than one.
    /// Operators who show it can look after the server from other machines
    #[arg(long, env = "TIDEMILL_CLUSTER_SECRET", value_name = "TEXT", hide_env_values = true)]
    pub(super) cluster_secret: Option<String>,

    /// Where other servers of the same store reach this one, as HOST:PORT [default: the address that it listens on]
    #[arg(long, env = "TIDEMILL_ADVERTISE", value_name = "ADDRESS")]
    advertise: Option<String>,

    /// A server that is silent for so long loses its partitions to the others [default: 5s]
    #[arg(long, env = "TIDEMILL_LEASE", value_name = "AGE")]
    lease: Option<Age>,

    /// Address to listen on for HTTP [default: 127.0.0.1:8080]
    #[arg(long, env = "TIDEMILL_HTTP", value_name = "ADDRESS")]
    http: Option<ListenAddress>,

    /// Number of partitions, fixed when the store is made [default: 1; on Postgres and Redis what it was made with, or
    /// the cores]
    #[arg(long, env = "TIDEMILL_PARTITIONS", value_name = "N")]
    pub(super) partitions: Option<u16>,

    /// How long ended instances are kept: 30d, 12h, ... [default: forever; on Redis 1h, and less when more than half of
    /// maxmemory is used]; what `tidemill admin retention` has set goes before it
    #[arg(long, env = "TIDEMILL_HISTORY_RETENTION", value_name = "AGE")]
    history_retention: Option<Age>,

    /// How long the log of commands is kept as audit [default: 1d]; what `tidemill admin retention` has set goes
    /// before it
    #[arg(long, env = "TIDEMILL_LOG_RETENTION", value_name = "AGE")]
    log_retention: Option<Age>,

    /// Memory for service timers that are due soon, shared by all partitions [default: 128MB]
    #[arg(long, env = "TIDEMILL_TIMER_MEMORY", value_name = "SIZE")]
    timer_memory: Option<Size>,

    /// Timers that one commit of a partition fires at most: how fast those are made up for that fell due while no
    /// server ran [default: 20000]
    #[arg(long, env = "TIDEMILL_TIMERS_PER_COMMIT", value_name = "N")]
    timers_per_commit: Option<NonZeroUsize>,

    /// How long the own id of a service timer is known after it has fired, so that a cancellation hears of it [default: not at all]
    #[arg(long, env = "TIDEMILL_TIMER_IDS_KEPT", value_name = "AGE")]
    timer_ids_kept: Option<Age>,

    /// Definitions that are kept in memory, ready to run [default: 1000]
    #[arg(long, env = "TIDEMILL_DEFINITION_CACHE_ENTRIES", value_name = "N")]
    definition_cache_entries: Option<NonZeroUsize>,

    /// Memory for them [default: 100MB]
    #[arg(long, env = "TIDEMILL_DEFINITION_CACHE_MEMORY", value_name = "SIZE")]
    definition_cache_memory: Option<Size>,

    /// Load the definitions of active instances when the server starts, beside its work [default: true]
    #[arg(long, env = "TIDEMILL_DEFINITION_WARM_UP", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true)]
    definition_warm_up: Option<bool>,

    /// Commands per second that a tenant may send; more get 429 [default: no limit]
    #[arg(long, env = "TIDEMILL_TENANT_RATE", value_name = "N")]
    tenant_rate: Option<NonZeroU32>,

    /// Largest request body; larger ones get 413 [default: 4MB]
    #[arg(long, env = "TIDEMILL_BODY_LIMIT", value_name = "SIZE")]
    body_limit: Option<Size>,

    /// Largest deployment; larger ones get 413 [default: 32MB]
    #[arg(long, env = "TIDEMILL_DEPLOYMENT_LIMIT", value_name = "SIZE")]
    deployment_limit: Option<Size>,

    /// Memory for all request bodies that are in hand at the same time; what does not fit waits, then gets 503
    /// [default: 256MB]
    #[arg(long, env = "TIDEMILL_BODY_MEMORY", value_name = "SIZE")]
    body_memory: Option<Size>,

    /// Connections at the same time; when there are more, those that only wait are closed [default: 10000, or what
    /// the limit of open files leaves]
    #[arg(long, env = "TIDEMILL_CONNECTIONS", value_name = "N")]
    connections: Option<usize>,

    #[command(flatten)]
    callbacks: CallbackOptions,

    #[command(flatten)]
    pub(super) redis: RedisOptions,

    /// Listen on an address that other machines can reach although there is no authentication; on a loopback
    /// address, let foreign web pages in
    #[arg(long, env = "TIDEMILL_INSECURE_NO_AUTH", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true)]
    insecure_no_auth: Option<bool>,

    /// Let clients set the clock (PUT /v2/clock), for tests: whoever does moves the time of all instances
    #[arg(long, env = "TIDEMILL_PINNED_CLOCK", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true)]
    pinned_clock: Option<bool>,

    /// Refuse an instance whose business id another root instance of the same process has while it runs
    #[arg(long, env = "TIDEMILL_UNIQUE_BUSINESS_IDS", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true)]
    unique_business_ids: Option<bool>,

    /// Leave out the pages for people at /ui
    #[arg(long, env = "TIDEMILL_NO_UI", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true)]
    no_ui: Option<bool>,

    /// Deploy an example, work on it and tell what to try
    #[arg(long, env = "TIDEMILL_DEMO", value_name = "BOOL", num_args = 0..=1, require_equals = true,
        default_missing_value = "true", hide_possible_values = true)]
    demo: Option<bool>,

    /// What to log: error, warn, info, debug, or a filter like info,tidemill_server=debug [default: info]
    #[arg(long, env = "TIDEMILL_LOG", value_name = "FILTER")]
    log: Option<String>,

    /// How to log: text for people, or a JSON object a line [default: text]
    #[arg(long, env = "TIDEMILL_LOG_FORMAT", value_name = "FORMAT")]
    log_format: Option<LogFormat>,

    /// Address of the metrics for Prometheus, at /metrics there; off for none [default: 127.0.0.1:9600]
    #[arg(long, env = "TIDEMILL_METRICS", value_name = "ADDRESS")]
    metrics: Option<MetricsAddress>,

    /// Collector of OpenTelemetry that gets traces and metrics, as http://HOST:4318; the OTEL_* variables count too
    /// [default: none]
    #[arg(long, env = "TIDEMILL_OTLP_ENDPOINT", value_name = "URL")]
    otlp_endpoint: Option<String>,
}

impl Settings {
    /// Adds what the file says about everything that was not given. Without a named file, `tidemill.toml` is
    /// read where there is one.
    pub(crate) fn complete(self, file: Option<&Path>) -> Result<Settings> {
        let path = file.unwrap_or(Path::new(FILE_DEFAULT));
        let place = match &self.log {
            Some(_) => "--log or TIDEMILL_LOG".to_owned(),
            None => format!("log in {}", path.display()),
        };
        let all = if file.is_none() && !path.exists() { self } else { self.or(Settings::read(path)?) };
        all.check()?;
        log_filter::check(all.log(), &place)?;
        Ok(all)
    }

    fn read(path: &Path) -> Result<Settings> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read the settings in {}", path.display()))?;
        let settings: Settings =
            toml::from_str(&text).with_context(|| format!("{} is no settings file", path.display()))?;
        if settings.data.is_some() && settings.store.is_some() {
            bail!("{} sets both data and store; use one of them", path.display());
        }
        Ok(settings)
    }

    /// Bounds hold wherever a value comes from, and before anything is made.
    fn check(&self) -> Result<()> {
        if let Some(partitions) = self.partitions.filter(|partitions| !PARTITIONS.contains(partitions)) {
            let (least, most) = (PARTITIONS.start(), PARTITIONS.end());
            bail!("partitions = {partitions} is out of range; a store has {least} to {most} of them");
        }
        if self.lease.is_some_and(|lease| lease.0 < LEASE_MIN) {
            bail!("the lease is too short; write 1s or more, such as 5s");
        }
        if self.connections == Some(0) {
            bail!("connections = 0 lets nobody in; write 1 or more");
        }
        if self.search_limit.is_some_and(|limit| limit.0.is_zero()) {
            bail!("search-limit = 0 gives every search up; write 1s or more, such as 30s");
        }
        let limits = [("body-limit", self.body_limit), ("deployment-limit", self.deployment_limit)];
        for (name, limit) in limits {
            if let Some(size) = limit.filter(|limit| limit.0 < BODY_BYTES_MIN) {
                bail!("{name} = {} refuses every request; write 1kB or more, such as 4MB", size.0);
            }
        }
        Ok(())
    }

    fn or(self, other: Settings) -> Settings {
        let names_store = self.data.is_some() || self.store.is_some();
        Settings {
            data: if names_store { self.data } else { other.data },
            store: if names_store { self.store } else { other.store },
            http: self.http.or(other.http),
            schema: self.schema.or(other.schema),
            wakeup: self.wakeup.or(other.wakeup),
            write_connections: self.write_connections.or(other.write_connections),
            load_connections: self.load_connections.or(other.load_connections),
            search_connections: self.search_connections.or(other.search_connections),
            search_limit: self.search_limit.or(other.search_limit),
            follow_window_ms: self.follow_window_ms.or(other.follow_window_ms),
            cluster_secret: self.cluster_secret.or(other.cluster_secret),
            advertise: self.advertise.or(other.advertise),
            lease: self.lease.or(other.lease),
            partitions: self.partitions.or(other.partitions),
            history_retention: self.history_retention.or(other.history_retention),
            log_retention: self.log_retention.or(other.log_retention),
            timer_memory: self.timer_memory.or(other.timer_memory),
            timers_per_commit: self.timers_per_commit.or(other.timers_per_commit),
            timer_ids_kept: self.timer_ids_kept.or(other.timer_ids_kept),
            tenant_rate: self.tenant_rate.or(other.tenant_rate),
            body_limit: self.body_limit.or(other.body_limit),
            deployment_limit: self.deployment_limit.or(other.deployment_limit),
            body_memory: self.body_memory.or(other.body_memory),
            connections: self.connections.or(other.connections),
            callbacks: self.callbacks.or(other.callbacks),
            redis: self.redis.or(other.redis),
            insecure_no_auth: self.insecure_no_auth.or(other.insecure_no_auth),
            pinned_clock: self.pinned_clock.or(other.pinned_clock),
            unique_business_ids: self.unique_business_ids.or(other.unique_business_ids),
            no_ui: self.no_ui.or(other.no_ui),
            demo: self.demo.or(other.demo),
            log: self.log.or(other.log),
            log_format: self.log_format.or(other.log_format),
            metrics: self.metrics.or(other.metrics),
            otlp_endpoint: self.otlp_endpoint.or(other.otlp_endpoint),
            definition_cache_entries: self.definition_cache_entries.or(other.definition_cache_entries),
            definition_cache_memory: self.definition_cache_memory.or(other.definition_cache_memory),
            definition_warm_up: self.definition_warm_up.or(other.definition_warm_up),
        }
    }

    /// Where to listen. Other machines may be let in only by somebody who has read what that means.
    pub(crate) fn address(&self) -> Result<SocketAddr> {
        let address = self.http.map_or(SocketAddr::from((Ipv4Addr::LOCALHOST, 8080)), |address| address.0);
        if !address.ip().is_loopback() && !self.insecure_no_auth.unwrap_or_default() {
            bail!(
                "{address} can be reached from other machines, and there is no authentication yet: everybody who \
                 reaches it could run processes and read their data. Use a loopback address such as \
                 127.0.0.1:{}, or say --insecure-no-auth",
                address.port()
            );
        }
        Ok(address)
    }

    pub(crate) fn node(&self, address: SocketAddr) -> Result<NodeConfig> {
        let config = NodeConfig::default();
        let (host, port) = match &self.advertise {
            Some(advertised) => advertised
                .rsplit_once(':')
                .and_then(|(host, port)| Some((host.to_owned(), port.parse().ok()?)))
                .with_context(|| format!("'{advertised}' is no HOST:PORT that other servers could reach"))?,
            None => (reachable_host(address), address.port()),
        };
        let telemetry = telemetry::config(self.otlp_endpoint.as_deref(), &format!("{host}:{port}"))?
            .map(|config| Arc::new(Telemetry::new(config)));
        let cluster = self
            .store
            .as_deref()
            .is_some_and(is_shared)
            .then(|| ClusterConfig { secret: self.cluster_secret.clone() });
        Ok(NodeConfig {
            host,
            port,
            lease: self.lease.map_or(config.lease, |age| age.0),
            cluster,
            history_retention: self
                .history_retention
                .map(|age| age.0)
                .or(self.store.as_deref().is_some_and(is_redis).then_some(REDIS_HISTORY))
                .or(config.history_retention),
            log_retention: self.log_retention.map_or(config.log_retention, |age| age.0),
            timers: TimersConfig {
                memory_bytes: self.timer_memory.map_or(config.timers.memory_bytes, |size| size.0),
                fired_per_commit: self
                    .timers_per_commit
                    .map_or(config.timers.fired_per_commit, NonZeroUsize::get),
                fired_ids_kept: self.timer_ids_kept.map_or(config.timers.fired_ids_kept, |age| age.0),
            },
            callbacks: Some(self.callbacks.settings()),
            definitions: DefinitionCacheConfig {
                entries_max: self
                    .definition_cache_entries
                    .map_or(config.definitions.entries_max, NonZeroUsize::get),
                bytes_max: self.definition_cache_memory.map_or(config.definitions.bytes_max, |size| size.0),
                warms_up: self.definition_warm_up.unwrap_or(config.definitions.warms_up),
            },
            counts: self.metrics_address().is_some()
                || telemetry.as_ref().is_some_and(|telemetry| telemetry.exports_metrics()),
            telemetry,
            ..config
        })
    }

    pub(crate) fn operations(&self, node: &NodeConfig) -> OperationsConfig {
        OperationsConfig { secret: self.cluster_secret.clone(), retention: node.retention() }
    }

    /// `room` is how many connections the system has room for.
    pub(crate) fn gateway(&self, room: usize) -> GatewayConfig {
        let config = GatewayConfig::default();
        let wanted = self.connections.unwrap_or(config.connections_max);
        if room < wanted {
            tracing::warn!(
                "Expected to serve {wanted} connections, but the limit of open files leaves room for {room}. Raise the \
                 limit (ulimit -n, LimitNOFILE), or lower --connections"
            );
        }
        GatewayConfig {
            connections_max: wanted.min(room),
            body_room_bytes: self.body_memory.map_or(config.body_room_bytes, |size| size.0),
            body_bytes_max: self.body_limit.map_or(config.body_bytes_max, |size| size.0),
            deployment_bytes_max: self.deployment_limit.map_or(config.deployment_bytes_max, |size| size.0),
            tenant_commands_per_second: self.tenant_rate,
            pins_clock: self.pinned_clock.unwrap_or_default(),
            unique_business_ids: self.unique_business_ids.unwrap_or_default(),
            admits_foreign_pages: self.insecure_no_auth.unwrap_or_default(),
            ..config
        }
    }

    /// Where metrics are served, if they are, and whether somebody has asked for that address.
    pub(crate) fn metrics_address(&self) -> Option<SocketAddr> {
        let default = MetricsAddress::At(SocketAddr::from((Ipv4Addr::LOCALHOST, METRICS_PORT)));
        match self.metrics.unwrap_or(default) {
            MetricsAddress::At(address) => Some(address),
            MetricsAddress::Off => None,
        }
    }

    pub(crate) fn names_metrics(&self) -> bool {
        self.metrics.is_some()
    }

    pub(crate) fn logs_json(&self) -> bool {
        self.log_format == Some(LogFormat::Json)
    }

    /// True if pages for people are served.
    pub(crate) fn has_pages(&self) -> bool {
        !self.no_ui.unwrap_or_default()
    }

    pub(crate) fn is_demo(&self) -> bool {
        self.demo.unwrap_or_default()
    }

    pub(crate) fn log(&self) -> &str {
        self.log.as_deref().unwrap_or("info")
    }
}

/// A server that listens everywhere is known by the name of its machine.
fn reachable_host(address: SocketAddr) -> String {
    let name = || std::fs::read_to_string("/proc/sys/kernel/hostname").ok();
    match address {
        _ if address.ip().is_unspecified() => {
            name().map_or_else(|| "localhost".to_owned(), |name| name.trim().to_owned())
        }
        SocketAddr::V4(address) => address.ip().to_string(),
        SocketAddr::V6(address) => format!("[{}]", address.ip()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::store_settings::{POLL_EVERY_MS, StoreSettings, sqlite_path};
    use super::*;
    use std::fs::Permissions;
    use std::os::unix::fs::PermissionsExt;
    use tidemill_store_postgres::WakeupMode;
    use tidemill_store_redis::Durability;

    fn read(text: &str) -> Settings {
        toml::from_str(text).expect("is well formed")
    }

    #[test]
    fn what_is_given_goes_before_the_file() {
        let given = Settings { http: Some("127.0.0.1:1".parse().expect("valid")), ..Settings::default() };
        let file = read("http = '127.0.0.1:2'\npartitions = 4\nhistory-retention = '7d'");
        let settings = given.or(file);
        assert_eq!(settings.address().expect("loopback").port(), 1);
        assert_eq!(settings.partitions, Some(4));
        assert_eq!(settings.history_retention, Some("7d".parse().expect("valid")));
    }

    #[test]
    fn a_named_store_replaces_the_directory_of_the_file() {
        let given = Settings { store: Some("sqlite:here.db".to_owned()), ..Settings::default() };
        assert_eq!(given.or(read("data = 'there'")).store_file().expect("named"), PathBuf::from("here.db"));
        assert!(toml::from_str::<Settings>("partition = 4").is_err(), "a typing error is told");
    }

    #[test]
    fn the_data_directory_is_for_the_server_alone() {
        let home = tempfile::tempdir().expect("a directory");
        let data = home.path().join("a").join("data");
        let settings = Settings { data: Some(data.clone()), ..Settings::default() };
        let mode = |path: &Path| std::fs::metadata(path).expect("there").permissions().mode() & 0o777;
        for _ in 0..2 {
            settings.store_file().expect("made");
            assert_eq!(mode(&data), 0o700);
            std::fs::set_permissions(&data, Permissions::from_mode(0o755)).expect("changes");
        }
        let shared = format!("sqlite:{}", data.join("x.db").display());
        Settings { store: Some(shared), ..Settings::default() }.store_file().expect("there");
        assert_eq!(mode(&data), 0o755, "whoever names a file may share its directory");
    }

    #[test]
    fn only_stores_that_exist_are_taken() {
        assert_eq!(sqlite_path("sqlite:a/b.db").expect("known"), PathBuf::from("a/b.db"));
        assert_eq!(sqlite_path("sqlite:///a/b.db").expect("known"), PathBuf::from("/a/b.db"));
        let refusal = |url: &str| sqlite_path(url).expect_err("refused").to_string();
        assert!(refusal("postgres://localhost/x").contains("no embedded store"));
        assert!(refusal("redis://localhost").contains("no embedded store"));
        assert!(refusal("redis-cluster://localhost").contains("not in this version"));
        assert!(refusal("tidemill.db").contains("is no store"));
    }

    #[test]
    fn servers_of_one_store_know_each_other() {
        let file = "store = 'postgres://localhost/x'\ncluster-secret = 'only-between-us-two'\nwakeup = 'poll'\nlease = '3s'";
        let settings = read(file);
        let node = settings.node("127.0.0.1:7".parse().expect("valid")).expect("complete");
        assert_eq!(node.cluster.and_then(|cluster| cluster.secret).as_deref(), Some("only-between-us-two"));
        assert_eq!((node.host.as_str(), node.port, node.lease.as_secs()), ("127.0.0.1", 7, 3));
        let StoreSettings::Postgres { options, .. } = settings.store().expect("valid") else {
            panic!("another store")
        };
        assert_eq!(options.wakeup, WakeupMode::Poll { every_ms: POLL_EVERY_MS });
        let short = Settings { cluster_secret: Some("guess".to_owned()), ..settings };
        assert!(short.store().is_err_and(|error| error.to_string().contains("at least 16")));
        let named = Settings { advertise: Some("engine-1:80".to_owned()), ..Settings::default() };
        assert_eq!(named.node("0.0.0.0:7".parse().expect("valid")).expect("complete").host, "engine-1");
        let alone = Settings::default().node("127.0.0.1:7".parse().expect("valid")).expect("complete");
        assert!(alone.cluster.is_none(), "nobody else can open a file");
    }

    #[test]
    fn a_store_on_redis_is_shared_and_forgets_soon() {
        let settings =
            read("store = 'redis://u:p@h:1/2?prefix=mine'\nredis.durability = 'everysec'\npartitions = 3");
        let StoreSettings::Redis { options, partitions } = settings.store().expect("valid") else {
            panic!("another store")
        };
        assert_eq!((options.url.as_str(), options.prefix.as_str()), ("redis://u:p@h:1/2", "mine"));
        assert_eq!((options.durability, partitions), (Durability::EverySecond, Some(3)));
        assert!(!options.may_configure, "only on purpose");
        let node = settings.node("127.0.0.1:7".parse().expect("valid")).expect("complete");
        assert!(node.cluster.is_some());
        assert_eq!(node.history_retention, Some(Duration::from_secs(3_600)));
        let kept = Settings { history_retention: Some("2d".parse().expect("valid")), ..settings };
        let node = kept.node("127.0.0.1:7".parse().expect("valid")).expect("complete");
        assert_eq!(node.history_retention, Some(Duration::from_secs(2 * 86_400)));
        assert!(toml::from_str::<Settings>("redis.durability = 'sometimes'").is_err());
    }

    #[test]
    fn bounds_hold_for_the_file_too() {
        let refusal = |text: &str| read(text).check().expect_err("refused").to_string();
        assert!(refusal("partitions = 0").contains("1 to 1024"));
        assert!(refusal("partitions = 5000").contains("1 to 1024"));
        assert!(refusal("lease = '0s'").contains("1s or more"));
        assert!(refusal("body-limit = '0'").contains("body-limit"));
        assert!(read("partitions = 1024\nlease = '1s'\nbody-limit = '1kB'\ndemo = true").check().is_ok());
    }

    #[test]
    fn strangers_are_let_in_only_on_purpose() {
        let open = Settings { http: Some("0.0.0.0:8080".parse().expect("valid")), ..Settings::default() };
        assert!(open.address().expect_err("refused").to_string().contains("no authentication"));
        let on_purpose = Settings { insecure_no_auth: Some(true), ..open };
        assert!(on_purpose.address().is_ok());
    }
}
