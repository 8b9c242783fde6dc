//! `tidemill admin cache`: what the nodes keep of definitions.

use super::{items, items_of};
use crate::client::{RemoteCommand, Session};
use crate::output::{Column, cell, print_table, say};
use anyhow::Result;
use clap::Args;
use serde_json::Value;

/// Show the cache of definitions of every server: how full it is, how often it helps, the largest and the coldest
#[derive(Args)]
pub(super) struct Cache {}

impl RemoteCommand for Cache {
    fn run(self, session: &Session) -> Result<()> {
        let answer = session.client.get("/v1/admin/cache")?;
        session.show(&answer, |answer| {
            let columns: [Column<'_>; 7] = [
                ("SERVER", |item| cell(item, "address")),
                ("ENTRIES", |item| share(item, "entries", "entriesMax")),
                ("MB", megabytes),
                ("HITS", |item| cell(&item["cache"], "hits")),
                ("MISSES", |item| cell(&item["cache"], "misses")),
                ("HIT RATE", hit_rate),
                ("EVICTIONS", |item| cell(&item["cache"], "evictions")),
            ];
            print_table(&columns, items(answer));
            for item in items(answer) {
                for (title, member) in [("largest", "largest"), ("coldest", "coldest")] {
                    let definitions = items_of(&item["cache"], member);
                    if !definitions.is_empty() {
                        say!("\nThe {title} of {}:", cell(item, "address"));
                        print_definitions(definitions);
                    }
                }
            }
        });
        Ok(())
    }
}

fn print_definitions(definitions: &[Value]) {
    let columns: [Column<'_>; 6] = [
        ("KEY", |item| cell(item, "processDefinitionKey")),
        ("PROCESS", |item| cell(item, "processDefinitionId")),
        ("VERSION", |item| cell(item, "version")),
        ("TENANT", |item| cell(item, "tenantId")),
        ("KB", |item| format!("{:.1}", item["bytes"].as_f64().unwrap_or_default() / 1024.0)),
        ("USES", |item| cell(item, "uses")),
    ];
    print_table(&columns, definitions);
}

/// None of it where the server did not answer.
fn share(item: &Value, used: &str, most: &str) -> String {
    match item["cache"].is_null() {
        true => "no answer".to_owned(),
        false => format!("{} of {}", item["cache"][used], item["cache"][most]),
    }
}

fn megabytes(item: &Value) -> String {
    let of = |member: &str| item["cache"][member].as_f64().map(|bytes| bytes / f64::from(1 << 20));
    match (of("bytes"), of("bytesMax")) {
        (Some(used), Some(most)) => format!("{used:.1} of {most:.0}"),
        _ => String::new(),
    }
}

fn hit_rate(item: &Value) -> String {
    let (hits, misses) = (item["cache"]["hits"].as_f64(), item["cache"]["misses"].as_f64());
    match (hits, misses) {
        (Some(hits), Some(misses)) if hits + misses > 0.0 => {
            format!("{:.2} %", 100.0 * hits / (hits + misses))
        }
        _ => String::new(),
    }
}
