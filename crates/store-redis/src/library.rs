//! The functions that run in the server. Their names carry the version of the library, so that nodes of two versions can work
//! side by side.

use crate::error::Failure;
use crate::line::Line;
use redis::{Cmd, Value};

/// Changes whenever a file in `lua` does.
const NAME: &str = "tidemill_1";

fn code() -> String {
    let parts = [
        include_str!("lua/head.lua"),
        include_str!("lua/apply.lua"),
        include_str!("lua/commit.lua"),
        include_str!("lua/ownership.lua"),
        include_str!("lua/nodes.lua"),
        include_str!("lua/receipts.lua"),
        include_str!("lua/behind.lua"),
        include_str!("lua/shard.lua"),
    ];
    format!("#!lua name={NAME}\n{}", parts.join("\n").replace("NAME_", &format!("{NAME}_")))
}

/// Loads the library, if need be in place of one of the same version.
pub(crate) async fn load(line: &Line) -> Result<(), Failure> {
    line.ask(redis::cmd("FUNCTION").arg("LOAD").arg("REPLACE").arg(code())).await.map(drop)
}

/// A call with all the keys that it touches.
pub(crate) fn call<K: AsRef<[u8]>, A: AsRef<[u8]>>(function: &str, keys: &[K], args: &[A]) -> Cmd {
    let mut call = redis::cmd("FCALL");
    call.arg(format!("{NAME}_{function}")).arg(keys.len());
    for key in keys {
        call.arg(key.as_ref());
    }
    for arg in args {
        call.arg(arg.as_ref());
    }
    call
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
