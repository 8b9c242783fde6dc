//! Opens connections.

use super::session::Session;
use super::settings::Settings;
use super::{password, tls, url};
use crate::error;
use std::future::poll_fn;
use std::sync::Arc;
use std::time::Duration;
use tidemill_store::{Error, Result};
use tokio::sync::mpsc;
use tokio_postgres::config::Host;
use tokio_postgres::error::SqlState;
use tokio_postgres::{AsyncMessage, Client, Config};
use tokio_postgres_rustls::MakeRustlsConnect;

/// A server that is gone must be noticed before the leases of its clients have run out twice.
const KEEPALIVE_AFTER: Duration = Duration::from_secs(5);
const UNACKNOWLEDGED_MAX: Duration = Duration::from_secs(10);
/// The limit holds for one address. The whole try, with TLS and login, gets twice as long.
const CONNECT_LIMIT: Duration = Duration::from_secs(5);

/// The driver's message where the server asks for a password and there is none.
const PASSWORD_MISSING: &str = "password missing";

/// Payloads of notifications; it ends with the connection.
pub(crate) type Notices = mpsc::UnboundedReceiver<String>;

pub(crate) struct Connector {
    config: Config,
    password: password::Source,
    tls: MakeRustlsConnect,
    place: String,
    search_limit_ms: u64,
}

impl Connector {
    pub(crate) fn new(text: &str, search_limit_ms: u64) -> Result<Connector> {
        let mut target = url::parse(text, |name| std::env::var(name).ok())?;
        let tls = tls::connector(&target)?;
        let config = &mut target.config;
        config.keepalives_idle(KEEPALIVE_AFTER).tcp_user_timeout(UNACKNOWLEDGED_MAX);
        if config.get_connect_timeout().is_none() {
            config.connect_timeout(CONNECT_LIMIT);
        }
        let place = place(config);
        let (config, password) = (target.config, target.password);
        Ok(Connector { config, password, tls, place, search_limit_ms })
    }

    pub(super) fn search_limit_ms(&self) -> u64 {
        self.search_limit_ms
    }

    /// For messages; without the password.
    pub(crate) fn place(&self) -> &str {
        &self.place
    }

    pub(crate) fn error(&self, error: &tokio_postgres::Error) -> Error {
        error::classify(&self.place, self.search_limit_ms, error)
    }

    pub(super) async fn connect(&self, settings: &Arc<Settings>) -> Result<Session> {
        let (client, _) = self.open(settings).await?;
        Ok(Session::new(client, settings.clone()))
    }

    pub(crate) async fn open(&self, settings: &Settings) -> Result<(Client, Notices)> {
        let connecting = tokio::time::timeout(2 * CONNECT_LIMIT, self.config.connect(self.tls.clone()));
        let (client, mut connection) = connecting
            .await
            .map_err(|_| self.unavailable("it does not answer".into()))?
            .map_err(|error| self.refused(&error))?;
        let (sender, notices) = mpsc::unbounded_channel();
        tokio::spawn(async move {
            while let Some(Ok(message)) = poll_fn(|context| connection.poll_message(context)).await {
                if let AsyncMessage::Notification(notification) = message {
                    // Nobody listens on connections that are not for listening.
                    let _ = sender.send(notification.payload().to_owned());
                }
            }
        });
        if !settings.on_connect.is_empty() {
            client.batch_execute(&settings.on_connect).await.map_err(|error| self.error(&error))?;
        }
        Ok((client, notices))
    }

    fn refused(&self, error: &tokio_postgres::Error) -> Error {
        let failed = |reason| Error::Failed { place: self.place.clone(), reason };
        let reason = error::told(error);
        match error.code().map(SqlState::code) {
            // A wrong password does not become right by trying again, so this ends the start instead of waiting.
            Some("28P01") => failed(format!("{reason}. {}", self.password.remedy())),
            // It answers, but lets nobody in yet: starting up, shutting down, no connection left.
            Some(code) if code.starts_with("57P") || code.starts_with("53") => self.unavailable(reason),
            Some(_) => self.error(error),
            // The driver has no kind for it.
            None if reason.ends_with(PASSWORD_MISSING) => {
                let user = self.config.get_user().unwrap_or_default();
                failed(format!("it wants a password for user '{user}'. {}", self.password.remedy()))
            }
            None => self.unavailable(reason),
        }
    }

    fn unavailable(&self, reason: String) -> Error {
        Error::Unavailable { place: self.place.clone(), reason }
    }
}

fn place(config: &Config) -> String {
    let host = match config.get_hosts().first() {
        Some(Host::Tcp(name)) => name.clone(),
        #[cfg(unix)]
        Some(Host::Unix(path)) => path.display().to_string(),
        None => config.get_hostaddrs().first().map(ToString::to_string).unwrap_or_default(),
    };
    let port = config.get_ports().first().copied().unwrap_or(5432);
    let database = config.get_dbname().or(config.get_user()).unwrap_or_default();
    format!("Postgres at {host}:{port}/{database}")
}
