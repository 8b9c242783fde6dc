//! Where the value of each field stands in the view of its entity, one file for each group of entities.

mod definition;
mod element;
mod instance;
mod message;
mod task;
