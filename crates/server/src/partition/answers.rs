//! Answers that outlive their command: for retries of one request, which meet the first, and for those who ask
//! later.

use super::Partition;
use super::execute::{Answered, Executed, position};
use super::inbox::{KeptAnswer, StoredIdempotency as StoredKey};
use super::settle::Step;
use super::take::{Source, Work};
use super::turn::Turn;
use crate::broker::CommandError;
use std::collections::{HashMap, HashSet};
use tidemill_engine::{InstanceEnd, Reply};
use tidemill_model::{Answer, Rejection, TenantId, Text, Timestamp};
use tidemill_store::{CommandResult, IdempotentAnswer, Result};

/// Answers to async commands and idempotency keys of clients are kept this long.
pub(crate) const ANSWERS_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
/// And those of requests between nodes.
const REQUEST_IDS_KEPT_MS: i64 = 10 * 60 * 1_000;
/// Begins the keys of requests between nodes. No client can send such a key: theirs are ASCII.
pub(crate) const REQUEST_ID_MARK: char = '§';

/// What a command gave; none while that is still under way.
type Outcome = Option<std::result::Result<Answer, Rejection>>;

/// What earlier requests gave, by their idempotency keys.
pub(super) type Known = HashMap<(TenantId, Text), KnownAnswer>;

#[derive(Clone)]
pub(super) struct KnownAnswer {
    fingerprint: u64,
    result: std::result::Result<Answer, Rejection>,
    /// The instance that it created has already ended.
    ended: Option<InstanceEnd>,
}

/// What a retry gets.
pub(super) struct Remembered {
    answer: std::result::Result<Answer, CommandError>,
    ended: Option<InstanceEnd>,
}

impl Partition {
    /// Looks up what earlier requests with the same idempotency keys got.
    pub(super) async fn recall_answers(&mut self) -> Step<()> {
        let mut keys: Vec<_> = self.open.queue.iter().filter_map(key_of).collect();
        keys.retain(|key| !self.open.known.contains_key(key));
        if keys.is_empty() {
            return Ok(());
        }
        if let Some(in_flight) = &self.in_flight {
            for key in &keys {
                if let Some(known) = in_flight.turn.known.get(key) {
                    self.open.known.insert(key.clone(), known.clone());
                }
            }
            keys.retain(|key| !self.open.known.contains_key(key));
        }
        let answers = self.store.answers(self.id, &keys).await?;
        for (key, answer) in keys.into_iter().zip(answers) {
            if let Some(answer) = answer
                && let Ok(kept) = tidemill_store::unpack::<KeptAnswer>(&answer.answer)
                && let Some(result) = kept.result
            {
                let ended = self.end_of(&result).await?;
                self.open
                    .known
                    .insert(key, KnownAnswer { fingerprint: answer.body_hash as u64, result, ended });
            }
        }
        Ok(())
    }

    /// Whether an instance that was created long ago has ended, and how.
    async fn end_of(&self, result: &std::result::Result<Answer, Rejection>) -> Result<Option<InstanceEnd>> {
        let Ok(Answer::Created(created)) = result else { return Ok(None) };
        let instance = self.store.process_instance(created.instance).await?;
        Ok(instance.filter(|instance| instance.ended_at.is_some()).map(|instance| InstanceEnd {
            instance: instance.key,
            is_completed: instance.state == "COMPLETED",
        }))
    }

    /// Notes the answer where it must be kept.
    pub(super) fn keep(&mut self, work: Work, reply: Reply) {
        let turn = &mut self.open;
        turn.consumed.extend(position(&work));
        if let Source::Timer(position) = &work.source {
            turn.fired.push(*position);
        }
        let result = match reply {
            Reply::Now(answer) => Ok(answer),
            Reply::Rejected(rejection) => Err(rejection),
            Reply::Later(token) => {
                if let Some(key) = key_of(&work) {
                    self.held.entry(key).or_default();
                }
                turn.results.extend(result_of(&work, None));
                turn.executed.push(Executed { work, answer: Answered::Later(token.number) });
                return;
            }
        };
        if let Some(key) = stored_key(&work) {
            let known = KnownAnswer { fingerprint: key.fingerprint, result: result.clone(), ended: None };
            turn.known.insert((key.tenant, key.key), known);
        }
        turn.answers.extend(answer_of(&work, &result, self.now));
        turn.results.extend(result_of(&work, Some(result.clone())));
        turn.executed.push(Executed { work, answer: Answered::Now(result.map_err(CommandError::Rejected)) });
    }

