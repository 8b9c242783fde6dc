//! For benchmarks: what a run takes of the server, and removing a store.

use crate::entry::read;
use crate::health::figure;
use crate::line::Line;
use crate::store::place_of;
use crate::{Options, RedisStore};
use redis::Client;
use std::time::Duration;
use tidemill_store::{Error, Result};

/// Keys that one step removes.
const KEYS_PER_STEP: usize = 1_000;
const LIMIT: Duration = Duration::from_secs(60);

/// What the server has done and holds.
#[derive(Clone, Copy, Default, Debug)]
pub struct Figures {
    /// Commands that it has run, those that functions have called among them.
    pub commands: u64,
    /// The size of its file of changes.
    pub file_bytes: u64,
    pub memory_bytes: u64,
    pub cpu_seconds: f64,
}

impl Figures {
    /// What came since then.
    pub fn since(&self, before: &Figures) -> Figures {
        Figures {
            commands: self.commands - before.commands,
            file_bytes: self.file_bytes.saturating_sub(before.file_bytes),
            memory_bytes: self.memory_bytes.saturating_sub(before.memory_bytes),
            cpu_seconds: self.cpu_seconds - before.cpu_seconds,
        }
    }
}

impl RedisStore {
    /// Removes a store with all that is in it: for stores that were made to be measured.
    pub async fn drop_all(options: &Options) -> Result<()> {
        let (line, place) = line(options)?;
        let prefix: String = options
            .prefix
            .chars()
            .flat_map(|c| if "*?[]\\".contains(c) { vec!['\\', c] } else { vec![c] })
            .collect();
        for pattern in [format!("{{{prefix}}}:*"), format!("{{{prefix}:*")] {
            let mut cursor = "0".to_owned();
            loop {
                let mut scan = redis::cmd("SCAN");
                scan.arg(&cursor).arg("MATCH").arg(&pattern).arg("COUNT").arg(KEYS_PER_STEP);
                let found = line.ask(&scan).await.map_err(|failure| failure.of_read(&place))?;
                let (next, keys): (String, Vec<Vec<u8>>) = read(found)?;
                if !keys.is_empty() {
                    let removed = line.ask(redis::cmd("UNLINK").arg(keys)).await;
                    removed.map_err(|failure| failure.of_write(&place))?;
                }
                cursor = next;
                if cursor == "0" {
                    break;
                }
            }
        }
        Ok(())
    }

    pub async fn figures(options: &Options) -> Result<Figures> {
        let (line, place) = line(options)?;
        let mut text = String::new();
        for section in ["stats", "persistence", "memory", "cpu"] {
            let told = line.ask(redis::cmd("INFO").arg(section)).await;
            text.push_str(&read::<String>(told.map_err(|failure| failure.of_read(&place))?)?);
        }
        let seconds = |name: &str| {
            let value = text.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(':'));
            value.and_then(|value| value.trim().parse::<f64>().ok()).unwrap_or_default()
        };
        Ok(Figures {
            commands: figure(&text, "total_commands_processed"),
            file_bytes: figure(&text, "aof_current_size"),
            memory_bytes: figure(&text, "used_memory"),
            cpu_seconds: seconds("used_cpu_sys") + seconds("used_cpu_user"),
        })
    }
}

fn line(options: &Options) -> Result<(Line, String)> {
    let place = place_of(&options.url);
    let client = Client::open(options.url.as_str());
    let client = client.map_err(|error| Error::Failed { place: place.clone(), reason: error.to_string() })?;
    Ok((Line::new(client, LIMIT), place))
}
