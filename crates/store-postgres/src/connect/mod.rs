//! Connections: where to, how safely, with which settings, and how many.

mod connector;
mod passfile;
mod password;
mod pool;
mod session;
mod settings;
mod tls;
mod url;

pub(crate) use connector::Connector;
pub(crate) use pool::{Lease, Pool};
pub(crate) use session::Flushed;
pub(crate) use settings::{Role, Settings, quoted};
