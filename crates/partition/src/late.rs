//! Answers that come with another command, perhaps of another partition and after this owner is gone. Callers
//! who may ask again or later are noted in the store with the command's effects, so that the next owner can answer them too.

use crate::answers::{CommandResult, REQUEST_ID_MARK, kept_from, pack};
use crate::queued::{CommandSource, QueuedCommand};
use crate::request::{CallId, Callers, CommandError, Effect};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use tidemill_model::{TenantId, Text, Timestamp};
use tidemill_store::StoredIdempotency;
use tidemill_store::{CommandResult as StoredResult, IdempotentAnswer, Position};

/// Callers that may wait for one answer; retries join those who wait.
/// A client that retries while it waits would otherwise make the list grow until the answer comes.
const CALLERS_MAX: usize = 1_000;
/// Answers that are waited for before those are forgotten that nobody waits for any more.
const ANSWERS_BEFORE_CLEANING: usize = 10_000;
/// Answers that may be waited for at the same time; who comes after that is turned away. An answer may be
/// long in coming, such as while the partition of an instance is away, so memory must have a limit.
const ANSWERS_MAX: usize = 50_000;

#[derive(Default)]
struct Late {
    address: Address,
    callers: Vec<CallId>,
}

/// The idempotency key and the receipts under which a late answer is to be kept.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default)]
pub(crate) struct Address {
    intent: Text,
    key: Option<StoredIdempotency>,
    /// These commands were sent through the inbox without waiting, and their results are asked for later.
    positions: Vec<i64>,
}

tidemill_store::packed!(Address);

impl Address {
    pub(crate) fn add(&mut self, queued: &QueuedCommand) {
        self.intent = queued.intent();
        // Retries join under the key of the first; those without a key have only their receipt.
        if self.key.is_none() {
            self.key = queued.key();
        }
        if let CommandSource::Inbox { position, keeps_result: true, .. } = &queued.source {
            self.positions.push(position.0);
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.key.is_none() && self.positions.is_empty()
    }

    pub(crate) fn key(self) -> Option<StoredIdempotency> {
        self.key
    }

    /// Without a result as long as there is none: then it comes under this number.
    fn content(&self, result: Option<&CommandResult>, number: u64) -> Vec<u8> {
        pack(self.intent.clone(), result.cloned(), result.is_none().then_some(number))
    }

    pub(crate) fn results(
        &self,
        result: Option<&CommandResult>,
        number: u64,
    ) -> impl Iterator<Item = StoredResult> {
        let stored = move |position: &i64| StoredResult {
            position: Position(*position),
            answer: self.content(result, number),
        };
        self.positions.iter().map(stored)
    }

    pub(crate) fn answer(
        &self,
        result: Option<&CommandResult>,
        number: u64,
        now: Timestamp,
    ) -> Option<IdempotentAnswer> {
        let key = self.key.as_ref()?;
        Some(IdempotentAnswer {
            tenant: key.tenant.clone(),
            key: key.key.clone(),
            body_hash: key.fingerprint as i64,
            answer: self.content(result, number),
            created_at: kept_from(&key.key, now),
        })
    }

    /// By this the next owner finds the address when the answer comes.
    pub(crate) fn note(&self, number: u64, now: Timestamp) -> IdempotentAnswer {
        let (tenant, key) = note_key(number);
        let created_at = match (&self.key, self.positions.as_slice()) {
            // The note lives as long as the answer may be asked for: minutes for a key between nodes, a day for a receipt.
            (Some(key), []) => kept_from(&key.key, now),
            _ => now,
        };
        IdempotentAnswer { tenant, key, body_hash: 0, answer: tidemill_store::pack(self), created_at }
    }
}

/// The key under which the store keeps the address of an answer.
pub fn note_key(number: u64) -> (TenantId, Text) {
    (TenantId::default(), Text::from(format!("{REQUEST_ID_MARK}late-{number:x}")))
}

/// The answers that somebody waits for, by their numbers.
pub(crate) struct LateAnswers {
    by_number: FxHashMap<u64, Late>,
    /// Numbers whose notes are being read. True for those whose answer was told meanwhile: nobody waits for them any more.
    asked: FxHashMap<u64, bool>,
    clean_at: usize,
}

impl Default for LateAnswers {
    fn default() -> LateAnswers {
        LateAnswers {
            by_number: FxHashMap::default(),
            asked: FxHashMap::default(),
            clean_at: ANSWERS_BEFORE_CLEANING,
        }
    }
}

impl LateAnswers {
    pub(crate) fn len(&self) -> usize {
        self.by_number.len()
    }

    pub(crate) fn contains(&self, number: u64) -> bool {
        self.by_number.contains_key(&number)
    }

    pub(crate) fn address(&self, number: u64) -> Option<Address> {
        self.by_number.get(&number).map(|late| late.address.clone())
    }

