//! Commands on their way through the durable inbox.

use crate::broker::CommandOptions;
use serde::{Deserialize, Serialize};
use tidemill_model::{Answer, Command, Rejection, TenantId, Text};
use tidemill_store::CodecError;

/// A command with what must travel with it.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) struct Envelope {
    pub(crate) command: Command,
    /// Somebody may ask later what became of it.
    pub(crate) keeps_result: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) idempotency: Option<StoredIdempotency>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub(crate) struct StoredIdempotency {
    pub(crate) tenant: TenantId,
    pub(crate) key: Text,
    pub(crate) fingerprint: u64,
}

impl Envelope {
    /// For a command that a client sent without waiting for its answer.
    pub(crate) fn from_client(command: Command, options: &CommandOptions) -> Envelope {
        let idempotency = options.idempotency.as_ref().map(|idempotency| StoredIdempotency {
            tenant: options.tenant.clone(),
            key: idempotency.key.clone(),
            fingerprint: idempotency.fingerprint,
        });
        Envelope { command, keeps_result: true, idempotency }
    }

    /// For a command that the engine sends itself.
    pub(crate) fn internal(command: Command) -> Envelope {
        Envelope { command, keeps_result: false, idempotency: None }
    }

    pub(crate) fn pack(&self) -> Vec<u8> {
        tidemill_store::pack(self)
    }

    pub(crate) fn unpack(bytes: &[u8]) -> Result<Envelope, CodecError> {
        tidemill_store::unpack(bytes)
    }
}

/// An answer as it is kept for retries and for those who ask later.
#[derive(Serialize, Deserialize, Debug)]
pub(crate) struct KeptAnswer {
    pub(crate) intent: Text,
    /// None while the answer is still to come with another command.
    pub(crate) result: Option<Result<Answer, Rejection>>,
    /// The number under which it will come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) comes_as: Option<u64>,
}
