//! Service timers through restarts, kills and frozen owners, on both stores: real servers, and a receiver that checks ids.

mod frozen;
mod kills;
mod receiver;
mod restarts;
mod storm;
mod world;
