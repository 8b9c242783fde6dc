//! The settings of the server without which an answer means nothing, and those that save memory.

use crate::entry::read;
use crate::error::Failure;
use crate::line::Line;
use crate::options::{Durability, Options};
use std::collections::HashMap;
use std::time::Duration;
use tidemill_store::{Error, Result};

/// Name, needed value, and why.
const NEEDED: [(&str, &str, &str); 4] = [
    ("appendonly", "yes", "what was answered would be gone after a restart"),
    ("appendfsync", "always", "a power cut would lose what was answered in the last second"),
    ("no-appendfsync-on-rewrite", "no", "nothing would be synced while the file is rewritten"),
    ("maxmemory-policy", "noeviction", "a full server would drop running instances"),
];

/// Every instance has a stream of its own, and a stream takes so much from the start.
const STREAM_BYTES: &str = "stream-node-max-bytes";
const STREAM_BYTES_WANTED: u64 = 512;

/// How long a server may take to write the file that it has been told to keep.
const FILE_LIMIT: Duration = Duration::from_secs(60);
const LOOK_AGAIN: Duration = Duration::from_millis(50);

type Set = HashMap<String, String>;

/// Refuses a server that would lose what it has answered.
pub(crate) async fn check(line: &Line, place: &str, options: &Options) -> Result<()> {
    if options.durability == Durability::Trusted {
        return Ok(());
    }
    let set = told(line, place).await?;
    let wrong: Vec<String> =
        NEEDED.iter().filter_map(|needed| wrong(&set, needed, options.durability)).collect();
    if wrong.is_empty() {
        return Ok(());
    }
    let reason = format!(
        "{}. Set it in redis.conf or with CONFIG SET and CONFIG REWRITE, or let this server do so with \
         --redis-may-configure",
        wrong.join("; ")
    );
    Err(Error::Failed { place: place.to_owned(), reason })
}

/// Before the store is used: changes what is wrong if it may, and tells what only costs memory.
pub(crate) async fn prepare(line: &Line, place: &str, options: &Options) -> Result<()> {
    if options.durability == Durability::Trusted {
        return Ok(());
    }
    let set = told(line, place).await?;
    if options.may_configure {
        for needed in &NEEDED {
            if wrong(&set, needed, options.durability).is_some() {
                configure(line, place, needed.0, needed.1).await?;
            }
        }
        until_file_is_kept(line, place).await?;
    }
    let bytes = set.get(STREAM_BYTES).and_then(|text| text.parse::<u64>().ok());
    match bytes {
        Some(bytes) if bytes == 0 || bytes > STREAM_BYTES_WANTED => {
            if options.may_configure {
                return configure(line, place, STREAM_BYTES, &STREAM_BYTES_WANTED.to_string()).await;
            }
            tracing::warn!(
                "{STREAM_BYTES} is {bytes}, so the history of every instance takes that much at least (0 stands for \
                 all that it needs). {STREAM_BYTES_WANTED} saves memory: set it in redis.conf, or use \
                 --redis-may-configure"
            );
        }
        _ => {}
    }
    Ok(())
}

async fn told(line: &Line, place: &str) -> Result<Set> {
    let mut question = redis::cmd("CONFIG");
    question.arg("GET").arg(STREAM_BYTES);
    for (name, ..) in NEEDED {
        question.arg(name);
    }
    read(line.ask(&question).await.map_err(|failure| untold(failure, place))?)
}

fn wrong(set: &Set, (name, value, why): &(&str, &str, &str), durability: Durability) -> Option<String> {
    let found = set.get(*name).map_or("unknown", String::as_str);
    let is_chosen = durability == Durability::EverySecond && *name == "appendfsync" && found == "everysec";
    (found != *value && !is_chosen).then(|| format!("{name} is {found} and must be {value}: otherwise {why}"))
}

async fn configure(line: &Line, place: &str, name: &str, value: &str) -> Result<()> {
    tracing::info!("set {name} to {value} on the Redis server");
    let mut change = redis::cmd("CONFIG");
    change.arg("SET").arg(name).arg(value);
    line.ask(&change).await.map_err(|failure| failure.of_read(place))?;
    // A server without a file of settings cannot keep it; the next start of ours sets it again.
    if let Err(Failure::Answered(error)) = line.ask(redis::cmd("CONFIG").arg("REWRITE")).await {
        tracing::warn!(%error, "{name} holds until Redis is started again");
    }
    Ok(())
}

/// A server that has just been told to keep a file writes it first. What is answered before is in no file.
async fn until_file_is_kept(line: &Line, place: &str) -> Result<()> {
    let began = std::time::Instant::now();
    while began.elapsed() < FILE_LIMIT {
        let answer = line.ask(redis::cmd("INFO").arg("persistence")).await;
        let text: String = read(answer.map_err(|failure| failure.of_read(place))?)?;
        let is_busy = ["aof_rewrite_in_progress:1", "aof_rewrite_scheduled:1"]
            .iter()
            .any(|line| text.lines().any(|found| found == *line));
        if !is_busy {
            return Ok(());
        }
        tokio::time::sleep(LOOK_AGAIN).await;
    }
    let reason = format!("the server has not written its file within {FILE_LIMIT:?}");
    Err(Error::Failed { place: place.to_owned(), reason })
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
