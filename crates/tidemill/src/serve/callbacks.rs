//! The settings of callbacks: whom timers may call, how many calls at a time, and the keys that sign them.

use clap::Args;
use serde::Deserialize;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use tidemill_server::timers::deliver::{AllowRule, AllowRules, CallbackSettings};

/// In the file they are the table `callbacks`.
#[derive(Args, Deserialize, Default, Debug)]
#[serde(deny_unknown_fields, rename_all = "kebab-case", default)]
pub(super) struct CallbackOptions {
    /// Addresses that timers may call although they are not public, separated by commas: 10.0.0.0/8, 192.168.1.7:9000,
    /// hooks.internal, *.internal [default: none]
    #[arg(
        long = "callbacks-allow",
        env = "TIDEMILL_CALLBACKS_ALLOW",
        value_name = "HOSTS",
        value_delimiter = ','
    )]
    allow: Option<Vec<Allowed>>,

    /// Callbacks of timers that are open at the same time [default: 512]
    #[arg(long = "callbacks-concurrency", env = "TIDEMILL_CALLBACKS_CONCURRENCY", value_name = "N")]
    concurrency: Option<NonZeroUsize>,

    /// Of those, to one host [default: 64]
    #[arg(
        long = "callbacks-host-concurrency",
        env = "TIDEMILL_CALLBACKS_HOST_CONCURRENCY",
        value_name = "N"
    )]
    host_concurrency: Option<NonZeroUsize>,

    /// File with the keys that sign callbacks, {"NAME": ["newest secret", "older one"]}; read again when it changes
    #[arg(long = "callbacks-keys", env = "TIDEMILL_CALLBACKS_KEYS", value_name = "FILE")]
    keys: Option<PathBuf>,

    /// File with the certificates (PEM) by which receivers are known [default: those of the system]
    #[arg(long = "callbacks-ca", env = "TIDEMILL_CALLBACKS_CA", value_name = "FILE")]
    ca: Option<PathBuf>,
}

#[derive(Clone, Deserialize, Debug)]
#[serde(try_from = "String")]
struct Allowed(AllowRule);

impl FromStr for Allowed {
    type Err = String;

    fn from_str(text: &str) -> Result<Allowed, String> {
        text.trim().parse().map(Allowed)
    }
}

impl TryFrom<String> for Allowed {
    type Error = String;

    fn try_from(text: String) -> Result<Allowed, String> {
        text.parse()
    }
}

impl CallbackOptions {
    pub(super) fn or(self, other: CallbackOptions) -> CallbackOptions {
        CallbackOptions {
            allow: self.allow.or(other.allow),
            concurrency: self.concurrency.or(other.concurrency),
            host_concurrency: self.host_concurrency.or(other.host_concurrency),
            keys: self.keys.or(other.keys),
            ca: self.ca.or(other.ca),
        }
    }

    pub(super) fn settings(&self) -> CallbackSettings {
        let usual = CallbackSettings::default();
        let count = |given: Option<NonZeroUsize>, usual| given.map_or(usual, NonZeroUsize::get);
        let allow = self.allow.iter().flatten().map(|Allowed(rule)| rule.clone());
        CallbackSettings {
            allow: AllowRules(allow.collect()),
            concurrency: count(self.concurrency, usual.concurrency),
            host_concurrency: count(self.host_concurrency, usual.host_concurrency),
            keys: self.keys.clone(),
            ca: self.ca.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn flags_go_before_the_table_of_the_file() {
        #[derive(Deserialize)]
        struct File {
            callbacks: CallbackOptions,
        }
        let text = "callbacks.allow = ['10.0.0.0/8', 'localhost:9000']\ncallbacks.concurrency = 20\n";
        let file: File = toml::from_str(text).expect("well formed");
        let given = CallbackOptions { concurrency: NonZeroUsize::new(5), ..CallbackOptions::default() };
        let settings = given.or(file.callbacks).settings();
        assert_eq!((settings.concurrency, settings.host_concurrency, settings.allow.0.len()), (5, 64, 2));
        let wrong = toml::from_str::<File>("callbacks.allow = ['10.0.0.0/99']").err().expect("refused");
        assert!(wrong.to_string().contains("10.0.0.0/99"), "{wrong}");
        assert!(toml::from_str::<File>("callbacks.alow = []").is_err(), "a typing error is told");
    }
}
