//! The writes of one call, as a list that the functions run. Writes to one key by one command are sent together.

use std::collections::HashMap;

/// Arguments that one command gets at most: functions cannot pass more than a few thousand at once.
const ARGUMENTS_MAX: usize = 2_000;

#[derive(Default)]
pub(crate) struct Writes {
    pub(crate) keys: Vec<String>,
    /// The type of each key as a letter, which the functions check before the first write.
    types: Vec<u8>,
    numbers: HashMap<String, usize>,
    /// In the order in which they run.
    phases: [Vec<Write>; 3],
    places: HashMap<(usize, &'static str, usize), usize>,
}

struct Write {
    name: &'static str,
    key: usize,
    /// Comes before the arguments, each time.
    lead: Vec<Vec<u8>>,
    args: Vec<Vec<u8>>,
}

/// Entries of streams whose ids matter. They alone can fail although the key has its type, so they come first.
pub(crate) const APPENDED: usize = 0;
pub(crate) const GOES: usize = 1;
pub(crate) const COMES: usize = 2;

pub(crate) const HASH: u8 = b'h';
pub(crate) const SORTED_SET: u8 = b'z';
pub(crate) const STREAM: u8 = b'x';
pub(crate) const SET: u8 = b's';
pub(crate) const STRING: u8 = b't';
/// Of keys that are replaced or removed whatever they are.
const ANY: u8 = b'-';

/// The type of the key that a write is for.
fn type_of(name: &str) -> u8 {
    match name {
        "HSET" | "HDEL" | "HINCRBY" | "live" | "unlive" | "unplace" => HASH,
        "ZADD" | "ZREM" | "ZREMRANGEBYLEX" => SORTED_SET,
        "XADD" | "XDEL" | "letter" | "forget" | "drop_empty" => STREAM,
        "SADD" => SET,
        "SETRANGE" | "INCR" | "unkey" => STRING,
        "SET" | "UNLINK" | "drop" => ANY,
        name => unreachable!("the functions have no write '{name}'"),
    }
}

impl Writes {
    /// With keys that the function itself knows by their number.
    pub(crate) fn new(keys: impl IntoIterator<Item = (String, u8)>) -> Writes {
        let mut writes = Writes::default();
        for (key, kind) in keys {
            writes.key(key, kind);
        }
        writes
    }

    /// The number of a key of this type; it is declared from now on.
    pub(crate) fn key(&mut self, key: String, kind: u8) -> usize {
        let (next, keys, types) = (self.keys.len() + 1, &mut self.keys, &mut self.types);
        let number = *self.numbers.entry(key).or_insert_with_key(|key| {
            keys.push(key.clone());
            types.push(kind);
            next
        });
        // A key that is removed in one write and filled in another must have its type.
        if kind != ANY {
            self.types[number - 1] = kind;
        }
        number
    }

    /// A command of its own.
    pub(crate) fn alone<A: Into<Vec<u8>>>(
        &mut self,
        phase: usize,
        name: &'static str,
        key: String,
        args: impl IntoIterator<Item = A>,
    ) {
        let key = self.key(key, type_of(name));
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
        other: Option<(String, u8)>,
        args: impl IntoIterator<Item = A>,
    ) {
        let key = self.key(key, type_of(name));
        let lead: Vec<Vec<u8>> =
            other.map(|(other, kind)| number(self.key(other, kind))).into_iter().collect();
        let writes = &mut self.phases[phase];
        let place = *self.places.entry((phase, name, key)).or_insert_with(|| {
            writes.push(Write { name, key, lead, args: Vec::new() });
            writes.len() - 1
        });
        writes[place].args.extend(args.into_iter().map(Into::into));
    }

    /// Keys, and the list behind the arguments that the function itself takes.
    pub(crate) fn into_call(self, mut args: Vec<Vec<u8>>) -> (Vec<String>, Vec<Vec<u8>>) {
        let [appended, goes, comes] = self.phases;
        args.push(self.types);
        args.push(number(
            appended.iter().map(|write| 3 + write.lead.len() + write.args.len()).sum::<usize>(),
        ));
        for write in appended.into_iter().chain(goes).chain(comes) {
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

impl Writes {
    /// The same writes as plain commands without any check: the least that they can cost. Counts are kept as if nothing else had
    /// changed them.
    pub(crate) fn into_plain(self, pipeline: &mut redis::Pipeline) {
        let keys = self.keys;
        for Write { name, key, lead, args } in self.phases.into_iter().flatten() {
            let key = &keys[key - 1];
            let other = || {
                let number = lead
                    .first()
                    .or(args.first())
                    .and_then(|text| std::str::from_utf8(text).ok()?.parse().ok());
                &keys[number.unwrap_or(1_usize) - 1]
            };
            match name {
                "live" => {
                    pipeline.cmd("HSET").arg(key).arg(&args);
                    for pair in args.chunks(2) {
                        pipeline.cmd("HINCRBY").arg(other()).arg(&pair[1]).arg(1);
                    }
                }
                "unlive" => {
                    pipeline.cmd("HDEL").arg(key).arg(&args);
                    for _ in &args {
                        pipeline.cmd("HINCRBY").arg(other()).arg("ended").arg(-1);
                    }
                }
                "unkey" => args.iter().for_each(|offset| {
                    pipeline.cmd("SETRANGE").arg(key).arg(offset).arg(&[0_u8; 9][..]);
                }),
                "forget" => {
                    pipeline.cmd("XDEL").arg(key).arg(&args[1]);
                }
                "drop" | "drop_empty" => {
                    pipeline.cmd("UNLINK").arg(key);
                }
                "letter" => {
                    pipeline.cmd("XADD").arg(key).arg("0-*").arg("payload").arg(&args[4]);
                }
                "unplace" => {
                    pipeline.cmd("HDEL").arg(key).arg(&args[1]);
                }
                name => {
                    pipeline.cmd(name).arg(key).arg(&args);
                }
            }
        }
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
