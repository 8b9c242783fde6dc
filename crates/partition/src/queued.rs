//! A command in the core, with the source that it came from. It stays one from when it is taken until its batch has landed.

use crate::pollers::Poller;
use crate::request::{CallId, CommandOptions};
use tidemill_model::{Command, Text};
use tidemill_store::Position;
use tidemill_store::StoredIdempotency;

#[derive(Debug)]
pub(crate) struct QueuedCommand {
    pub(crate) command: Command,
    pub(crate) source: CommandSource,
    /// None if it can run. A command that waits keeps its place in the queue, before those that came later.
    pub(crate) waits_for: Option<WaitsFor>,
    /// Number of reads that were made for it. A command that never has enough is put aside in the end.
    pub(crate) reads: u32,
}

/// The read that a command waits for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum WaitsFor {
    /// Rows that the engine has missed.
    Rows,
    /// The answer to an earlier request with the same idempotency key.
    Answer,
}

#[derive(Debug)]
/// The source of a command decides who hears of its result, what its commit consumes, and whether it is found again after a failure.
pub(crate) enum CommandSource {
    Client {
        call: CallId,
        options: CommandOptions,
    },
    /// A client that waits for the end of the instance that the command creates.
    Awaiting {
        call: CallId,
        options: CommandOptions,
    },
    Inbox {
        position: Position,
        keeps_result: bool,
        /// This partition has sent it to itself.
        is_own: bool,
        idempotency: Option<StoredIdempotency>,
    },
    Poller(Poller),
    Timer(tidemill_timers::Position),
    /// Leases on jobs have run out.
    Leases,
    /// Another command of the same batch has sent it.
    FollowUp,
}

impl QueuedCommand {
    pub(crate) fn new(command: Command, source: CommandSource) -> QueuedCommand {
        QueuedCommand { command, source, waits_for: None, reads: 0 }
    }

    /// Somebody sent the command and will not send it again by himself.
    pub(crate) fn has_caller(&self) -> bool {
        matches!(self.source, CommandSource::Client { .. } | CommandSource::Awaiting { .. })
    }

    pub(crate) fn position(&self) -> Option<Position> {
        match &self.source {
            CommandSource::Inbox { position, .. } => Some(*position),
            _ => None,
        }
    }

    pub(crate) fn intent(&self) -> Text {
        Text::new_static(self.command.intent())
    }

    /// The idempotency key that it came with.
    pub(crate) fn key(&self) -> Option<StoredIdempotency> {
        match &self.source {
            CommandSource::Client { options, .. } | CommandSource::Awaiting { options, .. } => {
                options.stored_idempotency()
            }
            CommandSource::Inbox { idempotency, .. } => idempotency.clone(),
            _ => None,
        }
    }
}
