//! Counts.

use tidemill_model::{DefinitionKey, TenantId, Text};

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ElementStatistics {
    pub element_id: Text,
    pub active: u64,
    pub completed: u64,
    pub canceled: u64,
    /// Active ones with an incident, which `active` does not count.
    pub incidents: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ProcessStatistics {
    pub process_id: Text,
    pub tenant: TenantId,
    pub latest_name: Option<Text>,
    pub has_multiple_versions: bool,
    pub active_without_incident: u64,
    pub active_with_incident: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct VersionStatistics {
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub name: Option<Text>,
    pub version: i32,
    pub tenant: TenantId,
    pub active_without_incident: u64,
    pub active_with_incident: u64,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ErrorStatistics {
    pub hash: i32,
    pub message: String,
    pub active_instances: u64,
}

/// The number by which the API names an error text: over UTF-16 units, times 31. Camunda uses
/// `String.hashCode` of Java, and clients pass its number back in filters.
pub fn error_hash(message: &str) -> i32 {
    message.encode_utf16().fold(0i32, |hash, unit| hash.wrapping_mul(31).wrapping_add(i32::from(unit)))
}

#[cfg(test)]
mod tests {
    use super::error_hash;

    #[test]
    fn error_texts_hash_as_clients_expect() {
        assert_eq!(error_hash(""), 0);
        assert_eq!(error_hash("hello"), 99_162_322);
    }
}
