//! The gateway from the outside: requests in, answers and commands out, with a broker and a store that do as
//! they are told.

mod bodies;
mod clients;
mod commands;
mod crowds;
mod documented;
mod expressions;
mod harness;
mod hostile;
mod instances;
mod jobs;
mod messages;
mod negotiation;
mod no_store;
mod pages;
mod problems;
mod reads;
mod routes;
mod sockets;
mod user_tasks;
mod validation;
mod values;
mod world;
