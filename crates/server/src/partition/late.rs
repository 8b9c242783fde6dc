//! Answers that come with another command, perhaps of another partition and after this owner is gone. Whoever may
//! ask again or later is noted in the store with the command's effects, so that the next owner can answer them too.

use super::Partition;
use super::answers::{kept, kept_from, stored_key};
use super::execute::Answered;
use super::inbox::StoredIdempotency as StoredKey;
use super::settle::Step;
use super::take::{Source, Work};
use crate::broker::CommandError;
use crate::partition::REQUEST_ID_MARK;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashSet};
use tidemill_model::{Answer, Rejection, TenantId, Text, Timestamp};
use tidemill_store::{CommandResult, IdempotentAnswer, Position};
use tokio::sync::oneshot;

type Outcome = Result<Answer, Rejection>;

/// Requests that may wait for one answer; retries join those who wait.
const CALLERS_MAX: usize = 1_000;
/// Answers that may be waited for at the same time; who comes after that is turned away.
const LATE_MAX: usize = 50_000;
/// Answers that are waited for before those are forgotten that nobody waits for any more.
pub(super) const LATE_BEFORE_CLEANING: usize = 10_000;

/// Who waits for an answer.
#[derive(Default)]
pub(super) struct Late {
    address: Address,
    callers: Vec<oneshot::Sender<Result<Answer, CommandError>>>,
}

/// Where an answer is to be kept.
#[derive(Clone, PartialEq, Serialize, Deserialize, Default)]
struct Address {
    intent: Text,
    key: Option<StoredKey>,
    positions: Vec<i64>,
}

impl Late {
    pub(super) fn add(&mut self, work: Work) {
        self.address.add(&work);
        if let Source::Client { reply, .. } = work.source {
            if self.callers.len() >= CALLERS_MAX {
                self.callers.retain(|caller| !caller.is_closed());
            }
            if self.callers.len() >= CALLERS_MAX {
                let reason = format!("{CALLERS_MAX} requests with its key wait for the answer already");
                return drop(reply.send(Err(CommandError::overloaded(reason))));
            }
            self.callers.push(reply);
        }
    }

    /// Somebody here still waits for it. Who asks later finds it in the store.
    pub(super) fn is_awaited(&self) -> bool {
        self.callers.iter().any(|caller| !caller.is_closed())
    }

    pub(super) fn tell(self, outcome: &Outcome) {
        for caller in self.callers {
            let _ = caller.send(outcome.clone().map_err(CommandError::Rejected));
        }
    }
}

impl Address {
    fn add(&mut self, work: &Work) {
        self.intent = Text::new_static(work.command.intent());
        if self.key.is_none() {
            self.key = stored_key(work);
        }
        if let Source::Inbox { position, keeps_result: true, .. } = &work.source {
            self.positions.push(position.0);
        }
    }

    fn is_empty(&self) -> bool {
        self.key.is_none() && self.positions.is_empty()
    }

    /// None as long as there is no answer: then it comes under this number.
    fn content(&self, outcome: Option<&Outcome>, number: u64) -> Vec<u8> {
        kept(self.intent.clone(), outcome.cloned(), outcome.is_none().then_some(number))
    }

    fn results(&self, outcome: Option<&Outcome>, number: u64) -> impl Iterator<Item = CommandResult> {
        let result = move |position: &i64| CommandResult {
            position: Position(*position),
            answer: self.content(outcome, number),
        };
        self.positions.iter().map(result)
    }

    fn answer(&self, outcome: Option<&Outcome>, number: u64, now: Timestamp) -> Option<IdempotentAnswer> {
        let key = self.key.as_ref()?;
        Some(IdempotentAnswer {
            tenant: key.tenant.clone(),
            key: key.key.clone(),
            body_hash: key.fingerprint as i64,
            answer: self.content(outcome, number),
            created_at: kept_from(&key.key, now),
        })
    }

