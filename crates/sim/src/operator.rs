//! An operator, who runs commands again that were put aside for a reason that passes: they were in hand when their owners died, or
//! their owner was of an older version and could not read their definition. Nothing may be put aside for another reason.

use crate::world::World;
use std::collections::BTreeMap;
use std::sync::Arc;
use tidemill_model::{Command, PartitionId, Rejection};
use tidemill_partition::{Envelope, Mark, is_for_deaths, noted_marks};
use tidemill_store::{DeadLetters, Ownership, StoredLetter};

/// Deaths with a command in hand before it is put aside.
const DEATHS_MIN: usize = 2;
/// A part of the message about a definition that this version cannot read.
const UNREADABLE: &str = "cannot read its file";

/// A reason to put a command aside that is nobody's fault.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Excuse {
    Deaths,
    Unreadable,
}

/// Runs letters again, and tells of those that should not be there.
pub(crate) async fn run_letters_again(world: &Arc<World>) {
    let store = world.store();
    for letter in store.dead_letters(None, usize::MAX).await.unwrap_or_default() {
        match excuse_of_letter(world, &letter) {
            // The next try would end as this one did, as long as such a node is there.
            Some(Excuse::Unreadable) if world.has_old_node() && world.percent(80) => {}
            Some(excuse) => {
                let position = store.retry_dead_letter(letter.number, world.time_of_day()).await;
                world.ledger().counts.letters += 1;
                world.note(|| format!("letter {} ({excuse:?}) runs again as {position:?}", letter.number.0));
            }
            None if world.ledger().judged.insert(letter.number.0) => {
                let command = Envelope::unpack(&letter.payload).map(|envelope| envelope.command);
                world.violation(format!(
                    "a command of partition {} was put aside for no good reason: {}; {command:?}",
                    letter.partition, letter.reason
                ));
            }
            None => {}
        }
    }
}

fn excuse_of_letter(world: &World, letter: &StoredLetter) -> Option<Excuse> {
    if is_for_deaths(&letter.reason) {
        let mark = mark_of(letter)?;
        let deaths = deaths(world, letter.partition).get(&mark).copied().unwrap_or(0);
        return (deaths >= DEATHS_MIN).then_some(Excuse::Deaths);
    }
    (letter.reason.contains(UNREADABLE) && world.ledger().had_old_node).then_some(Excuse::Unreadable)
}

fn mark_of(letter: &StoredLetter) -> Option<Mark> {
    if let Some(position) = letter.position {
        return Some(Mark::Inbox(position.0));
    }
    match Envelope::unpack(&letter.payload).ok()?.command {
        Command::TriggerTimer(trigger) => Some(Mark::Timer(trigger.timer.key.0)),
        _ => None,
    }
}

/// How often each command of a partition was in hand at a death.
fn deaths(world: &World, partition: PartitionId) -> BTreeMap<Mark, usize> {
    let mut deaths = BTreeMap::new();
    for note in world.memory.inherited_notes(partition) {
        let mut marks = noted_marks(&note);
        marks.sort();
        marks.dedup();
        marks.into_iter().for_each(|mark| *deaths.entry(mark).or_default() += 1);
    }
    deaths
}

/// The excuse for a refusal, if a command may have been refused for this reason.
pub(crate) fn excuse_of_refusal(world: &World, rejection: &Rejection) -> Option<Excuse> {
    if is_for_deaths(&rejection.reason) {
        let has_died_of_it = |id| {
            let is_suspect =
                |(mark, deaths): (&Mark, &usize)| matches!(mark, Mark::Content(_)) && *deaths >= DEATHS_MIN;
            deaths(world, id).iter().any(is_suspect)
        };
        if !world.store().partition_count().ids().any(has_died_of_it) {
            world.violation(format!("a command was refused although nobody died of it: {rejection}"));
        }
        return Some(Excuse::Deaths);
    }
    (rejection.reason.contains(UNREADABLE) && world.ledger().had_old_node).then_some(Excuse::Unreadable)
}
