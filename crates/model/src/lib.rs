//! The words that engine, stores and gateway share: keys, entities, commands, changes, records.
