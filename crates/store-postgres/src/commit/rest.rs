//! The parts of a batch besides changes: its log, the inbox, answers, results, dead letters, counts.

use crate::call::{Call, Param, small};
use crate::follow::{EndedElements, Net};
use std::borrow::Cow;
use tidemill_model::{Change, Entity, EntityKind, PartitionId};
use tidemill_store::{Batch, FiredTimers, IdempotentAnswer, NewInboxEntry};

const BATCH: &str =
    "INSERT INTO batches (partition_id, batch_id, at, highest_key, log) VALUES ($1, $2, $3, $4, $5)";

/// One by one, as all that is found by a list of keys: see `statements::remove`.
const CONSUMED: &str = "DELETE FROM inbox WHERE ctid = ANY(ARRAY(SELECT x.place FROM unnest($2::bigint[]) k \
    CROSS JOIN LATERAL (SELECT ctid AS place FROM inbox WHERE partition_id = $1 AND position = k OFFSET 0) x))";

const FIRED: &str =
    "DELETE FROM timers WHERE partition_id = $1 AND (due_at, key) > ($2, $3) AND (due_at, key) <= ($4, $5)";

/// Without a clause for conflicts: a second first answer under a key would mean that a command has run twice, and must fail.
const ANSWERS: &str = "INSERT INTO idempotency (partition_id, tenant, key, body_hash, answer, created_at) \
    SELECT $1, u.* FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bigint[]) u";

/// A late answer replaces the note that it will come.
const LATE_ANSWERS: &str = "INSERT INTO idempotency (partition_id, tenant, key, body_hash, answer, created_at) \
    SELECT $1, u.* FROM unnest($2::text[], $3::text[], $4::bigint[], $5::bytea[], $6::bigint[]) u \
    ON CONFLICT (partition_id, tenant, key) DO UPDATE SET body_hash = excluded.body_hash, \
    answer = excluded.answer, created_at = excluded.created_at";

const RESULTS: &str = "INSERT INTO results (partition_id, at, position, answer) \
    SELECT $1, $2, u.* FROM unnest($3::bigint[], $4::bytea[]) u \
    ON CONFLICT (partition_id, position) DO UPDATE SET at = excluded.at, answer = excluded.answer";

const LETTERS: &str = "INSERT INTO dead_letters (partition_id, at, position, reason, payload) \
    SELECT $1, $2, u.* FROM unnest($3::bigint[], $4::text[], $5::bytea[]) u";

/// Positions are drawn in the order of the arrays.
pub(crate) const APPEND: &str = "INSERT INTO inbox (partition_id, received_at, payload) \
    SELECT u.* FROM unnest($1::smallint[], $2::bigint[], $3::bytea[]) u RETURNING position";

const DEFINITIONS_MOVE: &str = "UPDATE settings SET value = value + 1 WHERE name = 'definitions_version'";

/// Rows are added and folded every so many commits: a count that each commit updates would leave an old version of its row behind each
/// time.
const COUNTS: &str = "INSERT INTO element_counts (partition_id, definition_key, element_id, state, count) \
    SELECT $1, u.* FROM unnest($2::bigint[], $3::text[], $4::text[], $5::bigint[]) u";

/// Only the owner does this, so nobody else folds the same rows.
const FOLD: &str = "WITH gone AS (DELETE FROM element_counts WHERE partition_id = $1 \
    RETURNING definition_key, element_id, state, count) \
    INSERT INTO element_counts (partition_id, definition_key, element_id, state, count) \
    SELECT $1, definition_key, element_id, state, sum(count) FROM gone GROUP BY 2, 3, 4 HAVING sum(count) <> 0";

/// The rows that every commit writes itself, however its changes reach the tables.
pub(super) fn calls<'b>(batch: &'b Batch, changes: &[Change]) -> Vec<Call<'b>> {
    let partition = batch.partition();
    let mut calls = vec![Call::new(
        BATCH,
        [
            partition.into(),
            batch.id.0.into(),
            batch.at.0.into(),
            (batch.highest_key as i64).into(),
            Param::Bytes(Cow::Borrowed(&batch.log)),
        ],
    )];
    if !batch.consumed.is_empty() {
        let positions: Vec<i64> = batch.consumed.iter().map(|position| position.0).collect();
        calls.push(Call::new(CONSUMED, [partition.into(), positions.into()]));
    }
    if !batch.answers.is_empty() {
        calls.push(answers(ANSWERS, batch, &batch.answers));
    }
    if !batch.late_answers.is_empty() {
        calls.push(answers(LATE_ANSWERS, batch, &batch.late_answers));
    }
    if !batch.results.is_empty() {
        let positions: Vec<i64> = batch.results.iter().map(|result| result.position.0).collect();
        let answers = batch.results.iter().map(|result| Cow::Borrowed(&result.answer[..])).collect();
        let at = batch.at.0.into();
        calls.push(Call::new(RESULTS, [partition.into(), at, positions.into(), Param::Blobs(answers)]));
    }
    if !batch.dead_letters.is_empty() {
        calls.push(letters(batch));
    }
    if !batch.outgoing.is_empty() {
        calls.push(append(&batch.outgoing));
    }
    if changes.iter().any(changes_definitions) {
        calls.push(Call::new(DEFINITIONS_MOVE, []));
    }
    calls
}

