//! The listener of the metrics.

use super::next_port;
use super::settings::Settings;
use anyhow::{Result, bail};
use std::sync::Arc;
use tidemill_server::{Node, serve_metrics};
use tokio::net::TcpListener;

/// None where there are no metrics. A server that was not told where to serve them goes on without, because others on the same machine may
/// have the usual port.
pub(super) async fn listen(settings: &Settings) -> Result<Option<TcpListener>> {
    let Some(address) = settings.metrics_address() else { return Ok(None) };
    match TcpListener::bind(address).await {
        Ok(listener) => Ok(Some(listener)),
        Err(error) => {
            let port = next_port(address.port());
            let reason = format!(
                "cannot serve metrics on {address}: {error}. --metrics :{port} takes another port, --metrics off none"
            );
            if settings.names_metrics() {
                bail!(reason);
            }
            tracing::warn!("{reason}");
            Ok(None)
        }
    }
}

/// Gives the address, for the log.
pub(super) fn begin(listener: Option<TcpListener>, node: &Arc<Node>) -> Result<String> {
    let Some(listener) = listener else { return Ok("off".to_owned()) };
    let address = listener.local_addr()?;
    let serving = serve_metrics(listener, node.clone());
    tokio::spawn(async move {
        if let Err(error) = serving.await {
            tracing::error!(%error, "metrics are no longer served; start the server again to have them");
        }
    });
    Ok(address.to_string())
}
