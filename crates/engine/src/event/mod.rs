//! Events: who waits for what, and what happens when it comes.

pub(crate) mod message;
pub(crate) mod propagation;
pub(crate) mod signal;
pub(crate) mod subscription;
pub(crate) mod timer;
pub(crate) mod trigger;
