//! A limit on everything that a model or a client can make grow.

/// Steps that one command runs before the rest becomes a follow-up, so that others get their turn.
pub(crate) const STEPS_PER_COMMAND_MAX: usize = 1_000;

/// Steps of expressions that weigh as much as one step of a process: heavy expressions give others their turn earlier.
pub(crate) const FEEL_STEPS_PER_STEP: u64 = 1_000;

/// The work of a command apart from its expressions, in units of one expression step: for the command itself, for each step of
/// a process, and for each row that it touches. The factors were measured. Shares among commands are counted in this unit.
pub(crate) const WORK_PER_COMMAND: u64 = 64;
pub(crate) const WORK_PER_STEP: u64 = 64;
pub(crate) const WORK_PER_ROW: u64 = 16;

/// Steps that the expressions of one element may take together when it begins or ends; one alone may take as
/// many as FEEL allows. An expression that goes beyond is stopped by an incident.
pub(crate) const FEEL_STEPS_PER_ELEMENT_MAX: u64 = 8_000_000;

/// Bytes that the results of an element's mappings may take together before they become variables.
pub(crate) const MAPPED_BYTES_MAX: u64 = 64 * 1024 * 1024;

/// Elements that a path may pass without anything that waits, before it is stopped by an incident.
pub(crate) const ELEMENTS_PASSED_MAX: u32 = 100_000;

/// Children of a scope that one step creates or terminates.
pub(crate) const CHILDREN_PER_STEP: usize = 100;

/// Steps that one follow-up command carries at most.
pub(crate) const STEPS_PER_CONTINUE_MAX: usize = 1_000;

/// After so many steps, a command that misses something keeps what it has done and leaves the rest to a follow-up:
/// running all of it again for every miss would cost the square of its length.
pub(crate) const STEPS_BEFORE_MISS_MIN: usize = 50;

/// Nested call activities.
pub(crate) const CALL_DEPTH_MAX: u16 = 1_000;

/// Instances below one root that live at once because a process has called itself. Calls that only spread out, such
/// as one for each item of a collection, do not count.
pub(crate) const RECURSIVE_CALLS_MAX: u32 = 10_000;

/// Bytes of names and values that one command or one expression may bring.
pub(crate) const VARIABLES_BYTES_MAX: usize = 4 * 1024 * 1024;

/// Bytes of texts that stores index: job types, message names, correlation keys, assignees.
pub(crate) const INDEXED_TEXT_BYTES_MAX: usize = 512;

/// Characters of what an incident or a failed job says: it may quote values of any length.
pub(crate) const ERROR_MESSAGE_CHARACTERS_MAX: usize = 10_000;

/// Candidate users, or candidate groups, of one user task.
pub(crate) const CANDIDATES_MAX: usize = 1_000;

/// Subscriptions that one command hands a signal to.
pub(crate) const SIGNALS_PER_COMMAND: usize = 100;

/// Items of a multi-instance collection.
pub(crate) const LOOP_ITEMS_MAX: usize = 1_000_000;

/// The time for which a message waits for subscriptions that have another one on its way. Those settle as soon as the
/// partition of their instance runs, so only a partition that is away for long lets it pass.
pub(crate) const BUSY_WAIT_MAX_MS: i64 = 60_000;

/// Entries of an output collection that a worker gets without asking for it by name.
pub(crate) const LISTED_OUTPUTS_MAX: u32 = 100;

/// Files of one deployment.
pub(crate) const FILES_PER_DEPLOYMENT_MAX: usize = 1_000;

/// Message, signal and timer start events of all processes of one deployment: each becomes a row in the same commit.
pub(crate) const START_EVENTS_PER_DEPLOYMENT_MAX: usize = 5_000;

/// Bytes that one deployment stores. A file is stored once for each process in it.
pub(crate) const DEPLOYED_BYTES_MAX: usize = 64 * 1024 * 1024;

/// Steps of expressions that weigh as much as reading a byte of a deployed file: a model is parsed, compiled and
/// checked.
pub(crate) const FEEL_STEPS_PER_FILE_BYTE: u64 = 8;

/// Characters of a business id, as Camunda counts them: units of UTF-16.
pub(crate) const BUSINESS_ID_CHARACTERS_MAX: usize = 256;
