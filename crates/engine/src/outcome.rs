//! The outcome of a command, besides the changes of the working state.

use tidemill_model::command::{Command, ReplyToken};
use tidemill_model::{Answer, PartitionId, ProcessInstanceKey, Record, Rejection};

/// The result of a command that had everything it needed.
#[derive(Debug)]
pub struct Outcome {
    pub reply: Reply,
    /// To be run next, here or on other partitions; they must be in the same commit.
    pub follow_ups: Vec<FollowUp>,
    /// Answers for callers whose commands were answered later.
    pub replies: Vec<(ReplyToken, Result<Answer, Rejection>)>,
    /// Instances that have ended, for those who wait.
    pub ended: Vec<InstanceEnd>,
    /// Ended instances that the commit deletes.
    pub deletions: Vec<Deletion>,
    /// Records of what happened, in order; empty unless they were asked for.
    pub records: Vec<Record>,
    /// The command has changed something that is to be written.
    pub changes_rows: bool,
    /// The work that expressions took.
    pub feel_steps: u64,
    /// All the work that the command took: steps of expressions, and steps of the process and rows by what they cost in
    /// comparison.
    pub work: u64,
}

#[derive(Clone, PartialEq, Debug)]
pub enum Reply {
    Now(Answer),
    /// Refused: nothing of the command counts. An instance whose definition cannot be read may have got an incident.
    Rejected(Rejection),
    /// Another command's outcome will carry the answer under this token.
    Later(ReplyToken),
}

#[derive(Clone, PartialEq, Debug)]
pub struct FollowUp {
    pub partition: PartitionId,
    pub command: Command,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct InstanceEnd {
    pub instance: ProcessInstanceKey,
    /// False: terminated.
    pub is_completed: bool,
}

/// An ended instance that goes, with so many of the rows that belonged to it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Deletion {
    pub instance: ProcessInstanceKey,
    pub rows: usize,
}
