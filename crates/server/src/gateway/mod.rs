//! The REST API (v2): reads requests, asks the engine or the store, shows the answers. One file per resource;
//! shapes, errors and search each have one place for all of them.

mod answer;
mod call;
mod commands;
mod docs;
mod element_instances;
mod expressions;
mod findings;
mod forms;
mod handlers;
mod incidents;
mod jobs;
mod json;
mod listing;
mod messages;
mod openapi;
mod operations;
mod problem;
mod process_definitions;
mod process_instances;
mod rates;
mod resources;
mod router;
pub mod schema;
mod search;
mod submit;
mod system;
mod user_tasks;
mod variables;

use crate::broker::Broker;
use axum::serve::ListenerExt;
use problem::Problem;
use rates::Rates;
use std::net::SocketAddr;
use std::num::NonZeroU32;
use std::sync::Arc;
use tidemill_bpmn::Process;
use tidemill_model::DefinitionKey;
use tidemill_store::{Definitions, Query, Store};
use tokio::net::TcpListener;

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct GatewayConfig {
    /// Of request bodies other than deployments.
    pub body_bytes_max: usize,
    pub deployment_bytes_max: usize,
    /// None sets no limit.
    pub tenant_commands_per_second: Option<NonZeroU32>,
}

impl Default for GatewayConfig {
    fn default() -> GatewayConfig {
        GatewayConfig {
            body_bytes_max: 4 * 1024 * 1024,
            deployment_bytes_max: 32 * 1024 * 1024,
            tenant_commands_per_second: None,
        }
    }
}

pub struct Gateway {
    broker: Arc<dyn Broker>,
    queries: Arc<dyn Query>,
    definitions: Arc<dyn Definitions>,
    config: GatewayConfig,
    rates: Rates,
    /// Where operators may look and act.
    operated: Option<Arc<dyn Store>>,
}

impl Gateway {
    pub fn new(
        broker: Arc<dyn Broker>,
        queries: Arc<dyn Query>,
        definitions: Arc<dyn Definitions>,
        config: GatewayConfig,
    ) -> Gateway {
        let rates = Rates::new(config.tenant_commands_per_second);
        Gateway { broker, queries, definitions, config, rates, operated: None }
    }

    /// Offers the endpoints for operators as well.
    pub fn with_operations(self, store: Arc<dyn Store>) -> Gateway {
        Gateway { operated: Some(store), ..self }
    }

    /// A deployed process; none for an unknown key.
    async fn process(&self, definition: DefinitionKey) -> Result<Option<Arc<Process>>, Problem> {
        self.broker.process(definition).await.map_err(|error| Problem::command("READ", error))
    }

    /// Everything that is served over HTTP.
    pub fn router(self) -> axum::Router {
        router::router(Arc::new(self))
    }

    /// Serves HTTP until `stop` is done and open requests have their answers.
    pub async fn serve(
        self,
        listener: TcpListener,
        stop: impl Future<Output = ()> + Send + 'static,
    ) -> std::io::Result<()> {
        // Answers are small and complete: waiting for more bytes would only delay them.
        let listener = listener.tap_io(|stream| drop(stream.set_nodelay(true)));
        let service = self.router().into_make_service_with_connect_info::<SocketAddr>();
        axum::serve(listener, service).with_graceful_shutdown(stop).await
    }
}