    /// A retry of a command whose answer is still to come waits for the same answer.
    pub(super) fn hold(&mut self, work: Work) -> Option<Work> {
        let is_sent = matches!(work.source, Source::Client { .. });
        match key_of(&work).and_then(|key| self.held.get_mut(&key)) {
            Some(waiting) if is_sent => {
                waiting.push(work);
                None
            }
            _ => Some(work),
        }
    }

    /// Batches are void: commands run again, and so do the retries that wait for them.
    pub(super) fn release_void(&mut self) -> Vec<Work> {
        let written: HashSet<_> = self.later.values().filter_map(key_of).collect();
        let (kept, void): (HashMap<_, _>, HashMap<_, _>) =
            std::mem::take(&mut self.held).into_iter().partition(|(key, _)| written.contains(key));
        self.held = kept;
        void.into_values().flatten().collect()
    }

    /// The answer has come: the retries of its command will find it.
    pub(super) fn let_go(&mut self, answered: &Work) {
        if let Some(waiting) = key_of(answered).and_then(|key| self.held.remove(&key)) {
            self.open.queue.extend(waiting);
        }
    }

    /// The same for answers that have come with another command.
    pub(super) fn keep_late(&mut self) {
        let Turn { replies, executed, answers, results, .. } = &mut self.open;
        for (token, result) in replies {
            let is_meant = |one: &&Executed| matches!(one.answer, Answered::Later(n) if n == token.number);
            let of_this_turn = executed.iter().find(is_meant).map(|one| &one.work);
            if let Some(work) = of_this_turn.or_else(|| self.later.get(&token.number)) {
                answers.extend(answer_of(work, result, self.now));
                results.retain(|known| Some(known.position) != position(work));
                results.extend(result_of(work, Some(result.clone())));
            }
        }
    }

    /// The answer of an earlier request with the same key; another body under it is an error of the caller.
    pub(super) fn remembered(&self, work: &Work) -> Option<Remembered> {
        let key = stored_key(work)?;
        let known = self.open.known.get(&(key.tenant, key.key))?;
        if known.fingerprint != key.fingerprint {
            return Some(Remembered { answer: Err(CommandError::OtherRequest), ended: None });
        }
        let answer = known.result.clone().map_err(CommandError::Rejected);
        Some(Remembered { answer, ended: known.ended })
    }

    /// Answers a retry as the first request was answered.
    pub(super) fn repeat(&mut self, work: Work, remembered: Remembered) {
        let Remembered { answer, ended } = remembered;
        self.open.consumed.extend(position(&work));
        let result = answer.clone().map_err(|error| match error {
            CommandError::Rejected(rejection) => rejection,
            other => Rejection::invalid_argument(other.to_string()),
        });
        self.open.results.extend(result_of(&work, Some(result)));
        self.open.ended.extend(ended);
        self.open.executed.push(Executed { work, answer: Answered::Now(answer) });
    }
}

fn answer_of(
    work: &Work,
    result: &std::result::Result<Answer, Rejection>,
    created_at: Timestamp,
) -> Option<IdempotentAnswer> {
    let key = stored_key(work)?;
    // Nodes do not ask again for long: their keys are forgotten before those of clients.
    let age_ms = if key.key.starts_with(REQUEST_ID_MARK) { ANSWERS_KEPT_MS - REQUEST_IDS_KEPT_MS } else { 0 };
    Some(IdempotentAnswer {
        tenant: key.tenant,
        key: key.key,
        body_hash: key.fingerprint as i64,
        answer: kept(work, Some(result.clone())),
        created_at: created_at + -age_ms,
    })
}

/// For who asks later, where somebody may.
fn result_of(work: &Work, outcome: Outcome) -> Option<CommandResult> {
    match &work.source {
        Source::Inbox { position, keeps_result: true, .. } => {
            Some(CommandResult { position: *position, answer: kept(work, outcome) })
        }
        _ => None,
    }
}

fn kept(work: &Work, result: Outcome) -> Vec<u8> {
    tidemill_store::pack(&KeptAnswer { intent: Text::new_static(work.command.intent()), result })
}

fn key_of(work: &Work) -> Option<(TenantId, Text)> {
    stored_key(work).map(|key| (key.tenant, key.key))
}

fn stored_key(work: &Work) -> Option<StoredKey> {
    match &work.source {
        Source::Client { options, .. } | Source::Awaiting { options, .. } => {
            options.idempotency.as_ref().map(|idempotency| StoredKey {
                tenant: options.tenant.clone(),
                key: idempotency.key.clone(),
                fingerprint: idempotency.fingerprint,
            })
        }
        Source::Inbox { idempotency: Some(stored), .. } => Some(StoredKey {
            tenant: stored.tenant.clone(),
            key: stored.key.clone(),
            fingerprint: stored.fingerprint,
        }),
        _ => None,
    }
}
