//! The meaning of Redis' errors for a caller.

use redis::RedisError;
use tidemill_model::{EntityKind, PartitionId};
use tidemill_store::{Culprit, Error, Fence};

/// How a call has failed.
#[derive(Debug)]
pub(crate) enum Failure {
    /// Nothing was sent.
    Unreachable(RedisError),
    /// It was sent, and no answer came: it may have been done.
    Lost(RedisError),
    /// The server has refused it.
    Answered(RedisError),
}

impl Failure {
    /// For calls that change nothing, or that may be repeated.
    pub(crate) fn of_read(self, place: &str) -> Error {
        match self {
            Failure::Unreachable(error) | Failure::Lost(error) => unavailable(place, &error),
            Failure::Answered(error) => answered(place, &error),
        }
    }

    /// For calls whose effect matters.
    pub(crate) fn of_write(self, place: &str) -> Error {
        match self {
            Failure::Lost(error) => Error::OutcomeUnknown { reason: error.to_string() },
            other => other.of_read(place),
        }
    }

    /// For calls that carry a fence.
    pub(crate) fn of_owner(self, place: &str, fence: &Fence) -> Error {
        match self {
            Failure::Answered(error) if is_fenced(&error) => fenced(fence.partition, fence.epoch),
            Failure::Answered(error) if error.code() == Some("TMREFUSED") => {
                refused(error.detail().unwrap_or_default())
            }
            other => other.of_write(place),
        }
    }

    pub(crate) fn is_fenced(&self) -> bool {
        matches!(self, Failure::Answered(error) if is_fenced(error))
    }

    /// The words behind the code of an error of our own.
    pub(crate) fn detail(&self) -> &str {
        let (Failure::Unreachable(error) | Failure::Lost(error) | Failure::Answered(error)) = self;
        error.detail().unwrap_or_default()
    }
}

pub(crate) fn fenced(partition: PartitionId, epoch: u64) -> Error {
    Error::Fenced { partition, epoch }
}

fn is_fenced(error: &RedisError) -> bool {
    error.code() == Some("TMFENCED")
}

/// The server has no memory left. In a transaction its first command says so.
pub(crate) fn is_full(error: &RedisError) -> bool {
    error.code() == Some("OOM") || error.to_string().contains("\"OOM\"")
}

fn unavailable(place: &str, error: &RedisError) -> Error {
    Error::Unavailable { place: place.to_owned(), reason: error.to_string() }
}

fn answered(place: &str, error: &RedisError) -> Error {
    let reason = error.to_string();
    let place = place.to_owned();
    if reason.contains("killed by user") {
        return Error::Unavailable { place, reason };
    }
    // A key that is not what we have written. The functions find that out before they write anything.
    if error.code() == Some("TMDAMAGED") || reason.contains("@user_function") {
        return Error::Corrupt { place, reason };
    }
    if is_full(error) {
        return Error::FullForNow { place, reason };
    }
    match error.code() {
        Some("MISCONF") => Error::FullForNow { place, reason },
        Some("LOADING" | "BUSY" | "MASTERDOWN" | "CLUSTERDOWN" | "READONLY" | "TRYAGAIN" | "NOREPLICAS") => {
            Error::Unavailable { place, reason }
        }
        _ => Error::Failed { place, reason },
    }
}

/// A refusal begins with the kind and the key of the culprit; `- 0` stands for none.
pub(crate) fn refusal(culprit: Option<&Culprit>, reason: &str) -> String {
    let (kind, key) = culprit.map_or(("-".into(), 0), |it| ((it.kind as usize).to_string(), it.key));
    format!("{kind} {key} {reason}")
}

fn refused(words: &str) -> Error {
    let mut parts = words.splitn(3, ' ');
    let kind = parts.next().and_then(|kind| EntityKind::ALL.get(kind.parse::<usize>().ok()?).copied());
    let key = parts.next().and_then(|key| key.parse().ok());
    let culprit = kind.zip(key).map(|(kind, key)| Culprit { kind, key });
    Error::Refused { culprit, reason: parts.next().unwrap_or_default().to_owned() }
}

/// Stored bytes that are not what was written.
pub(crate) fn damaged(key: &str, reason: impl ToString) -> Error {
    Error::Corrupt { place: format!("the Redis key {key}"), reason: reason.to_string() }
}
