//! Models that cannot run are refused with the file, the element, the line and the reason.

mod duplicates;
mod events;
mod expressions;
mod flows;
mod gateways;
mod limits;
mod loops;
mod references;
mod starts;
mod support;
mod tasks;
mod unsupported;
mod xml;
