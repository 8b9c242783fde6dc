//! Deploying files and taking them back.

use crate::{ResourceKey, TenantId, Text};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct Deploy {
    pub tenant: TenantId,
    pub files: Vec<ResourceFile>,
}

/// One file of a deployment. Its name decides what it is.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct ResourceFile {
    pub name: Text,
    pub content: Arc<[u8]>,
}

/// Deletes a process definition, form or other resource by its key.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize, Debug)]
pub struct DeleteResource {
    pub key: ResourceKey,
}
