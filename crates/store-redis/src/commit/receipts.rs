//! Answers, results and dead letters of a batch.

use super::List;
use crate::writes::{APPENDED, COMES, HASH, number};
use std::collections::BTreeSet;
use tidemill_model::{TenantId, Text};
use tidemill_store::{Error, IdempotentAnswer, Result};

/// Fields that one entry of the streams by age names.
const FIELDS_PER_ENTRY: usize = 500;

impl List<'_> {
    pub(super) fn write_receipts(&mut self) -> Result<()> {
        self.check_answers()?;
        let batch = self.batch;
        let answers: Vec<&IdempotentAnswer> = batch.answers.iter().chain(&batch.late_answers).collect();
        let fields: Vec<(i64, Vec<u8>)> = answers
            .iter()
            .map(|answer| (answer.created_at.0, answer_field(&answer.tenant, &answer.key)))
            .collect();
        for (answer, (_, field)) in answers.iter().zip(&fields) {
            let mut value = format!("{} {} ", answer.created_at.0, answer.body_hash).into_bytes();
            value.extend(&answer.answer);
            self.writes.add(COMES, "HSET", self.keys.named("answers"), [field.clone(), value]);
        }
        self.note_ages("answers-age", &fields);
        let mut fields = Vec::new();
        for result in &batch.results {
            let mut value = format!("{} ", batch.at.0).into_bytes();
            value.extend(&result.answer);
            let field = number(result.position.0);
            self.writes.add(COMES, "HSET", self.keys.named("results"), [field.clone(), value]);
            fields.push((batch.at.0, field));
        }
        self.note_ages("results-age", &fields);
        for letter in &batch.dead_letters {
            let positions = number(self.writes.key(self.keys.named("letter-positions"), HASH));
            let position = letter.position.map(|position| number(position.0)).unwrap_or_default();
            let reason = letter.reason.as_bytes().to_vec();
            let args = [positions, position, number(batch.at.0), reason, letter.payload.clone()];
            self.writes.alone(APPENDED, "letter", self.keys.named("letters"), args);
        }
        Ok(())
    }

    /// A key is answered once.
    fn check_answers(&mut self) -> Result<()> {
        let mut known = BTreeSet::new();
        for answer in &self.batch.answers {
            let field = answer_field(&answer.tenant, &answer.key);
            let reason = format!("there is an answer under the idempotency key '{}'", answer.key);
            if !known.insert(field.clone()) {
                return Err(Error::Refused { culprit: None, reason });
            }
            self.condition(self.keys.named("answers"), &field, None, (None, &reason));
        }
        Ok(())
    }

    /// Which fields were written when, so that the oldest are found.
    fn note_ages(&mut self, stream: &str, fields: &[(i64, Vec<u8>)]) {
        for (n, fields) in fields.chunks(FIELDS_PER_ENTRY).enumerate() {
            let at = fields.iter().map(|(at, _)| *at).max().unwrap_or_default();
            let mut args = vec![self.entry_id(n), b"at".to_vec(), number(at)];
            args.extend(fields.iter().flat_map(|(_, field)| [b"of".to_vec(), field.clone()]));
            self.writes.alone(COMES, "XADD", self.keys.named(stream), args);
        }
    }
}

pub(crate) fn answer_field(tenant: &TenantId, key: &Text) -> Vec<u8> {
    format!("{tenant}\0{key}").into_bytes()
}
