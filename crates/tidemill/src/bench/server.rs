//! The server under measurement, in a process of its own. It is told what to do on standard input, a word a
//! line, and answers each with a line of JSON.

use super::limit;
use super::place::BenchStore;
use super::recorder::Recorder;
use anyhow::{Context, Result};
use clap::Args;
use serde_json::{Value, json};
use std::io::BufRead;
use std::sync::Arc;
use tidemill_model::PartitionCount;
use tidemill_server::gateway::{Gateway, GatewayConfig};
use tidemill_server::{ClusterConfig, Node, NodeConfig};
use tokio::net::TcpListener;
use tokio::sync::oneshot;

#[derive(Args)]
pub(super) struct BenchServer {
    #[command(flatten)]
    place: BenchStore,

    #[arg(long)]
    partitions: u16,

    /// Others share the store
    #[arg(long)]
    secret: Option<String>,
}

impl BenchServer {
    pub(super) fn run(self) -> Result<()> {
        let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
        let partitions = PartitionCount(self.partitions);
        let recorder = Arc::new(Recorder::default());
        let cluster = self.secret.clone().map(|secret| ClusterConfig { secret: Some(secret) });
        let mut running =
            Some(runtime.block_on(Running::start(&self.place, partitions, cluster, recorder.clone()))?);
        for line in std::io::stdin().lock().lines() {
            let answer = match line.context("the bench has gone")?.as_str() {
                "counts" => counts(&recorder),
                "record" => told(|| recorder.keep(true)),
                "metrics on" => told(|| turn_metrics(running.as_ref(), true)),
                "metrics off" => told(|| turn_metrics(running.as_ref(), false)),
                "enough" => told(|| recorder.keep(false)),
                "limit" => {
                    if let Some(running) = running.take() {
                        runtime.block_on(running.stop());
                    }
                    let fresh = self.place.beside();
                    let limit = runtime.block_on(limit::measure(recorder.take(), &fresh, partitions))?;
                    serde_json::to_value(limit)?
                }
                _ => break,
            };
            println!("{answer}");
        }
        Ok(())
    }
}

fn told(act: impl FnOnce()) -> Value {
    act();
    json!({})
}

fn turn_metrics(running: Option<&Running>, is_on: bool) {
    if let Some(running) = running {
        running.node.metrics().turn(is_on);
    }
}

fn counts(recorder: &Recorder) -> Value {
    let counts = recorder.counts();
    json!({"commits": counts.commits, "rows": counts.rows, "instances": counts.instances})
}

struct Running {
    node: Arc<Node>,
    stop: oneshot::Sender<()>,
    serving: tokio::task::JoinHandle<std::io::Result<()>>,
}

impl Running {
    async fn start(
        place: &BenchStore,
        partitions: PartitionCount,
        cluster: Option<ClusterConfig>,
        recorder: Arc<Recorder>,
    ) -> Result<Running> {
        let store = place.open(partitions, Some(Arc::new(move |batch| recorder.note(batch)))).await?;
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        println!("{}", json!({"address": address}));
        let config = NodeConfig { port: address.port(), cluster, ..NodeConfig::default() };
        let node = Node::start(store.clone(), config).await?;
        let gateway = Gateway::new(node.clone(), store.clone(), store, GatewayConfig::default())
            .with_metrics(node.metrics().clone())
            .with_internal(node.internal_routes());
        let (stop, stopped) = oneshot::channel::<()>();
        let serving = tokio::spawn(gateway.serve(listener, async {
            // A sender that is gone means the same as one that has spoken.
            let _ = stopped.await;
        }));
        Ok(Running { node, stop, serving })
    }

    async fn stop(self) {
        let _ = self.stop.send(());
        self.node.end_waits().await;
        let _ = self.serving.await;
        self.node.stop().await;
    }
}
