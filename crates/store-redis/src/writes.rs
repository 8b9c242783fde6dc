//! The writes of one call, as a list that the functions run. Writes to one key by one command are sent together.

use std::collections::HashMap;

/// Arguments that one command gets at most: functions cannot pass more than a few thousand at once.
const ARGUMENTS_MAX: usize = 2_000;

#[derive(Default)]
pub(crate) struct Writes {
    pub(crate) keys: Vec<String>,
    numbers: HashMap<String, usize>,
    /// In the order in which they run: what goes, then what comes.
    phases: [Vec<Write>; 2],
    places: HashMap<(usize, &'static str, usize), usize>,
}

struct Write {
    name: &'static str,
    key: usize,
    /// Comes before the arguments, each time.
    lead: Vec<Vec<u8>>,
    args: Vec<Vec<u8>>,
}

pub(crate) const GOES: usize = 0;
pub(crate) const COMES: usize = 1;

impl Writes {
    /// With keys that the function itself knows by their number.
    pub(crate) fn new(keys: impl IntoIterator<Item = String>) -> Writes {
        let mut writes = Writes::default();
        for key in keys {
            writes.key(key);
        }
        writes
    }

    /// The number of a key; it is declared from now on.
    pub(crate) fn key(&mut self, key: String) -> usize {
        let next = self.keys.len() + 1;
        let keys = &mut self.keys;
        *self.numbers.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            next
        })
    }

    /// A command of its own.
    pub(crate) fn alone<A: Into<Vec<u8>>>(
        &mut self,
        phase: usize,
        name: &'static str,
        key: String,
        args: impl IntoIterator<Item = A>,
    ) {
        let key = self.key(key);
        let args = args.into_iter().map(Into::into).collect();
        self.phases[phase].push(Write { name, key, lead: Vec::new(), args });
    }

    /// Arguments for a command that takes any number of them.
    pub(crate) fn add<A: Into<Vec<u8>>>(
        &mut self,
        phase: usize,
        name: &'static str,
        key: String,
        args: impl IntoIterator<Item = A>,
    ) {
        self.add_with(phase, name, key, None, args);
    }

    /// The same for a command that gets the number of another key first.
    pub(crate) fn add_with<A: Into<Vec<u8>>>(
        &mut self,
        phase: usize,
        name: &'static str,
        key: String,
        other: Option<String>,
        args: impl IntoIterator<Item = A>,
    ) {
        let key = self.key(key);
        let lead: Vec<Vec<u8>> = other.map(|other| number(self.key(other))).into_iter().collect();
        let writes = &mut self.phases[phase];
        let place = *self.places.entry((phase, name, key)).or_insert_with(|| {
            writes.push(Write { name, key, lead, args: Vec::new() });
            writes.len() - 1
        });
        writes[place].args.extend(args.into_iter().map(Into::into));
    }

    /// Keys, and the list behind the arguments that the function itself takes.
    pub(crate) fn into_call(self, mut args: Vec<Vec<u8>>) -> (Vec<String>, Vec<Vec<u8>>) {
        for write in self.phases.into_iter().flatten() {
            let is_whole = write.args.len() <= ARGUMENTS_MAX;
            let chunk = if is_whole { write.args.len().max(1) } else { ARGUMENTS_MAX };
            if write.args.is_empty() {
                append(&mut args, write.name, write.key, &write.lead, &[]);
            }
            for part in write.args.chunks(chunk) {
                append(&mut args, write.name, write.key, &write.lead, part);
            }
        }
        (self.keys, args)
    }
}

fn append(args: &mut Vec<Vec<u8>>, name: &str, key: usize, lead: &[Vec<u8>], part: &[Vec<u8>]) {
    args.push(number(2 + lead.len() + part.len()));
    args.push(name.into());
    args.push(number(key));
    args.extend(lead.iter().chain(part).cloned());
}

pub(crate) fn number(number: impl ToString) -> Vec<u8> {
    number.to_string().into_bytes()
}
