//! The pages of a server, for people: what runs, what is stuck, and how to go on. Every page is complete HTML, so it can be
//! read without scripts. A script of our own keeps it up to date and sends changes to the REST API, which stays the only
//! way to change anything.

mod assets;
mod frame;
mod pages;
mod parts;
mod picture;
mod problem;
mod query;

use axum::Router;
use axum::routing::get;
use std::sync::Arc;
use tidemill_server::broker::Broker;
use tidemill_store::Store;

/// All that the pages read from.
pub(crate) struct Sources {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) broker: Arc<dyn Broker>,
}

/// The routes of all pages; they begin with `/ui`.
pub fn routes(store: Arc<dyn Store>, broker: Arc<dyn Broker>) -> Router {
    Router::new()
        .route("/ui", get(pages::dashboard::show))
        .route("/ui/processes", get(pages::processes::show))
        .route("/ui/processes/{key}", get(pages::definition::show))
        .route("/ui/instances", get(pages::instances::show))
        .route("/ui/instances/{key}", get(pages::instance::show))
        .route("/ui/tasks", get(pages::tasks::show))
        .route("/ui/tasks/{key}", get(pages::task::show))
        .route("/ui/incidents", get(pages::incidents::show))
        .route("/ui/cluster", get(pages::cluster::show))
        .route("/ui/{*unknown}", get(pages::unknown))
        .layer(axum::middleware::from_fn(frame::unless_known))
        .with_state(Arc::new(Sources { store, broker }))
        .merge(assets::routes())
}
