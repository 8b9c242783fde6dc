//! Settings of a connection before it is used: schema, time limits, and a planner that never bets on a table
//! being empty. Set once where connections are ours, in every transaction behind a pooler.

/// The purpose of a connection.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Role {
    /// Commits, loads, leases: few statements, always the same, always by index.
    Engine,
    /// Searches: any statement, planned for its values, with a time limit.
    Search { limit_ms: u64 },
}

pub(crate) struct Settings {
    /// Statements of ours run through a transaction pooler: no session state, nothing prepared.
    pub(crate) is_pooled: bool,
    /// Runs on every new connection.
    pub(crate) on_connect: String,
    /// Follows every BEGIN.
    pub(crate) in_transaction: String,
}

/// An owner that freezes in a transaction must not keep its locks.
const IDLE_IN_TRANSACTION_MS: u64 = 2_000;
/// Nothing that the engine does takes this long unless something is wrong.
const ENGINE_LIMIT_MS: u64 = 30_000;

impl Settings {
    pub(crate) fn new(schema: &str, role: Role, is_pooled: bool) -> Settings {
        let limit_ms = match role {
            Role::Engine => ENGINE_LIMIT_MS,
            Role::Search { limit_ms } => limit_ms,
        };
        let mut values = vec![
            ("search_path", quoted(schema)),
            ("idle_in_transaction_session_timeout", IDLE_IN_TRANSACTION_MS.to_string()),
            ("statement_timeout", limit_ms.to_string()),
            // Compiling a statement takes longer than most of ours run.
            ("jit", "off".into()),
            // Servers that do not say so cannot take a partition whose changes have not all reached the tables.
            ("tidemill.follows_log", "on".into()),
        ];
        if role == Role::Engine {
            // A plan that was made while a table was empty would be kept when it is large.
            values.extend(
                ["enable_seqscan", "enable_hashjoin", "enable_mergejoin"].map(|name| (name, "off".into())),
            );
            // Plans do not depend on values here, so planning again for each of them would be in vain.
            values.push(("plan_cache_mode", "force_generic_plan".into()));
        }
        let set = |scope: &str| -> String {
            values.iter().map(|(name, value)| format!("SET {scope} {name} TO {value};")).collect()
        };
        match is_pooled {
            true => Settings { is_pooled, on_connect: String::new(), in_transaction: set("LOCAL") },
            false => Settings { is_pooled, on_connect: set("SESSION"), in_transaction: String::new() },
        }
    }
}

pub(crate) fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
