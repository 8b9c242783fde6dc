//! How commands lie in an inbox and answers in the store. They stand here and not with the partition that writes them, so that
//! the code for the bytes of a command is compiled in one crate.

use crate::{CodecError, packed};
use serde::{Deserialize, Serialize};
use tidemill_model::{Answer, Command, Rejection, TenantId, Text};

/// A command with what must travel with it.
#[derive(Serialize, Deserialize, Debug)]
pub struct Envelope {
    pub command: Command,
    /// Somebody may ask later what became of it.
    /// Follow-ups of the engine keep none: nobody knows their position, and a row for each would never be read.
    pub keeps_result: bool,
    /// A follow-up that the partition has sent to itself.
    /// The order among these matters to message boxes (`partition/box_order.rs`), which is why they are told from others.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_own: bool,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub idempotency: Option<StoredIdempotency>,
}

#[derive(Clone, PartialEq, Serialize, Deserialize, Debug)]
pub struct StoredIdempotency {
    pub tenant: TenantId,
    pub key: Text,
    /// Another request under the same key is refused instead of answered with what it did not ask for.
    pub fingerprint: u64,
}

impl Envelope {
    /// For a command that a client sent without waiting for its answer.
    pub fn from_client(command: Command, idempotency: Option<StoredIdempotency>) -> Envelope {
        Envelope { command, keeps_result: true, is_own: false, idempotency }
    }

    /// For a command that the engine sends itself.
    pub fn internal(command: Command) -> Envelope {
        Envelope { command, keeps_result: false, is_own: false, idempotency: None }
    }

    /// For a follow-up that did not find room in the batch of its partition.
    pub fn own(command: Command) -> Envelope {
        Envelope { is_own: true, ..Envelope::internal(command) }
    }

    pub fn pack(&self) -> Vec<u8> {
        crate::pack(self)
    }

    pub fn unpack(bytes: &[u8]) -> Result<Envelope, CodecError> {
        crate::unpack(bytes)
    }
}

/// An answer as it is kept for retries and for those who ask later.
#[derive(Serialize, Deserialize, Debug)]
pub struct KeptAnswer {
    pub intent: Text,
    /// None while the answer is still to come with another command.
    pub result: Option<Result<Answer, Rejection>>,
    /// The number under which it will come.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub comes_as: Option<u64>,
}

packed!(Envelope, KeptAnswer);
