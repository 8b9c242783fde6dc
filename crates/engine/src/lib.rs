//! The process engine: a state machine without I/O, clock or randomness.
