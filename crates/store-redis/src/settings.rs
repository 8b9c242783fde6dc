//! The settings of the server without which an answer means nothing.

use crate::entry::read;
use crate::error::Failure;
use crate::line::Line;
use crate::options::Durability;
use std::collections::HashMap;
use tidemill_store::{Error, Result};

/// Name, needed value, and why.
const NEEDED: [(&str, &str, &str); 4] = [
    ("appendonly", "yes", "what was answered would be gone after a restart"),
    ("appendfsync", "always", "a power cut would lose what was answered in the last second"),
    ("no-appendfsync-on-rewrite", "no", "nothing would be synced while the file is rewritten"),
    ("maxmemory-policy", "noeviction", "a full server would drop running instances"),
];

/// Refuses a server that would lose what it has answered.
pub(crate) async fn check(line: &Line, place: &str, durability: Durability) -> Result<()> {
    if durability == Durability::Trusted {
        return Ok(());
    }
    let mut question = redis::cmd("CONFIG");
    question.arg("GET");
    for (name, ..) in NEEDED {
        question.arg(name);
    }
    let answer = line.ask(&question).await.map_err(|failure| untold(failure, place))?;
    let set: HashMap<String, String> = read(answer)?;
    let wrong: Vec<String> = NEEDED.iter().filter_map(|needed| wrong(&set, needed, durability)).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let reason = format!("{}. Set it in redis.conf or with CONFIG SET and CONFIG REWRITE", wrong.join("; "));
    Err(Error::Failed { place: place.to_owned(), reason })
}

fn wrong(
    set: &HashMap<String, String>,
    (name, value, why): &(&str, &str, &str),
    durability: Durability,
) -> Option<String> {
    let found = set.get(*name).map_or("unknown", String::as_str);
    let is_chosen = durability == Durability::EverySecond && *name == "appendfsync" && found == "everysec";
    (found != *value && !is_chosen).then(|| format!("{name} is {found} and must be {value}: otherwise {why}"))
}

fn untold(failure: Failure, place: &str) -> Error {
    match failure {
        Failure::Answered(error) => Error::Failed {
            place: place.to_owned(),
            reason: format!(
                "the server does not tell its settings ({error}). Allow CONFIG GET, or vouch for them with \
                 --redis-durability trusted"
            ),
        },
        other => other.of_read(place),
    }
}
