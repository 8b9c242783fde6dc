//! Timers that have fired arrive: real receivers on loopback, healthy and otherwise, behind a timer loop on an embedded store.

mod answers;
mod batches;
mod https;
mod receiver;
mod safety;
mod slow_hosts;
mod streams;
mod world;
