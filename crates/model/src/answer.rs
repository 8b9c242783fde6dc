//! The answers to commands.

use crate::entity::{Form, Job, ProcessDefinition, Resource};
use crate::{
    DefinitionKey, DeploymentKey, MessageKey, ProcessInstanceKey, RawJson, SignalKey, TenantId, Text,
};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub enum Answer {
    /// The command took effect and there is nothing more to tell.
    Done,
    Deployed(Deployment),
    Created(CreatedInstance),
    Activated(Vec<ActivatedJob>),
    Published {
        message: MessageKey,
        tenant: TenantId,
    },
    Correlated {
        message: MessageKey,
        instance: ProcessInstanceKey,
        tenant: TenantId,
    },
    Broadcast {
        signal: SignalKey,
        tenant: TenantId,
    },
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct Deployment {
    pub key: DeploymentKey,
    pub tenant: TenantId,
    /// Processes, then forms, then other resources.
    pub resources: Vec<DeployedResource>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub enum DeployedResource {
    Process(Arc<ProcessDefinition>),
    Form(Arc<Form>),
    Resource(Arc<Resource>),
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct CreatedInstance {
    pub instance: ProcessInstanceKey,
    pub definition: DefinitionKey,
    pub process_id: Text,
    pub version: i32,
    pub tenant: TenantId,
    pub tags: Vec<Text>,
    pub business_id: Option<Text>,
}

/// A job in a worker's hands, with the variables it sees.
#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct ActivatedJob {
    pub job: Arc<Job>,
    pub process_id: Text,
    pub version: i32,
    pub tags: Vec<Text>,
    /// One JSON object.
    pub variables: RawJson,
}
