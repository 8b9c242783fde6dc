//! Faults on demand, for tests of what must survive them. Debug builds only: a release build has no way in.
//!
//! `TIDEMILL_FAULT=panic:ID`, `overflow:ID` or `refuse:ID` strikes every create of the process with that id, or every
//! timer where the id is `any-timer`. `doubt:ID`
//! hides what became of two in three batches with such a create, `hold:ID` writes them four seconds late.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use tidemill_model::Command;
use tidemill_model::command::DefinitionRef;
use tidemill_store::{Batch, Committed, Error, Result, Store};

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Panic,
    /// Runs out of stack, which no code can catch.
    Overflow,
    /// The store takes no batch that holds the command.
    Refuse,
    /// The store does not say whether it has taken the batch.
    Doubt,
    /// The store takes its time.
    Hold,
}

/// The delay of a batch that is held.
const HELD_FOR: std::time::Duration = std::time::Duration::from_secs(4);

/// The fault that strikes a batch.
pub(super) enum Strike {
    Refuse,
    /// Take it and not say so.
    HideSuccess,
    /// Not take it and not say so.
    HideFailure,
    /// Take it late.
    Hold,
}

/// Strikes if this command is the one.
pub(super) fn strike(command: &Command) {
    match fault_of(command) {
        Some(Fault::Panic) => panic!("a fault was asked for"),
        Some(Fault::Overflow) => {
            std::hint::black_box(dig(0));
        }
        Some(Fault::Refuse | Fault::Doubt | Fault::Hold) | None => {}
    }
}

/// The fault that strikes this batch, if one was asked for.
pub(super) fn strike_batch(batch: &Batch) -> Option<Strike> {
    configured().as_ref()?;
    if batch.changes.is_empty() {
        return None;
    }
    let (commands, _) = tidemill_partition::unpack_log(&batch.log).ok()?;
    static DOUBTS: AtomicU64 = AtomicU64::new(0);
    match commands.iter().find_map(fault_of)? {
        Fault::Refuse => Some(Strike::Refuse),
        // Of three batches in doubt one is written, one is not, and one goes through.
        Fault::Doubt => match DOUBTS.fetch_add(1, Ordering::Relaxed) % 3 {
            0 => Some(Strike::HideSuccess),
            1 => Some(Strike::HideFailure),
            _ => None,
        },
        Fault::Hold => Some(Strike::Hold),
        Fault::Panic | Fault::Overflow => None,
    }
}

/// Commits, or does not, as the fault wants it.
pub(super) async fn commit(store: Arc<dyn Store>, batch: Batch, strike: Strike) -> Result<Committed> {
    let reason = "a fault was asked for".to_owned();
    match strike {
        Strike::Refuse => return Err(Error::Refused { culprit: None, reason }),
        Strike::HideSuccess => {
            store.commit(batch).await?;
        }
        Strike::HideFailure => {}
        Strike::Hold => {
            tokio::time::sleep(HELD_FOR).await;
            return store.commit(batch).await;
        }
    }
    Err(Error::OutcomeUnknown { reason })
}

fn fault_of(command: &Command) -> Option<Fault> {
    let (fault, process_id) = configured().as_ref()?;
    let is_meant = match command {
        Command::CreateInstance(create) => match &create.definition {
            DefinitionRef::Latest(id) | DefinitionRef::Version(id, _) => id == process_id,
            DefinitionRef::Key(_) => false,
        },
        Command::TriggerTimer(_) => process_id == "any-timer",
        _ => false,
    };
    is_meant.then_some(*fault)
}

fn configured() -> &'static Option<(Fault, String)> {
    static CONFIGURED: OnceLock<Option<(Fault, String)>> = OnceLock::new();
    CONFIGURED.get_or_init(|| {
        let text = std::env::var("TIDEMILL_FAULT").ok()?;
        let (kind, process_id) = text.split_once(':')?;
        let fault = match kind {
            "panic" => Fault::Panic,
            "overflow" => Fault::Overflow,
            "refuse" => Fault::Refuse,
            "doubt" => Fault::Doubt,
            "hold" => Fault::Hold,
            _ => return None,
        };
        Some((fault, process_id.to_owned()))
    })
}

#[expect(unconditional_recursion, reason = "running out of stack is what it is for")]
fn dig(depth: u64) -> u64 {
    let ballast = std::hint::black_box([depth; 512]);
    dig(depth + 1) + ballast[0]
}
