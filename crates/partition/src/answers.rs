//! Answers under idempotency keys: a retry of a request gets what the first one got.

use crate::request::CommandError;
use rustc_hash::{FxHashMap, FxHashSet};
use tidemill_model::{Answer, Rejection, TenantId, Text, Timestamp};
use tidemill_store::IdempotentAnswer;
use tidemill_store::{KeptAnswer, StoredIdempotency};

/// Answers to async commands and idempotency keys of clients are kept this long.
pub const ANSWERS_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
/// And those of requests between nodes.
const REQUEST_IDS_KEPT_MS: i64 = 10 * 60 * 1_000;
/// Begins the keys of requests between nodes. No client can send such a key: theirs are ASCII.
pub const REQUEST_ID_MARK: char = '§';

pub(crate) type CommandResult = Result<Answer, Rejection>;
pub(crate) type Key = (TenantId, Text);

/// Answers to earlier requests by their idempotency keys.
#[derive(Default)]
pub(crate) struct Known(FxHashMap<Key, KnownAnswer>);

#[derive(Clone)]
struct KnownAnswer {
    fingerprint: u64,
    given: Given,
}

#[derive(Clone)]
enum Given {
    Now(CommandResult),
    /// It comes with another command, under this number.
    Later(u64),
    /// An answer that this version cannot read.
    Unreadable,
}

/// The answer that a retry gets.
pub(crate) enum Remembered {
    Now(Result<Answer, CommandError>),
    /// The answer that the first request waits for as well.
    Later(u64),
}

impl Known {
    pub(crate) fn insert(&mut self, key: StoredIdempotency, result: CommandResult) {
        let StoredIdempotency { tenant, key, fingerprint } = key;
        self.0.insert((tenant, key), KnownAnswer { fingerprint, given: Given::Now(result) });
    }

    pub(crate) fn insert_later(&mut self, key: StoredIdempotency, number: u64) {
        let StoredIdempotency { tenant, key, fingerprint } = key;
        self.0.insert((tenant, key), KnownAnswer { fingerprint, given: Given::Later(number) });
    }

    /// Another request under the same key is an error of the caller: it must not get the answer to something that it did not ask.
    fn remembered(&self, key: &StoredIdempotency, name: &Key) -> Option<Remembered> {
        let known = self.0.get(name)?;
        if known.fingerprint != key.fingerprint {
            return Some(Remembered::Now(Err(CommandError::OtherRequest)));
        }
        Some(match &known.given {
            Given::Now(result) => Remembered::Now(result.clone().map_err(CommandError::Rejected)),
            Given::Later(number) => Remembered::Later(*number),
            Given::Unreadable => Remembered::Now(Err(CommandError::Internal(
                "Expected to repeat the answer to an earlier request with this idempotency key, but this version cannot read it. \
                 The earlier request was run; look at what it has done, or send a new request with another key"
                    .to_owned(),
            ))),
        })
    }
}

/// The answers that the store has given for idempotency keys. Answers of batches that are not yet written are kept with those batches,
/// because they count only if the batch is written.
#[derive(Default)]
pub(crate) struct Answers {
    /// From the store, for the commands that asked.
    stored: Known,
    /// The store has no answer: the command is the first of its key. This stays true until the command has run, because only this partition
    /// writes answers under its keys.
    absent: FxHashSet<Key>,
    wanted: Vec<Key>,
    asked: FxHashSet<Key>,
    /// Late answers that were written while the store was being asked for their keys. It may have looked before that, and would say
    /// that the answer is still to come.
    written_meanwhile: Known,
}

/// The result of looking up a key.
pub(crate) enum Lookup {
    /// Nobody has used the key.
    First,
    Retry(Remembered),
    /// The store is being asked.
    Unknown,
}

