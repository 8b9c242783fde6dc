//! Answers that outlive their command: for retries of one request, which meet the first, and for those who ask
//! later.

use super::Partition;
use super::execute::{Answered, Executed, position};
use super::inbox::{KeptAnswer, StoredIdempotency as StoredKey};
use super::settle::Step;
use super::take::{Source, Work};
use crate::broker::CommandError;
use std::collections::{HashMap, HashSet};
use tidemill_engine::{InstanceEnd, Reply};
use tidemill_model::{Answer, ProcessInstanceKey, Rejection, TenantId, Text, Timestamp};
use tidemill_store::query::{Filter, Page, ProcessInstanceField, Search, Test, Value};
use tidemill_store::{CommandResult, IdempotentAnswer, Result};

/// Answers to async commands and idempotency keys of clients are kept this long.
pub(crate) const ANSWERS_KEPT_MS: i64 = 24 * 60 * 60 * 1_000;
/// And those of requests between nodes.
const REQUEST_IDS_KEPT_MS: i64 = 10 * 60 * 1_000;
/// Begins the keys of requests between nodes. No client can send such a key: theirs are ASCII.
pub(crate) const REQUEST_ID_MARK: char = '§';

type Outcome = std::result::Result<Answer, Rejection>;

/// What earlier requests gave, by their idempotency keys.
pub(super) type Known = HashMap<(TenantId, Text), KnownAnswer>;

#[derive(Clone)]
pub(super) struct KnownAnswer {
    fingerprint: u64,
    given: Given,
}

#[derive(Clone)]
enum Given {
    Answer {
        result: Outcome,
        /// The instance that it created has already ended.
        ended: Option<InstanceEnd>,
    },
    /// It comes with another command, under this number.
    Later(u64),
}

