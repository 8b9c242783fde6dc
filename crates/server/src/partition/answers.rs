//! Answers that outlive their command: for retries of one request, which meet the first, and for those who ask
//! later.

use super::Partition;
use super::execute::{Answered, Executed, position};
use super::inbox::{KeptAnswer, StoredIdempotency as StoredKey};
use super::take::{Source, Work};
use super::turn::Turn;
use crate::broker::CommandError;
use std::collections::HashMap;
use tidemill_engine::{InstanceEnd, Reply};
use tidemill_model::{Answer, Rejection, TenantId, Text};
use tidemill_store::{CommandResult, IdempotentAnswer, Result};

/// What a command gave; none while that is still under way.
type Outcome = Option<std::result::Result<Answer, Rejection>>;

/// Fingerprints of earlier requests and what they gave, by their idempotency keys.
pub(super) type Known = HashMap<(TenantId, Text), (u64, std::result::Result<Answer, Rejection>)>;

impl Partition {
    /// Answers that earlier requests with the same idempotency keys got.
    pub(super) async fn known_answers(&self, works: &[Work]) -> Result<Known> {
        let keys: Vec<_> = works.iter().filter_map(stored_key).map(|key| (key.tenant, key.key)).collect();
        let mut known = Known::new();
        if keys.is_empty() {
            return Ok(known);
        }
        let answers = self.store.answers(self.id, &keys).await?;
        for (key, answer) in keys.into_iter().zip(answers) {
            if let Some(answer) = answer
                && let Ok(kept) = tidemill_store::unpack::<KeptAnswer>(&answer.answer)
                && let Some(result) = kept.result
            {
                known.insert(key, (answer.body_hash as u64, result));
            }
        }
        Ok(known)
    }

    /// Notes the answer where it must be kept.
    pub(super) fn keep(&self, turn: &mut Turn, work: Work, reply: Reply, known: &mut Known) {
        turn.consumed.extend(position(&work));
        if let Source::Timer(position) = &work.source {
            turn.fired.push(*position);
        }
        let result = match reply {
            Reply::Now(answer) => Ok(answer),
            Reply::Rejected(rejection) => Err(rejection),
            Reply::Later(token) => {
                turn.results.extend(result_of(&work, None));
                turn.executed.push(Executed { work, answer: Answered::Later(token.number) });
                return;
            }
        };
        if let Some(key) = stored_key(&work) {
            known.insert((key.tenant, key.key), (key.fingerprint, result.clone()));
        }
        turn.answers.extend(self.answer_of(&work, &result));
        turn.results.extend(result_of(&work, Some(result.clone())));
        turn.executed.push(Executed { work, answer: Answered::Now(result.map_err(CommandError::Rejected)) });
    }

    /// The same for answers that have come with another command.
    pub(super) fn keep_late(&self, turn: &mut Turn) {
        let Turn { replies, executed, answers, results, .. } = turn;
        for (token, result) in replies {
            let is_meant = |one: &&Executed| matches!(one.answer, Answered::Later(n) if n == token.number);
            let of_this_turn = executed.iter().find(is_meant).map(|one| &one.work);
            if let Some(work) = of_this_turn.or_else(|| self.later.get(&token.number)) {
                answers.extend(self.answer_of(work, result));
                results.retain(|known| Some(known.position) != position(work));
                results.extend(result_of(work, Some(result.clone())));
            }
        }
    }

    /// Answers a retry as the first request was answered.
    pub(super) async fn repeat(
        &self,
        turn: &mut Turn,
        work: Work,
        answer: std::result::Result<Answer, CommandError>,
    ) -> Result<()> {
        turn.consumed.extend(position(&work));
        let result = answer.clone().map_err(|error| match error {
            CommandError::Rejected(rejection) => rejection,
            other => Rejection::invalid_argument(other.to_string()),
        });
        turn.results.extend(result_of(&work, Some(result)));
        if let (Source::Awaiting { .. }, Ok(Answer::Created(created))) = (&work.source, &answer)
            && let Some(instance) = self.store.process_instance(created.instance).await?
            && instance.ended_at.is_some()
        {
            let is_completed = instance.state == "COMPLETED";
            turn.ended.push(InstanceEnd { instance: instance.key, is_completed });
        }
        turn.executed.push(Executed { work, answer: Answered::Now(answer) });
        Ok(())
    }

    fn answer_of(
        &self,
        work: &Work,
        result: &std::result::Result<Answer, Rejection>,
    ) -> Option<IdempotentAnswer> {
        let key = stored_key(work)?;
        Some(IdempotentAnswer {
            tenant: key.tenant,
            key: key.key,
            body_hash: key.fingerprint as i64,
            answer: kept(work, Some(result.clone())),
            created_at: self.now,
        })
    }
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

/// The answer of an earlier request with the same key; another body under it is an error of the caller.
pub(super) fn remembered(work: &Work, known: &Known) -> Option<std::result::Result<Answer, CommandError>> {
    let key = stored_key(work)?;
    let (fingerprint, result) = known.get(&(key.tenant, key.key))?;
    if *fingerprint != key.fingerprint {
        return Some(Err(CommandError::OtherRequest));
    }
    Some(result.clone().map_err(CommandError::Rejected))
}
