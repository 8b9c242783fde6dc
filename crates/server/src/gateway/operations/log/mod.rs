//! The log of commands, of all partitions as one: what was asked of the engine, and when.

mod belongings;
mod cursor;
mod entry;
mod strands;
mod words;

use super::{Operations, answered, partition, read};
use crate::gateway::call::Handled;
use crate::gateway::json;
use crate::gateway::problem::Problem;
use axum::body::Bytes;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use cursor::Cursor;
use entry::Entry;
use serde::{Deserialize, Serialize};
use std::collections::HashSet;
use strands::Strands;
use tidemill_model::{Command, PartitionId, ProcessInstanceKey, Timestamp};
use tidemill_partition::unpack_log;
use tidemill_store::LoggedBatch;

/// The cost that one answer may have, whatever the log holds. The caller goes on from its cursor.
const ENTRIES_MAX: usize = 1_000;
const BATCHES_MAX: usize = 5_000;
const BYTES_MAX: usize = 16 << 20;

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
struct Wish {
    partition_id: Option<u16>,
    /// Both as dates; the second is not included.
    from: Option<String>,
    to: Option<String>,
    process_instance_key: Option<String>,
    is_newest_first: bool,
    /// Of an earlier answer to the same wish.
    after: Option<String>,
    limit: Option<usize>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Page {
    items: Vec<Entry>,
    /// Behind everything that was there; only where the newest come first.
    #[serde(skip_serializing_if = "Option::is_none")]
    start_cursor: Option<String>,
    end_cursor: String,
    /// There may be more behind the cursor.
    has_more: bool,
}

pub(super) async fn search(State(operations): State<Operations>, uri: Uri, body: Bytes) -> Response {
    let search = async || -> Handled {
        let wish: Wish = if body.is_empty() { Wish::default() } else { read(&body)? };
        Ok(json::ok(&page(&operations, &wish).await?))
    };
    answered(search().await, &uri)
}

async fn page(operations: &Operations, wish: &Wish) -> Result<Page, Problem> {
    let times = date(&wish.from, Timestamp(i64::MIN))?..date(&wish.to, Timestamp(i64::MAX))?;
    let cursor = wish.after.as_deref().map_or(Ok(Cursor::default()), str::parse)?;
    let keys = keys(operations, wish).await?;
    let partitions = partitions(operations, wish.partition_id)?;
    let mut strands = Strands::new(&*operations.store, partitions, &times, wish.is_newest_first, &cursor);
    let limit = wish.limit.unwrap_or(100).min(ENTRIES_MAX);
    let start = strands.newest().await?;
    let mut found = Found { items: Vec::new(), start, cursor, limit };
    let (mut batches, mut bytes) = (0, 0);
    while found.items.len() < limit && batches < BATCHES_MAX && bytes < BYTES_MAX {
        let Some(batch) = strands.next().await? else {
            return Ok(found.page(false));
        };
        let (commands, size) = unpack(&batch)?;
        found.take(&batch, commands, wish.is_newest_first, keys.as_ref());
        (batches, bytes) = (batches + 1, bytes + size);
    }
    Ok(found.page(true))
}

struct Found {
    items: Vec<Entry>,
    start: Option<Cursor>,
    /// Behind the last command that was looked at.
    cursor: Cursor,
    limit: usize,
}

impl Found {
    fn take(
        &mut self,
        batch: &LoggedBatch,
        commands: Vec<Command>,
        is_newest_first: bool,
        keys: Option<&HashSet<i64>>,
    ) {
        let mut numbered: Vec<(usize, Command)> = commands.into_iter().enumerate().collect();
        if is_newest_first {
            numbered.reverse();
        }
        for (number, command) in numbered {
            if self.items.len() == self.limit {
                return;
            }
            if self.cursor.has_passed(batch, number, is_newest_first) {
                continue;
            }
            self.cursor.pass(batch, number);
            let entry = Entry::new(batch, number, &command);
            if keys.is_none_or(|keys| entry.names_any(keys)) {
                self.items.push(entry);
            }
        }
    }

    fn page(self, has_more: bool) -> Page {
        Page {
            items: self.items,
            start_cursor: self.start.map(|start| start.to_string()),
            end_cursor: self.cursor.to_string(),
            has_more,
        }
    }
}

fn unpack(batch: &LoggedBatch) -> Result<(Vec<Command>, usize), Problem> {
    unpack_log(&batch.log).map_err(|reason| {
        Problem::internal(format!("Expected to read batch {} of the log, but {reason}", batch.id.0))
    })
}

async fn keys(operations: &Operations, wish: &Wish) -> Result<Option<HashSet<i64>>, Problem> {
    let Some(text) = &wish.process_instance_key else { return Ok(None) };
    let key = ProcessInstanceKey(super::number("processInstanceKey", text)?);
    Ok(Some(belongings::of(&*operations.store, key).await?))
}

fn partitions(operations: &Operations, wanted: Option<u16>) -> Result<Vec<PartitionId>, Problem> {
    let count = operations.store.partition_count();
    match wanted {
        Some(wanted) => Ok(vec![partition(count, i64::from(wanted))?]),
        None => Ok(count.ids().collect()),
    }
}

fn date(text: &Option<String>, otherwise: Timestamp) -> Result<Timestamp, Problem> {
    let Some(text) = text else { return Ok(otherwise) };
    json::parse_date(text).ok_or_else(|| {
        Problem::bad_request(format!("Expected a date such as 2026-01-31T12:00:00Z, but got '{text}'"))
    })
}
