//! Panics of a run, those included that a partition survives: nothing may panic.

use std::cell::RefCell;
use std::sync::Once;

/// Functions that are named for each panic.
const FUNCTIONS_MAX: usize = 12;
/// The function that a panic in a command passes through.
const COMMAND: &str = "run_command";
/// The text of a panic that is part of the simulation.
pub(crate) const ASKED_FOR: &str = "a loop is to panic";

thread_local! {
    /// None while no run is under way on this thread.
    static SEEN: RefCell<Option<Vec<String>>> = const { RefCell::new(None) };
}

/// From now on panics of this thread are kept instead of printed. A run stays on its thread.
pub(crate) fn listen() {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let is_kept = SEEN.with_borrow_mut(|seen| match seen {
                Some(_) if info.to_string().ends_with(ASKED_FOR) => true,
                Some(seen) => {
                    let callers = callers();
                    // A node that has lost its partition and does not know it yet may run a command on rows
                    // that its successor has written. The changes of such a command are never written. Where
                    // an owner's command panics, its dead letter or its answer tells.
                    if !callers.contains(COMMAND) {
                        seen.push(format!("{}: {callers}", info.to_string().replace('\n', " ")));
                    }
                    true
                }
                None => false,
            });
            if !is_kept {
                before(info);
            }
        }));
    });
    SEEN.set(Some(Vec::new()));
}

/// The functions of this workspace that led to the panic, the innermost first.
fn callers() -> String {
    let trace = std::backtrace::Backtrace::force_capture().to_string();
    let (mut function, mut found) = ("", Vec::new());
    for line in trace.lines().map(str::trim) {
        match line.strip_prefix("at ") {
            Some(place) if place.contains("crates/") && !place.contains("crates/sim/") => {
                found.push(format!(
                    "{} ({place})",
                    function.split_once(": ").map_or(function, |(_, name)| name)
                ));
            }
            Some(_) => {}
            None => function = line,
        }
    }
    let is_command = found.iter().any(|function| function.starts_with(COMMAND));
    found.truncate(FUNCTIONS_MAX);
    found.extend(is_command.then(|| COMMAND.to_owned()));
    found.join(" < ")
}

pub(crate) fn take() -> Vec<String> {
    SEEN.take().unwrap_or_default()
}
