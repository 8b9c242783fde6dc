//! The commands for everyday work, one file each; most talk to a server.

pub(crate) mod cancel;
pub(crate) mod complete_task;
pub(crate) mod completions;
pub(crate) mod deploy;
pub(crate) mod incidents;
pub(crate) mod instances;
pub(crate) mod jobs;
pub(crate) mod man;
pub(crate) mod processes;
pub(crate) mod publish;
pub(crate) mod render;
pub(crate) mod resolve;
pub(crate) mod show;
pub(crate) mod signal;
pub(crate) mod start;
pub(crate) mod tasks;
pub(crate) mod validate;
pub(crate) mod variables;
pub(crate) mod worker;
