//! FEEL: parse, compile, evaluate. Pure: no I/O, no clock, no randomness but what the caller injects.

pub mod temporal;