/// Before the rows of changes: fired timers go before new ones come, which may lie in the same range.
pub(super) fn before_rows<'r>(partition: PartitionId, net: &Net<'r>, folds_counts: bool) -> Vec<Call<'r>> {
    let mut calls: Vec<Call<'r>> = net.fired.iter().map(|fired| fired_call(partition, fired)).collect();
    calls.extend(ended_elements(partition, &net.ended_elements));
    if folds_counts {
        calls.push(Call::new(FOLD, [partition.into()]));
    }
    calls
}

pub(crate) fn append(entries: &[NewInboxEntry]) -> Call<'_> {
    let partitions = entries.iter().map(|entry| small(entry.partition)).collect();
    let times: Vec<i64> = entries.iter().map(|entry| entry.received_at.0).collect();
    let payloads = entries.iter().map(|entry| Cow::Borrowed(&entry.payload[..])).collect();
    Call::new(APPEND, [Param::Smalls(partitions), times.into(), Param::Blobs(payloads)])
}

fn fired_call<'b>(partition: PartitionId, fired: &FiredTimers) -> Call<'b> {
    let (due, key) = fired.after.map_or((i64::MIN, i64::MIN), |after| (after.due_at.0, after.key.0));
    let params =
        [partition.into(), due.into(), key.into(), fired.up_to.due_at.0.into(), fired.up_to.key.0.into()];
    Call::new(FIRED, params)
}

fn answers<'b>(sql: &'static str, batch: &Batch, answers: &'b [IdempotentAnswer]) -> Call<'b> {
    let texts = |pick: fn(&IdempotentAnswer) -> &str| {
        Param::Texts(answers.iter().map(|answer| Some(Cow::Borrowed(pick(answer)))).collect())
    };
    let hashes: Vec<i64> = answers.iter().map(|answer| answer.body_hash).collect();
    let times: Vec<i64> = answers.iter().map(|answer| answer.created_at.0).collect();
    let bodies = answers.iter().map(|answer| Cow::Borrowed(&answer.answer[..])).collect();
    let params = [
        batch.partition().into(),
        texts(|answer| answer.tenant.as_str()),
        texts(|answer| answer.key.as_str()),
        hashes.into(),
        Param::Blobs(bodies),
        times.into(),
    ];
    Call::new(sql, params)
}

fn letters(batch: &Batch) -> Call<'_> {
    let letters = &batch.dead_letters;
    let positions = letters.iter().map(|letter| letter.position.map(|position| position.0)).collect();
    // The one text here that was made from whatever a command did: a NUL must not keep it out.
    let reasons =
        letters.iter().map(|letter| Some(Cow::Owned(letter.reason.replace('\0', "\u{fffd}")))).collect();
    let payloads = letters.iter().map(|letter| Cow::Borrowed(&letter.payload[..])).collect();
    let params = [
        batch.partition().into(),
        batch.at.0.into(),
        Param::Ints(positions),
        Param::Texts(reasons),
        Param::Blobs(payloads),
    ];
    Call::new(LETTERS, params)
}

fn ended_elements<'r>(partition: PartitionId, counts: &EndedElements<'r>) -> Option<Call<'r>> {
    if counts.is_empty() {
        return None;
    }
    let definitions: Vec<i64> = counts.keys().map(|key| key.0).collect();
    let elements = counts.keys().map(|key| Some(Cow::Borrowed(key.1))).collect();
    let states = counts.keys().map(|key| Some(Cow::Borrowed(key.2))).collect();
    let numbers: Vec<i64> = counts.values().copied().collect();
    let params =
        [partition.into(), definitions.into(), Param::Texts(elements), Param::Texts(states), numbers.into()];
    Some(Call::new(COUNTS, params))
}

fn changes_definitions(change: &Change) -> bool {
    let (Change::Put(entity) | Change::Remove(entity) | Change::End { entity, .. }) = change;
    matches!(
        Entity::kind(entity),
        EntityKind::ProcessDefinition
            | EntityKind::Form
            | EntityKind::Resource
            | EntityKind::StartSubscription
    )
}