/// What a retry gets.
pub(super) enum Remembered {
    Answer {
        answer: std::result::Result<Answer, CommandError>,
        ended: Option<InstanceEnd>,
    },
    /// The answer that the first request waits for as well.
    Later(u64),
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
        let awaited: HashSet<_> =
            self.open.queue.iter().filter(|work| is_awaited(work)).filter_map(key_of).collect();
        let (mut late, mut created) = (Vec::new(), Vec::new());
        for (key, answer) in keys.into_iter().zip(answers) {
            let Some(answer) = answer else { continue };
            let given = match tidemill_store::unpack(&answer.answer) {
                Ok(KeptAnswer { result: Some(result), .. }) => {
                    // Only who waits for the end of the instance has to know whether that has come.
                    if let (true, Ok(Answer::Created(instance))) = (awaited.contains(&key), &result) {
                        created.push((key.clone(), instance.instance));
                    }
                    Given::Answer { result, ended: None }
                }
                Ok(KeptAnswer { comes_as: Some(number), .. }) => {
                    late.push(number);
                    Given::Later(number)
                }
                _ => continue,
            };
            self.open.known.insert(key, KnownAnswer { fingerprint: answer.body_hash as u64, given });
        }
        self.note_ends(created).await?;
        self.find_late(late).await
    }

    /// Which of the instances that were created long ago have ended, and how: one read tells it of all.
    async fn note_ends(&mut self, created: Vec<((TenantId, Text), ProcessInstanceKey)>) -> Result<()> {
        if created.is_empty() {
            return Ok(());
        }
        let keys = created.iter().map(|(_, instance)| Value::from(instance.0)).collect();
        let filter = Filter::default().is(ProcessInstanceField::Key, Test::In(keys));
        let limit = u32::try_from(created.len()).unwrap_or(u32::MAX);
        let search = Search::of(filter).page(Page { limit, ..Page::default() });
        let found = self.store.process_instances(&search).await?;
        let ends: HashMap<_, _> = found
            .items
            .into_iter()
            .filter(|instance| instance.ended_at.is_some())
            .map(|instance| (instance.key, instance.state == "COMPLETED"))
            .collect();
        for (key, instance) in created {
            let Some(&is_completed) = ends.get(&instance) else { continue };
            if let Some(KnownAnswer { given: Given::Answer { ended, .. }, .. }) =
                self.open.known.get_mut(&key)
            {
                *ended = Some(InstanceEnd { instance, is_completed });
            }
        }
        Ok(())
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
                if let Some(StoredKey { tenant, key, fingerprint }) = stored_key(&work) {
                    let given = Given::Later(token.number);
                    turn.known.insert((tenant, key), KnownAnswer { fingerprint, given });
                }
                turn.executed.push(Executed { work, answer: Answered::Later(token.number) });
                return;
            }
        };
        turn.answers.extend(answer_of(&work, &result, self.clock.system()));
        turn.results.extend(result_of(&work, &result));
        if let Some(key) = stored_key(&work) {
            self.know(key, result.clone());
        }
        let answer = Answered::Now(result.map_err(CommandError::Rejected));
        self.open.executed.push(Executed { work, answer });
    }

    /// Retries get this answer from now on.
    pub(super) fn know(&mut self, key: StoredKey, result: Outcome) {
        let StoredKey { tenant, key, fingerprint } = key;
        let given = Given::Answer { result, ended: None };
        self.open.known.insert((tenant, key), KnownAnswer { fingerprint, given });
    }

    /// The answer of an earlier request with the same key; another body under it is an error of the caller.
    pub(super) fn remembered(&self, work: &Work) -> Option<Remembered> {
        let key = stored_key(work)?;
        let known = self.open.known.get(&(key.tenant, key.key))?;
        if known.fingerprint != key.fingerprint {
            return Some(Remembered::Answer { answer: Err(CommandError::OtherRequest), ended: None });
        }
        Some(match &known.given {
            Given::Answer { result, ended } => {
                Remembered::Answer { answer: result.clone().map_err(CommandError::Rejected), ended: *ended }
            }
            Given::Later(number) => Remembered::Later(*number),
        })
    }

    /// Answers a retry as the first request was answered.
    pub(super) fn repeat(&mut self, work: Work, remembered: Remembered) {
        self.open.consumed.extend(position(&work));
        let (answer, ended) = match remembered {
            Remembered::Answer { answer, ended } => (answer, ended),
            Remembered::Later(number) => {
                return self.open.executed.push(Executed { work, answer: Answered::Later(number) });
            }
        };
        let result = answer.clone().map_err(|error| match error {
            CommandError::Rejected(rejection) => rejection,
            other => Rejection::invalid_argument(other.to_string()),
        });
        self.open.results.extend(result_of(&work, &result));
        self.open.ended.extend(ended);
        self.open.executed.push(Executed { work, answer: Answered::Now(answer) });
    }
}

fn answer_of(work: &Work, result: &Outcome, now: Timestamp) -> Option<IdempotentAnswer> {
    let key = stored_key(work)?;
    Some(IdempotentAnswer {
        created_at: kept_from(&key.key, now),
        tenant: key.tenant,
        key: key.key,
        body_hash: key.fingerprint as i64,
        answer: kept(intent(work), Some(result.clone()), None),
    })
}

/// Nodes do not ask again for long: their keys are forgotten before those of clients.
pub(super) fn kept_from(key: &Text, now: Timestamp) -> Timestamp {
    let age_ms = if key.starts_with(REQUEST_ID_MARK) { ANSWERS_KEPT_MS - REQUEST_IDS_KEPT_MS } else { 0 };
    now + -age_ms
}

/// For who asks later, where somebody may.
fn result_of(work: &Work, result: &Outcome) -> Option<CommandResult> {
    match &work.source {
        Source::Inbox { position, keeps_result: true, .. } => {
            let answer = kept(intent(work), Some(result.clone()), None);
            Some(CommandResult { position: *position, answer })
        }
        _ => None,
    }
}

pub(super) fn kept(intent: Text, result: Option<Outcome>, comes_as: Option<u64>) -> Vec<u8> {
    tidemill_store::pack(&KeptAnswer { intent, result, comes_as })
}

fn intent(work: &Work) -> Text {
    Text::new_static(work.command.intent())
}

fn is_awaited(work: &Work) -> bool {
    matches!(work.source, Source::Awaiting { .. })
}

fn key_of(work: &Work) -> Option<(TenantId, Text)> {
    stored_key(work).map(|key| (key.tenant, key.key))
}

pub(super) fn stored_key(work: &Work) -> Option<StoredKey> {
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
