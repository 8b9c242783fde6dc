//! Faults on demand, for tests of what must survive them. Debug builds only: a release build has no way in.
//!
//! `TIDEMILL_FAULT=panic:ID`, `overflow:ID` or `refuse:ID` strikes every create of the process with that id.

use std::sync::OnceLock;
use tidemill_model::Command;
use tidemill_model::command::DefinitionRef;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Panic,
    /// Runs out of stack, which no code can catch.
    Overflow,
    /// The store takes no batch that holds the command.
    Refuse,
}

/// Strikes if this command is the one.
pub(super) fn strike(command: &Command) {
    match fault_of(command) {
        Some(Fault::Panic) => panic!("a fault was asked for"),
        Some(Fault::Overflow) => {
            std::hint::black_box(dig(0));
        }
        Some(Fault::Refuse) | None => {}
    }
}

/// Whether the store shall refuse a batch with this command.
pub(super) fn is_refused(command: &Command) -> bool {
    fault_of(command) == Some(Fault::Refuse)
}

fn fault_of(command: &Command) -> Option<Fault> {
    let (fault, process_id) = configured().as_ref()?;
    let Command::CreateInstance(create) = command else { return None };
    match &create.definition {
        DefinitionRef::Latest(id) | DefinitionRef::Version(id, _) if id == process_id => Some(*fault),
        _ => None,
    }
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
