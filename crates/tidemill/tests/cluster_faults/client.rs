//! A client of the servers: it knows whether a request was answered, was surely not run, or may have been.

use crate::world::Server;
use serde_json::Value;
use std::cell::Cell;
use std::sync::{Arc, RwLock};
use std::time::Duration;

/// Longer than a server takes to give up, so that only a server that is dead or frozen leaves a request open.
const ANSWER_LIMIT: Duration = Duration::from_secs(12);

/// Where the servers are; a place is empty while its server is dead.
pub(crate) struct Addresses(RwLock<Vec<Option<String>>>);

impl Addresses {
    pub(crate) fn new(servers: usize) -> Arc<Addresses> {
        Arc::new(Addresses(RwLock::new(vec![None; servers])))
    }

    pub(crate) fn set(&self, place: usize, server: Option<&Server>) {
        self.0.write().expect("no holder panics")[place] = server.map(|server| server.url.clone());
    }

    pub(crate) fn count(&self) -> usize {
        self.0.read().expect("no holder panics").len()
    }

    fn at(&self, place: usize) -> Option<String> {
        self.0.read().expect("no holder panics")[place].clone()
    }
}

/// The outcome of a request.
pub(crate) enum Sent {
    Answered(u16, Value),
    /// It surely had no effect.
    NotRun(String),
    /// It may have had its effect.
    Unknown(String),
}

pub(crate) struct Client {
    agent: ureq::Agent,
    addresses: Arc<Addresses>,
    /// The servers that it may ask, its own first.
    places: Vec<usize>,
    turn: Cell<usize>,
}

impl Client {
    /// Asks this server, and any other when that does not answer.
    pub(crate) fn of(addresses: &Arc<Addresses>, home: usize) -> Client {
        let count = addresses.count();
        Client::among(addresses, (0..count).map(|step| (home + step) % count).collect())
    }

    pub(crate) fn among(addresses: &Arc<Addresses>, places: Vec<usize>) -> Client {
        let config =
            ureq::Agent::config_builder().http_status_as_error(false).timeout_global(Some(ANSWER_LIMIT));
        Client { agent: config.build().into(), addresses: addresses.clone(), places, turn: Cell::new(0) }
    }

    /// Begins something new at its own server.
    pub(crate) fn go_home(&self) {
        self.turn.set(0);
    }

    pub(crate) fn go_elsewhere(&self) {
        self.turn.set(self.turn.get() + 1);
    }

    /// Without an answer the next request goes to the next server.
    pub(crate) fn post(&self, path: &str, body: &Value, headers: &[(&str, &str)]) -> Sent {
        let place = self.places[self.turn.get() % self.places.len()];
        let sent = match self.addresses.at(place) {
            Some(url) => self.post_to(&format!("{url}{path}"), body, headers),
            None => Sent::NotRun("the server is dead".to_owned()),
        };
        if !matches!(sent, Sent::Answered(..)) {
            self.go_elsewhere();
        }
        sent
    }

    fn post_to(&self, url: &str, body: &Value, headers: &[(&str, &str)]) -> Sent {
        let mut request = self.agent.post(url);
        for (name, value) in [("content-type", "application/json")].iter().chain(headers) {
            request = request.header(*name, *value);
        }
        let answer = match request.send(body.to_string()) {
            Ok(answer) => answer,
            Err(ureq::Error::Io(error)) if error.kind() == std::io::ErrorKind::ConnectionRefused => {
                return Sent::NotRun(error.to_string());
            }
            Err(error) => return Sent::Unknown(error.to_string()),
        };
        let status = answer.status().as_u16();
        let Ok(text) = answer.into_body().read_to_string() else {
            return Sent::Unknown(format!("{status} and no body"));
        };
        match status {
            503 => Sent::NotRun(text),
            502 | 504 => Sent::Unknown(text),
            _ => Sent::Answered(status, serde_json::from_str(&text).unwrap_or(Value::String(text))),
        }
    }
}