impl Answers {
    /// Looks at unwritten batches first, then at what the store has said; else the store will be asked. Without the unwritten ones, a retry
    /// that comes during the commit of its first request would run a second time.
    pub(crate) fn look_up<'k>(
        &mut self,
        key: &StoredIdempotency,
        mut unwritten: impl Iterator<Item = &'k Known>,
    ) -> Lookup {
        let name = (key.tenant.clone(), key.key.clone());
        if let Some(remembered) = unwritten.find_map(|known| known.remembered(key, &name)) {
            return Lookup::Retry(remembered);
        }
        if let Some(remembered) = self.stored.remembered(key, &name) {
            return Lookup::Retry(remembered);
        }
        if self.absent.contains(&name) {
            return Lookup::First;
        }
        if self.asked.insert(name.clone()) {
            self.wanted.push(name);
        }
        Lookup::Unknown
    }

    /// The command of this key has run: from here on its batch tells.
    pub(crate) fn ran(&mut self, key: &StoredIdempotency) {
        self.absent.remove(&(key.tenant.clone(), key.key.clone()));
    }

    pub(crate) fn take_wanted(&mut self) -> Vec<Key> {
        std::mem::take(&mut self.wanted)
    }

    /// A late answer was written. Requests that ask from now on find it in the store.
    pub(crate) fn late_answer_was_written(&mut self, key: StoredIdempotency, result: &CommandResult) {
        let name = (key.tenant.clone(), key.key.clone());
        if self.stored.0.contains_key(&name) {
            self.stored.insert(key, result.clone());
        } else if self.asked.contains(&name) {
            self.written_meanwhile.insert(key, result.clone());
        }
    }

    /// The store has answered. Gives the numbers under which answers are still to come.
    pub(crate) fn arrived(&mut self, keys: Vec<Key>, answers: Vec<Option<IdempotentAnswer>>) -> Vec<u64> {
        let mut later = Vec::new();
        for (key, answer) in keys.into_iter().zip(answers) {
            self.asked.remove(&key);
            if let Some(written) = self.written_meanwhile.0.remove(&key) {
                self.stored.0.insert(key, written);
                continue;
            }
            match answer {
                Some(answer) => {
                    let (fingerprint, given) = (answer.body_hash as u64, given(&answer, &mut later));
                    self.stored.0.insert(key, KnownAnswer { fingerprint, given });
                }
                None => drop(self.absent.insert(key)),
            }
        }
        later
    }

    pub(crate) fn len(&self) -> usize {
        let known = self.stored.0.len() + self.written_meanwhile.0.len();
        known + self.absent.len() + self.wanted.len() + self.asked.len()
    }

    /// Forgets the answers of the store. They serve the commands that asked for them only; keeping them would take memory for every
    /// key that was ever used.
    pub(crate) fn forget_stored(&mut self) {
        self.stored.0.clear();
    }
}

fn given(answer: &IdempotentAnswer, later: &mut Vec<u64>) -> Given {
    match tidemill_store::unpack(&answer.answer) {
        Ok(KeptAnswer { result: Some(result), .. }) => Given::Now(result),
        Ok(KeptAnswer { comes_as: Some(number), .. }) => {
            later.push(number);
            Given::Later(number)
        }
        // Another version has written it. That the command has run is certain, and it must not run again.
        _ => Given::Unreadable,
    }
}

/// The answer as the store keeps it for retries.
pub(crate) fn answer_of(
    key: &StoredIdempotency,
    intent: Text,
    result: &CommandResult,
    now: Timestamp,
) -> IdempotentAnswer {
    IdempotentAnswer {
        created_at: kept_from(&key.key, now),
        tenant: key.tenant.clone(),
        key: key.key.clone(),
        body_hash: key.fingerprint as i64,
        answer: pack(intent, Some(result.clone()), None),
    }
}

/// Nodes do not ask again for long: their keys are forgotten before those of clients.
pub(crate) fn kept_from(key: &Text, now: Timestamp) -> Timestamp {
    let age_ms = if key.starts_with(REQUEST_ID_MARK) { ANSWERS_KEPT_MS - REQUEST_IDS_KEPT_MS } else { 0 };
    now + -age_ms
}

pub(crate) fn pack(intent: Text, result: Option<CommandResult>, comes_as: Option<u64>) -> Vec<u8> {
    tidemill_store::pack(&KeptAnswer { intent, result, comes_as })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_retry_does_not_run_again_although_the_answer_cannot_be_read() {
        let key = StoredIdempotency { tenant: TenantId::default(), key: Text::from("k"), fingerprint: 7 };
        let stored = |answer: Vec<u8>| IdempotentAnswer {
            tenant: key.tenant.clone(),
            key: key.key.clone(),
            body_hash: 7,
            answer,
            created_at: Timestamp(0),
        };
        let mut answers = Answers::default();
        assert!(matches!(answers.look_up(&key, std::iter::empty()), Lookup::Unknown));
        let wanted = answers.take_wanted();
        answers.arrived(wanted, vec![Some(stored(vec![0xc1, 1, 2]))]);
        let found = answers.look_up(&key, std::iter::empty());
        assert!(matches!(found, Lookup::Retry(Remembered::Now(Err(CommandError::Internal(_))))));
    }
}
