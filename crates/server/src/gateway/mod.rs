//! The REST API (v2): reads requests, asks the engine or the store, shows the answers. One file per resource;
//! shapes, errors and search each have one place for all of them.

#[macro_use]
mod any_case;

mod accept;
mod answer;
mod bodies;
mod call;
mod commands;
mod docs;
mod element_instances;
mod evaluations;
mod expressions;
mod findings;
mod forms;
mod guard;
mod handlers;
mod incidents;
mod jobs;
mod json;
mod listing;
mod message_subscriptions;
mod messages;
mod modelled;
mod observed;
mod openapi;
mod openapi_own;
mod operations;
mod problem;
mod process_definitions;
mod process_instances;
mod rates;
mod reference;
mod resources;
mod router;
pub mod schema;
mod search;
mod serving;
mod submit;
mod system;
mod timers;
mod user_tasks;
mod variables;

pub(crate) use json::{JsonText, date_text, parse_date};
pub use operations::OperationsConfig;

use crate::broker::Broker;
use crate::metrics::Metrics;
use crate::timers::service::TimerService;
use bodies::BodyRoom;
use evaluations::Evaluations;
use problem::Problem;
use rates::Rates;
use std::num::NonZeroU32;
use std::sync::Arc;
use std::time::Duration;
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
    /// Connections at the same time. When there are more, those that only wait are closed.
    pub connections_max: usize,
    /// The time that the head of a request may take, from its first byte on or from the beginning of the connection.
    pub header_timeout: Duration,
    /// The time that a connection may wait between two requests. Longer than clients keep idle connections, lest one is
    /// closed under a request that is just being sent.
    pub idle_timeout: Duration,
    pub body_timeout: Duration,
    /// A body that comes more slowly is given up.
    pub body_bytes_per_second_min: usize,
    /// Memory for all bodies that are in hand at the same time.
    pub body_room_bytes: usize,
    /// The time that a body may wait for its share of that.
    pub body_room_wait: Duration,
    /// The time for which a client may take nothing of its answer.
    pub stall_timeout: Duration,
    /// True if clients may set the clock, which is for tests.
    pub pins_clock: bool,
    /// One root instance of a process at a time has a business id.
    pub unique_business_ids: bool,
    /// Web pages may send requests to a server that only this machine can reach.
    pub admits_foreign_pages: bool,
}

impl Default for GatewayConfig {
    fn default() -> GatewayConfig {
        GatewayConfig {
            body_bytes_max: 4 * 1024 * 1024,
            deployment_bytes_max: 32 * 1024 * 1024,
            tenant_commands_per_second: None,
            connections_max: 10_000,
            header_timeout: Duration::from_secs(10),
            idle_timeout: Duration::from_secs(75),
            body_timeout: Duration::from_secs(60),
            body_bytes_per_second_min: 64 << 10,
            body_room_bytes: 256 << 20,
            body_room_wait: Duration::from_secs(10),
            stall_timeout: Duration::from_secs(30),
            pins_clock: false,
            unique_business_ids: false,
            admits_foreign_pages: false,
        }
    }
}

pub struct Gateway {
    broker: Arc<dyn Broker>,
    queries: Arc<dyn Query>,
    definitions: Arc<dyn Definitions>,
    config: GatewayConfig,
    rates: Rates,
    body_room: BodyRoom,
    evaluations: Evaluations,
    /// Where operators may look and act, and who may.
    operated: Option<(Arc<dyn Store>, OperationsConfig)>,
    /// None where no node is behind the gateway.
    timers: Option<TimerService>,
    /// The routes for other nodes.
    internal: axum::Router,
    /// The pages for people; none where they were left out.
    pages: Option<axum::Router>,
    /// None where nobody counts.
    metrics: Option<Arc<Metrics>>,
}

impl Gateway {
    pub fn new(
        broker: Arc<dyn Broker>,
        queries: Arc<dyn Query>,
        definitions: Arc<dyn Definitions>,
        config: GatewayConfig,
    ) -> Gateway {
        let rates = Rates::new(config.tenant_commands_per_second);
        let body_room = BodyRoom::new(&config);
        Gateway {
            broker,
            queries,
            definitions,
            config,
            rates,
            body_room,
            evaluations: Evaluations::default(),
            operated: None,
            timers: None,
            internal: axum::Router::new(),
            pages: None,
            metrics: None,
        }
    }

    /// Offers the endpoints for operators as well.
    pub fn with_operations(self, store: Arc<dyn Store>, config: OperationsConfig) -> Gateway {
        Gateway { operated: Some((store, config)), ..self }
    }

    /// Offers timers as a service.
    pub fn with_timers(self, timers: TimerService) -> Gateway {
        Gateway { timers: Some(timers), ..self }
    }

    /// Counts requests.
    pub fn with_metrics(self, metrics: Arc<Metrics>) -> Gateway {
        Gateway { metrics: Some(metrics), ..self }
    }

    /// Serves other nodes on the same listener.
    pub fn with_internal(self, internal: axum::Router) -> Gateway {
        Gateway { internal, ..self }
    }

    /// Serves pages for people, to which the root of the server leads.
    pub fn with_pages(self, pages: axum::Router) -> Gateway {
        Gateway { pages: Some(pages), ..self }
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
        let config = self.config.clone();
        let mut router = self.router();
        // Elsewhere, whoever started the server has decided who may reach it.
        if listener.local_addr()?.ip().is_loopback() && !config.admits_foreign_pages {
            router = router.layer(axum::middleware::from_fn(guard::only_local));
        }
        serving::serve(listener, router, &config, stop).await;
        Ok(())
    }
}
