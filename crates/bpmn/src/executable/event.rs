//! The events that elements catch and throw.

use super::{JobTask, Source};
use tidemill_feel::Expression;
use tidemill_model::{ElementIndex, Text};

#[derive(Clone, Debug)]
pub enum Catch {
    /// A none start event.
    None,
    Message(MessageCatch),
    Timer(TimerDefinition),
    Signal {
        name: Source,
    },
    /// Without a code: catches every error.
    Error {
        code: Option<Text>,
    },
    /// Without a code: catches every escalation.
    Escalation {
        code: Option<Text>,
    },
    Link {
        name: Text,
    },
}

#[derive(Clone, Debug)]
pub struct MessageCatch {
    pub name: Source,
    /// None only on start events of a process.
    pub correlation_key: Option<Expression>,
}

#[derive(Clone, Debug)]
pub struct TimerDefinition {
    pub kind: TimerKind,
    pub value: Source,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TimerKind {
    Date,
    Duration,
    Cycle,
}

#[derive(Clone, Debug)]
pub enum Throw {
    None,
    /// A message is thrown by a worker: it is a job.
    Message(JobTask),
    Signal {
        name: Source,
    },
    Error {
        code: Source,
    },
    Escalation {
        code: Source,
    },
    /// Goes on at the link catch event of the same name.
    Link {
        target: ElementIndex,
    },
    Terminate,
}
