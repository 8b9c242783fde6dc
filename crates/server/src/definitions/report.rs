//! The report on the cache for operators.

use super::entries::{Entries, Entry};
use serde::{Deserialize, Serialize};

/// Definitions that are named of each kind.
const NAMED_MAX: usize = 10;

/// The cache of one node as it is now.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct CacheReport {
    pub entries: usize,
    pub entries_max: usize,
    pub bytes: usize,
    pub bytes_max: usize,
    pub hits: u64,
    pub misses: u64,
    pub evictions: u64,
    pub latest_entries: usize,
    pub largest: Vec<ReportedDefinition>,
    /// Those that leave first.
    pub coldest: Vec<ReportedDefinition>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
#[serde(rename_all = "camelCase")]
pub struct ReportedDefinition {
    pub process_definition_key: String,
    pub tenant_id: String,
    pub process_definition_id: String,
    pub version: i32,
    pub bytes: usize,
    pub uses: u64,
}

impl From<&Entry> for ReportedDefinition {
    fn from(entry: &Entry) -> ReportedDefinition {
        ReportedDefinition {
            process_definition_key: entry.head.key.to_string(),
            tenant_id: entry.head.tenant.as_str().to_owned(),
            process_definition_id: entry.head.process_id.to_string(),
            version: entry.head.version,
            bytes: entry.bytes,
            uses: entry.uses,
        }
    }
}

pub(super) fn coldest(entries: &Entries) -> Vec<ReportedDefinition> {
    entries.coldest_first().take(NAMED_MAX).map(ReportedDefinition::from).collect()
}

pub(super) fn largest(entries: &Entries) -> Vec<ReportedDefinition> {
    let mut all: Vec<&Entry> = entries.coldest_first().collect();
    all.sort_by_key(|entry| (std::cmp::Reverse(entry.bytes), entry.head.key));
    all.into_iter().take(NAMED_MAX).map(ReportedDefinition::from).collect()
}
