//! The settings of a store on Redis: how surely answers stay there, and whether the settings of Redis may be changed.

use clap::Args;
use serde::Deserialize;
use tidemill_store_redis::{Durability, Options};

/// How surely Redis keeps what it has answered.
#[derive(Clone, Copy, PartialEq, Eq, clap::ValueEnum, Deserialize, Debug)]
#[serde(rename_all = "lowercase")]
pub(super) enum RedisDurability {
    Always,
    Everysec,
    Trusted,
}

/// In the file they are the table `redis`.
#[derive(Args, Deserialize, Default, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct RedisOptions {
    /// What Redis must do before an answer: always (it has synced its file), everysec (a power cut loses a second),
    /// trusted (it does not tell its settings, and its operator vouches for them) [default: always]
    #[arg(long = "redis-durability", env = "TIDEMILL_REDIS_DURABILITY", value_name = "MODE")]
    durability: Option<RedisDurability>,

    /// Change settings of Redis that are wrong for this store, for all who use that Redis [default: false]
    #[arg(long = "redis-may-configure", env = "TIDEMILL_REDIS_MAY_CONFIGURE", value_name = "BOOL", num_args = 0..=1,
        require_equals = true, default_missing_value = "true", hide_possible_values = true)]
    may_configure: Option<bool>,
}

impl RedisOptions {
    pub(super) fn or(self, other: RedisOptions) -> RedisOptions {
        RedisOptions {
            durability: self.durability.or(other.durability),
            may_configure: self.may_configure.or(other.may_configure),
        }
    }

    pub(super) fn apply(&self, options: Options) -> Options {
        let durability = match self.durability {
            None | Some(RedisDurability::Always) => Durability::Always,
            Some(RedisDurability::Everysec) => Durability::EverySecond,
            Some(RedisDurability::Trusted) => Durability::Trusted,
        };
        Options { durability, may_configure: self.may_configure.unwrap_or_default(), ..options }
    }
}
