//! `tidemill serve`: the server.

use anyhow::{Context, Result, bail};
use clap::Args;
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tidemill_server::{Node, NodeConfig};
use tidemill_store_sqlite::{Options, SqliteStore};
use tokio::net::TcpListener;

/// How long open requests may take to end after the server was told to stop.
const DRAIN_MAX: Duration = Duration::from_secs(10);

#[derive(Args)]
pub(crate) struct Serve {
    /// Directory of the embedded store; made if it is missing.
    #[arg(long, env = "TIDEMILL_DATA", default_value = "tidemill-data", value_name = "DIR")]
    data: PathBuf,

    /// Address to listen on for HTTP.
    #[arg(long, env = "TIDEMILL_HTTP", default_value = "127.0.0.1:8080", value_name = "ADDRESS")]
    http: SocketAddr,

    /// Number of partitions; fixed when the store is made.
    #[arg(long, env = "TIDEMILL_PARTITIONS", default_value_t = 1, value_name = "N")]
    partitions: u16,

    /// Listen on an address that others can reach although there is no authentication yet.
    #[arg(long, env = "TIDEMILL_INSECURE_NO_AUTH")]
    insecure_no_auth: bool,
}

impl Serve {
    pub(crate) fn run(self) -> Result<()> {
        init_logging();
        if !self.http.ip().is_loopback() && !self.insecure_no_auth {
            bail!(
                "{} can be reached from other machines, and there is no authentication yet: everybody who reaches it \
                 could run processes. Use a loopback address, or say --insecure-no-auth",
                self.http
            );
        }
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        runtime.block_on(self.serve())
    }

    async fn serve(self) -> Result<()> {
        let began = Instant::now();
        let store = Arc::new(open_store(&self.data, self.partitions)?);
        let listener = TcpListener::bind(self.http)
            .await
            .with_context(|| format!("cannot listen on {}; is another server running there?", self.http))?;
        let address = listener.local_addr()?;
        let config =
            NodeConfig { host: address.ip().to_string(), port: address.port(), ..NodeConfig::default() };
        let node = Node::start(store.clone(), config).await?;
        let gateway = Gateway::new(node.clone(), store.clone(), store, GatewayConfig::default());
        tracing::info!(%address, data = %self.data.display(), ready_ms = began.elapsed().as_millis() as u64, "ready");
        let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
        let serving = tokio::spawn(gateway.serve(listener, async {
            let _ = stopped.await;
        }));
        let is_broken = tokio::select! {
            () = told_to_stop() => false,
            () = node.broken() => true,
        };
        tracing::info!("stopping");
        let _ = stop.send(());
        node.end_polls().await;
        let _ = tokio::time::timeout(DRAIN_MAX, serving).await;
        node.stop().await;
        if is_broken {
            bail!("a partition can no longer write; see the log above");
        }
        Ok(())
    }
}

fn open_store(data: &Path, partitions: u16) -> Result<SqliteStore> {
    std::fs::create_dir_all(data).with_context(|| format!("cannot make the directory {}", data.display()))?;
    let options = Options {
        partitions: tidemill_model::PartitionCount(partitions),
        ..Options::new(data.join("tidemill.db"))
    };
    Ok(SqliteStore::open(&options)?)
}

fn init_logging() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("TIDEMILL_LOG")
        .unwrap_or_else(|_| tracing_subscriber::EnvFilter::new("info"));
    tracing_subscriber::fmt().with_env_filter(filter).with_target(false).with_writer(std::io::stderr).init();
}

async fn told_to_stop() {
    let mut terminate = tokio::signal::unix::signal(tokio::signal::unix::SignalKind::terminate())
        .expect("the process may listen to its signals");
    tokio::select! {
        _ = tokio::signal::ctrl_c() => {}
        _ = terminate.recv() => {}
    }
}
