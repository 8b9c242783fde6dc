//! `tidemill serve`: the server.

mod callbacks;
mod demo;
mod files;
mod listen;
mod log_filter;
mod logging;
mod measure;
mod redis_settings;
mod scraping;
mod settings;
mod store;
mod store_settings;
mod telemetry;

pub(crate) use measure::Age;
pub(crate) use store_settings::{is_postgres, is_redis, sqlite_path};

use anyhow::{Context, Result, bail};
use clap::Args;
use settings::Settings;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use tidemill_server::gateway::Gateway;
use tidemill_server::timers::service::TimerService;
use tidemill_server::{Node, export_telemetry};
use tokio::net::TcpListener;
use tokio::signal::unix::{Signal, SignalKind, signal};

/// How long open requests may take to end after the server was told to stop.
const DRAIN_MAX: Duration = Duration::from_secs(10);
/// How long stopping may take in all: a store that is away is not waited for.
const STOP_MAX: Duration = Duration::from_secs(15);

/// Run a server
///
/// State lives in one file, by default in ./tidemill-data, or in a Postgres or Redis that any number of servers share:
/// each takes its share of the work, takes any request, and takes over from those that stop or die. The server stops
/// cleanly on Ctrl-C and SIGTERM: it finishes what runs and hands its partitions over.
///
/// Every option can also be set by its TIDEMILL_* variable or, under the name of its flag, in tidemill.toml. A flag
/// goes before a variable, a variable before the file. Those of callbacks and of Redis are tables of the file:
/// --callbacks-allow is callbacks.allow there.
#[derive(Args)]
#[command(after_help = "\
Examples:
  tidemill serve --demo                          try it: an example process with a worker
  tidemill serve --data /var/lib/tidemill        keep the state there
  tidemill serve --store sqlite:orders.db        name the file itself
  tidemill serve --history-retention 30d         forget ended instances after 30 days
  tidemill serve --store postgres://tidemill@db/tidemill --cluster-secret \"$SECRET\"
                                                 on Postgres; run the same on as many machines as you like
  tidemill serve --store redis://:PASSWORD@cache:6379/0?prefix=orders --cluster-secret \"$SECRET\"
                                                 the same on Redis, with keys that begin with {orders

tidemill.toml:
  http = \"127.0.0.1:8080\"
  data = \"/var/lib/tidemill\"
  history-retention = \"30d\"
  tenant-rate = 1000")]
pub(crate) struct Serve {
    #[command(flatten)]
    settings: Settings,

    /// File with settings [default: tidemill.toml, where there is one]
    #[arg(long, env = "TIDEMILL_CONFIG", value_name = "FILE")]
    config: Option<PathBuf>,
}

impl Serve {
    pub(crate) fn run(self) -> Result<()> {
        let settings = self.settings.complete(self.config.as_deref())?;
        logging::begin(settings.log(), settings.logs_json())?;
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let served = runtime.block_on(serve(settings));
        // Tasks that still run are cut off: a stop must not wait for a store that is away.
        runtime.shutdown_background();
        served
    }
}

async fn serve(settings: Settings) -> Result<()> {
    let began = Instant::now();
    let wanted = settings.address()?;
    // Clients that come before the store is open wait; a server that cannot listen makes no store.
    let listener = TcpListener::bind(wanted).await.with_context(|| {
        format!(
            "cannot listen on {wanted}; is another server running there? --http :{port} takes another port, \
                 TIDEMILL_URL=http://127.0.0.1:{port} tells clients",
            port = next_port(wanted.port())
        )
    })?;
    let (store, store_name) = store::open(settings.store()?).await?;
    let address = listener.local_addr()?;
    let metrics_listener = scraping::listen(&settings).await?;
    let config = settings.node(address)?;
    let operations = settings.operations(&config);
    let telemetry = config.telemetry.clone();
    let node = Node::start(store.clone(), config).await?;
    let mut gateway =
        Gateway::new(node.clone(), store.clone(), store.clone(), settings.gateway(files::connections_max()))
            .with_operations(store.clone(), operations)
            .with_timers(TimerService::new(node.clone()))
            .with_metrics(node.metrics().clone())
            .with_internal(node.internal_routes());
    if settings.has_pages() {
        gateway = gateway.with_pages(tidemill_ui::routes(store, node.clone()));
    }
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let serving = tokio::spawn(gateway.serve(listener, async {
        // A sender that is gone means the same as one that has spoken.
        let _ = stopped.await;
    }));
    // Before the line that says it is ready: whoever reads it may tell the server to stop at once.
    let mut signals = Signals::listen();
    let metrics = scraping::begin(metrics_listener, &node)?;
    let exporting = telemetry.map(|telemetry| {
        let (stop, stopped) = tokio::sync::oneshot::channel();
        (stop, tokio::spawn(export_telemetry(telemetry, node.clone(), stopped)))
    });
    tracing::info!(
        %address,
        store = %store_name,
        metrics,
        version = env!("CARGO_PKG_VERSION"),
        node = node.name(),
        partitions = node.partitions_owned(),
        ready_ms = began.elapsed().as_millis() as u64,
        "ready"
    );
    if settings.is_demo() {
        demo::begin(address, settings.has_pages());
    }
    let is_broken = tokio::select! {
        () = signals.tell_to_stop() => false,
        () = node.broken() => true,
    };
    tracing::info!("stopping");
    // A server that no longer listens has stopped already.
    let _ = stop.send(());
    tokio::select! {
        () = hand_over(&node, serving) => {}
        () = tokio::time::sleep(STOP_MAX) => bail!(
            "Expected to hand the partitions over within {STOP_MAX:?}, but the store does not answer. Others take them \
             over when the lease has run out"
        ),
        () = signals.tell_to_stop() => bail!("Expected to hand the partitions over, but was told a second time to stop"),
    }
    if let Some((stop, exporting)) = exporting {
        // The spans of the last requests, as far as the collector takes them soon.
        let _ = stop.send(());
        let _ = exporting.await;
    }
    if is_broken {
        bail!("a partition can no longer write; see the log above");
    }
    tracing::info!("stopped");
    Ok(())
}

/// A port to propose instead of one that is taken.
fn next_port(taken: u16) -> u16 {
    taken.checked_add(10).unwrap_or(8090)
}

async fn hand_over(node: &Node, serving: tokio::task::JoinHandle<std::io::Result<()>>) {
    node.end_waits().await;
    let drain = async {
        if tokio::time::timeout(DRAIN_MAX, serving).await.is_err() {
            tracing::warn!(waited = ?DRAIN_MAX, "some requests did not end and were cut off");
        }
    };
    if node.has_company() {
        // Others go on at once; requests that are still open here go to them.
        tokio::join!(drain, node.stop());
    } else {
        drain.await;
        node.stop().await;
    }
}

/// The signals that tell the server to stop.
struct Signals {
    terminate: Signal,
    interrupt: Signal,
}

impl Signals {
    fn listen() -> Signals {
        let listen = |kind| signal(kind).expect("a process may listen to its signals");
        Signals { terminate: listen(SignalKind::terminate()), interrupt: listen(SignalKind::interrupt()) }
    }

    /// Returns when the next of them has come.
    async fn tell_to_stop(&mut self) {
        tokio::select! {
            _ = self.terminate.recv() => {}
            _ = self.interrupt.recv() => {}
        }
    }
}