    /// By this the next owner finds the address when the answer comes.
    fn note(&self, number: u64, now: Timestamp) -> IdempotentAnswer {
        let (tenant, key) = note_key(number);
        let created_at = match (&self.key, self.positions.as_slice()) {
            (Some(key), []) => kept_from(&key.key, now),
            _ => now,
        };
        IdempotentAnswer { tenant, key, body_hash: 0, answer: tidemill_store::pack(self), created_at }
    }
}

fn note_key(number: u64) -> (TenantId, Text) {
    (TenantId::default(), Text::from(format!("{REQUEST_ID_MARK}late-{number:x}")))
}

impl Partition {
    /// Whether there is no room for another command whose answer comes with another one. Those that nobody waits for
    /// here any more make room: who asks later finds the answer in the store.
    pub(super) fn is_full_of_late(&mut self) -> bool {
        if self.later.len() >= self.later_before_cleaning {
            self.later.retain(|_, late| late.is_awaited());
            self.later_before_cleaning = LATE_BEFORE_CLEANING.max(self.later.len() * 2).min(LATE_MAX);
        }
        self.later.len() >= LATE_MAX
    }

    pub(super) fn too_many_late() -> CommandError {
        CommandError::overloaded(format!("the answers of {LATE_MAX} correlations are waited for already"))
    }

    /// Looks up who waits for these answers since before this owner came.
    pub(super) async fn find_late(&mut self, mut numbers: Vec<u64>) -> Step<()> {
        numbers.retain(|number| !self.later.contains_key(number));
        if numbers.is_empty() {
            return Ok(());
        }
        let keys: Vec<_> = numbers.iter().map(|number| note_key(*number)).collect();
        let notes = self.store.answers(self.id, &keys).await?;
        for (number, note) in numbers.into_iter().zip(notes) {
            if let Some(note) = note
                && let Ok(address) = tidemill_store::unpack(&note.answer)
            {
                self.later.insert(number, Late { address, callers: Vec::new() });
            }
        }
        Ok(())
    }

    /// Keeps the answers that have come with other commands, and notes who waits for those that have not.
    pub(super) async fn keep_late(&mut self) -> Step<()> {
        let mut waiting = self.late_of_this_turn();
        let kept_since = self.clock.system();
        let replies = std::mem::take(&mut self.open.replies);
        let strangers = replies.iter().map(|(token, _)| token.number);
        let strangers: HashSet<u64> = strangers.filter(|number| !waiting.contains_key(number)).collect();
        self.find_late(strangers.into_iter().collect()).await?;
        for (token, outcome) in &replies {
            let number = token.number;
            let known = || self.later.get(&number).map(|late| late.address.clone());
            let Some(address) = waiting.remove(&number).or_else(known) else { continue };
            self.open.results.extend(address.results(Some(outcome), number));
            self.open.late_answers.extend(address.answer(Some(outcome), number, kept_since));
            if let Some(key) = address.key {
                self.know(key, outcome.clone());
            }
        }
        self.open.replies = replies;
        for (number, address) in waiting {
            let is_noted = self.later.get(&number).is_some_and(|late| late.address == address);
            if !is_noted && !address.is_empty() {
                self.open.results.extend(address.results(None, number));
                self.open.late_answers.extend(address.answer(None, number, kept_since));
                self.open.late_answers.push(address.note(number, kept_since));
            }
        }
        Ok(())
    }

    /// Those that the open batch has brought, together with who waited before.
    fn late_of_this_turn(&self) -> BTreeMap<u64, Address> {
        let mut waiting: BTreeMap<u64, Address> = BTreeMap::new();
        for executed in &self.open.executed {
            if let Answered::Later(number) = executed.answer {
                let known = || self.later.get(&number).map(|late| late.address.clone());
                waiting.entry(number).or_insert_with(|| known().unwrap_or_default()).add(&executed.work);
            }
        }
        waiting
    }
}