    /// A command that was written waits for its answer from now on.
    pub(crate) fn add(
        &mut self,
        number: u64,
        queued: &QueuedCommand,
        callers: &dyn Callers,
        effects: &mut Vec<Effect>,
    ) {
        let late = self.by_number.entry(number).or_default();
        late.address.add(queued);
        let CommandSource::Client { call, .. } = queued.source else { return };
        if late.callers.len() >= CALLERS_MAX {
            late.callers.retain(|call| callers.is_waiting(*call));
        }
        if late.callers.len() < CALLERS_MAX {
            return late.callers.push(call);
        }
        let reason = format!("{CALLERS_MAX} requests with its key wait for the answer already");
        effects.push(Effect::Answer { call, result: Err(CommandError::overloaded(reason)) });
    }

    /// True if there is no room for another command whose answer comes with another one. Answers that nobody waits for here
    /// any more make room: whoever asks later finds them in the store.
    pub(crate) fn is_full(&mut self, callers: &dyn Callers) -> bool {
        if self.by_number.len() >= self.clean_at {
            self.by_number.retain(|_, late| {
                late.callers.retain(|call| callers.is_waiting(*call));
                !late.callers.is_empty()
            });
            // As many again may come before the next search, so that its cost is spread over them.
            self.clean_at = ANSWERS_BEFORE_CLEANING.max(self.by_number.len() * 2).min(ANSWERS_MAX);
        }
        self.by_number.len() >= ANSWERS_MAX
    }

    pub(crate) fn too_many() -> CommandError {
        CommandError::overloaded(format!("the answers of {ANSWERS_MAX} correlations are waited for already"))
    }

    /// The notes of these numbers are about to be read.
    pub(crate) fn ask(&mut self, numbers: &[u64]) {
        self.asked = numbers.iter().map(|number| (*number, false)).collect();
    }

    /// The store has told who waits for these answers since before this owner came.
    pub(crate) fn arrived(&mut self, notes: impl Iterator<Item = (u64, Option<IdempotentAnswer>)>) {
        let asked = std::mem::take(&mut self.asked);
        for (number, note) in notes.filter(|(number, _)| asked.get(number) != Some(&true)) {
            let address = note.and_then(|note| tidemill_store::unpack(&note.answer).ok());
            // An answer without an address is for callers who are gone.
            let late = Late { address: address.unwrap_or_default(), callers: Vec::new() };
            // An entry that is here already knows more than the note.
            self.by_number.entry(number).or_insert(late);
        }
    }

    /// Another owner may have told these answers: it had the partition for a while, and nobody tells them twice. The callers hear that the
    /// outcome is not known; with a key they find the answer in the store. Waiting on would leave them, and the memory that
    /// they take, here for ever.
    pub(crate) fn forget(&mut self, effects: &mut Vec<Effect>) {
        for call in self.by_number.drain().flat_map(|(_, late)| late.callers).collect::<BTreeSet<_>>() {
            let reason = "another node had the partition for a while and may have the answer".to_owned();
            effects.push(Effect::Answer { call, result: Err(CommandError::Unavailable(reason)) });
        }
    }

    pub(crate) fn tell(&mut self, number: u64, result: &CommandResult, effects: &mut Vec<Effect>) {
        if let Some(was_told) = self.asked.get_mut(&number) {
            // The note that is being read was written before this answer: it must not bring the callers back.
            *was_told = true;
        }
        for call in self.by_number.remove(&number).map(|late| late.callers).unwrap_or_default() {
            effects.push(Effect::Answer { call, result: result.clone().map_err(CommandError::Rejected) });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::CommandOptions;
    use tidemill_model::command::CancelInstance;
    use tidemill_model::{Command, ProcessInstanceKey};

    /// All callers wait, or all have left.
    struct Everybody {
        waits: bool,
    }

    impl Callers for Everybody {
        fn is_waiting(&self, _: CallId) -> bool {
            self.waits
        }

        fn claim(&mut self, _: CallId) -> bool {
            false
        }

        fn release(&mut self, _: CallId) {}
    }

    #[test]
    fn answers_that_are_waited_for_are_bounded_and_those_who_have_left_make_room() {
        let (mut late, mut effects) = (LateAnswers::default(), Vec::new());
        let command = Command::CancelInstance(CancelInstance { instance: ProcessInstanceKey(1) });
        let options = CommandOptions::default();
        let queued = QueuedCommand::new(command, CommandSource::Client { call: CallId(1), options });
        for number in 0..ANSWERS_MAX as u64 {
            assert!(!late.is_full(&Everybody { waits: true }), "there is room for answer {number}");
            late.add(number, &queued, &Everybody { waits: true }, &mut effects);
        }
        assert!(late.is_full(&Everybody { waits: true }));
        assert!(LateAnswers::too_many().to_string().contains("50000"), "the limit is named");
        assert!(!late.is_full(&Everybody { waits: false }));
        assert!(effects.is_empty());
    }
}
