//! The functions that run in the server. Their names carry a number made of their text, so that nodes of two versions can work
//! side by side.

use crate::error::Failure;
use crate::line::Line;
use redis::{Cmd, Pipeline, Value};
use std::sync::LazyLock;

const PARTS: [&str; 8] = [
    include_str!("lua/head.lua"),
    include_str!("lua/apply.lua"),
    include_str!("lua/commit.lua"),
    include_str!("lua/ownership.lua"),
    include_str!("lua/nodes.lua"),
    include_str!("lua/receipts.lua"),
    include_str!("lua/behind.lua"),
    include_str!("lua/shard.lua"),
];

static NAME: LazyLock<String> = LazyLock::new(|| format!("tidemill_{:08x}", hash(&PARTS.join("\n"))));

/// FNV-1a: the same on every machine and in every version of this program.
fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193))
}

fn code() -> String {
    let name = &*NAME;
    format!("#!lua name={name}\n{}", PARTS.join("\n").replace("NAME_", &format!("{name}_")))
}

/// Loads the library, if need be in place of the same one.
pub(crate) async fn load(line: &Line) -> Result<(), Failure> {
    line.ask(redis::cmd("FUNCTION").arg("LOAD").arg("REPLACE").arg(code())).await.map(drop)
}

/// A call with all the keys that it touches.
pub(crate) fn call<K: AsRef<[u8]>, A: AsRef<[u8]>>(function: &str, keys: &[K], args: &[A]) -> Cmd {
    let mut call = redis::cmd("FCALL");
    call.arg(format!("{}_{function}", *NAME)).arg(keys.len());
    for key in keys {
        call.arg(key.as_ref());
    }
    for arg in args {
        call.arg(arg.as_ref());
    }
    call
}

/// Commands that read, as one call. Each has its key behind its name.
pub(crate) fn all(pipeline: &Pipeline) -> Cmd {
    let (mut keys, mut args) = (Vec::new(), Vec::new());
    for command in pipeline.cmd_iter() {
        let words: Vec<&[u8]> = command
            .args_iter()
            .map(|word| match word {
                redis::Arg::Simple(word) => word,
                _ => &b"0"[..],
            })
            .collect();
        keys.extend(words.get(1).map(|key| key.to_vec()));
        args.push(words.len().to_string().into_bytes());
        args.extend(words.iter().map(|word| word.to_vec()));
    }
    call("all", &keys, &args)
}

/// Runs a call. A server that has lost its functions, because it is new or was emptied, gets them again: such a call has
/// done nothing.
pub(crate) async fn run(line: &Line, call: &Cmd) -> Result<Value, Failure> {
    match line.ask(call).await {
        Err(Failure::Answered(error)) if error.to_string().contains("Function not found") => {
            load(line).await?;
            line.ask(call).await
        }
        answer => answer,
    }
}
