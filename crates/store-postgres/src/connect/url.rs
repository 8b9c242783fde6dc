//! Connection strings as libpq users know them: URLs and keyword lists, with `sslmode` and the certificate files
//! that the driver leaves to us, and the environment for what is not said.

use super::password;
use std::path::{Path, PathBuf};
use tidemill_store::{Error, Result};
use tokio_postgres::Config;
use tokio_postgres::config::SslMode;

/// The degree to which the server has to prove who it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Trust {
    /// Any certificate, if TLS is used at all.
    Anyone,
    /// A certificate of a known authority.
    Authority,
    /// A certificate of a known authority for this host.
    Host,
}

#[derive(Clone, Debug)]
pub(crate) struct Target {
    pub(crate) config: Config,
    pub(crate) password: password::Source,
    pub(crate) trust: Trust,
    pub(crate) root_certificate: Option<PathBuf>,
    /// Certificate and key of ours.
    pub(crate) identity: Option<(PathBuf, PathBuf)>,
}

/// The driver refuses options that it does not know, so these are taken out before it reads the rest.
const OURS: [&str; 5] = ["sslmode", "sslrootcert", "sslcert", "sslkey", "passfile"];

pub(crate) fn parse(text: &str, environment: impl Fn(&str) -> Option<String>) -> Result<Target> {
    let bad = |reason: String| Error::Failed { place: "the Postgres connection string".into(), reason };
    let (rest, ours) = match text.contains("://") {
        true => split_url(text),
        false => split_keywords(text),
    };
    let mut config: Config =
        rest.parse().map_err(|error: tokio_postgres::Error| bad(crate::error::told(&error)))?;
    complete(&mut config, &environment).map_err(bad)?;
    let value = |name: &str, variable: &str| {
        ours.iter()
            .find(|(key, _)| key == name)
            .map(|(_, value)| value.clone())
            .or_else(|| environment(variable))
    };
    let home = || environment("HOME").map(|home| Path::new(&home).join(".pgpass"));
    let file = value("passfile", "PGPASSFILE").filter(|file| !file.is_empty());
    let file = file.map(PathBuf::from).or_else(home);
    let password = password::find(&mut config, environment("PGPASSWORD"), file);
    let root_certificate = value("sslrootcert", "PGSSLROOTCERT").map(PathBuf::from);
    let mode = value("sslmode", "PGSSLMODE").unwrap_or_else(|| "prefer".into());
    let (ssl, trust) = match mode.as_str() {
        "disable" => (SslMode::Disable, Trust::Anyone),
        "allow" | "prefer" => (SslMode::Prefer, Trust::Anyone),
        // As libpq has it: who names an authority wants it checked.
        "require" if root_certificate.is_some() => (SslMode::Require, Trust::Authority),
        "require" => (SslMode::Require, Trust::Anyone),
        "verify-ca" => (SslMode::Require, Trust::Authority),
        "verify-full" => (SslMode::Require, Trust::Host),
        other => {
            return Err(bad(format!(
                "sslmode is '{other}', but must be disable, allow, prefer, require, verify-ca or verify-full"
            )));
        }
    };
    config.ssl_mode(ssl);
    let identity = value("sslcert", "PGSSLCERT").zip(value("sslkey", "PGSSLKEY"));
    let identity = identity.map(|(certificate, key)| (certificate.into(), key.into()));
    Ok(Target { config, password, trust, root_certificate, identity })
}

fn complete(config: &mut Config, environment: &impl Fn(&str) -> Option<String>) -> Result<(), String> {
    if config.get_hosts().is_empty() && config.get_hostaddrs().is_empty() {
        config.host(environment("PGHOST").unwrap_or_else(|| "localhost".into()));
    }
    if config.get_ports().is_empty()
        && let Some(port) = environment("PGPORT")
    {
        config.port(port.parse().map_err(|_| format!("PGPORT is '{port}', but must be a number"))?);
    }
    if config.get_user().is_none() {
        config
            .user(environment("PGUSER").or_else(|| environment("USER")).unwrap_or_else(|| "postgres".into()));
    }
    if config.get_dbname().is_none()
        && let Some(name) = environment("PGDATABASE")
    {
        config.dbname(name);
    }
    if config.get_application_name().is_none() {
        config.application_name(environment("PGAPPNAME").unwrap_or_else(|| "tidemill".into()));
    }
    Ok(())
}

type Pairs = Vec<(String, String)>;

fn split_url(text: &str) -> (String, Pairs) {
    let Some((base, query)) = text.split_once('?') else { return (text.to_owned(), Vec::new()) };
    let mut ours = Vec::new();
    let mut rest = Vec::new();
    for pair in query.split('&') {
        match pair.split_once('=') {
            Some((name, value)) if OURS.contains(&name) => ours.push((name.to_owned(), decoded(value))),
            _ => rest.push(pair),
        }
    }
    match rest.is_empty() {
        true => (base.to_owned(), ours),
        false => (format!("{base}?{}", rest.join("&")), ours),
    }
}

fn decoded(text: &str) -> String {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|digits| std::str::from_utf8(digits).ok());
        match hex.filter(|_| *first == b'%').and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// `name=value` or `name='value'`, separated by spaces.
fn split_keywords(text: &str) -> (String, Pairs) {
    let mut ours = Vec::new();
    let mut rest = String::new();
    let mut remaining = text.trim_start();
    while let Some((name, tail)) = remaining.split_once('=') {
        let (name, tail) = (name.trim(), tail.trim_start());
        let end = match tail.strip_prefix('\'') {
            Some(quoted) => quoted.find('\'').map_or(tail.len(), |end| end + 2),
            None => tail.find(char::is_whitespace).unwrap_or(tail.len()),
        };
        let (value, tail) = tail.split_at(end);
        match OURS.contains(&name) {
            true => ours.push((name.to_owned(), value.trim_matches('\'').to_owned())),
            false => rest.push_str(&format!("{name}={value} ")),
        }
        remaining = tail.trim_start();
    }
    (rest, ours)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tokio_postgres::config::Host;

    fn nothing(_: &str) -> Option<String> {
        None
    }

    #[test]
    fn urls_and_keywords_say_the_same() {
        let url = "postgres://ann:s3cret@db.example:6432/flows?sslmode=verify-full&sslrootcert=%2Fetc%2Fca.pem&connect_timeout=3";
        let list = "host=db.example port=6432 user=ann password=s3cret dbname=flows sslmode=verify-full \
            sslrootcert='/etc/ca.pem' connect_timeout=3";
        for text in [url, list] {
            let target = parse(text, nothing).expect("reads");
            assert_eq!(target.config.get_hosts(), [Host::Tcp("db.example".into())]);
            assert_eq!((target.config.get_ports(), target.config.get_dbname()), (&[6432][..], Some("flows")));
            assert_eq!((target.config.get_ssl_mode(), target.trust), (SslMode::Require, Trust::Host));
            assert_eq!(target.root_certificate, Some("/etc/ca.pem".into()));
        }
    }

    #[test]
    fn the_environment_fills_in_what_is_not_said() {
        let environment = |name: &str| match name {
            "PGHOST" => Some("elsewhere".to_owned()),
            "PGUSER" => Some("bob".to_owned()),
            "PGSSLMODE" => Some("require".to_owned()),
            _ => None,
        };
        let target = parse("postgres:///flows", environment).expect("reads");
        assert_eq!(target.config.get_hosts(), [Host::Tcp("elsewhere".into())]);
        assert_eq!((target.config.get_user(), target.config.get_dbname()), (Some("bob"), Some("flows")));
        assert_eq!((target.config.get_ssl_mode(), target.trust), (SslMode::Require, Trust::Anyone));
        let said = parse("postgres://ann@here/flows?sslmode=disable", environment).expect("reads");
        assert_eq!((said.config.get_user(), said.config.get_ssl_mode()), (Some("ann"), SslMode::Disable));
    }

    #[test]
    fn a_password_that_is_not_said_comes_from_the_file() {
        let file = tempfile::NamedTempFile::new().expect("a file that is ours alone");
        std::fs::write(file.path(), "*:*:flows:ann:from the file\n").expect("writes");
        let path = file.path().display().to_string();
        let environment = |name: &str| (name == "PGPASSFILE").then(|| path.clone());
        let password = |url: &str, environment: &dyn Fn(&str) -> Option<String>| {
            let target = parse(url, environment).expect("reads");
            target.config.get_password().map(|password| String::from_utf8_lossy(password).into_owned())
        };
        assert_eq!(password("postgres://ann@h/flows", &environment).as_deref(), Some("from the file"));
        assert_eq!(password("postgres://ann:said@h/flows", &environment).as_deref(), Some("said"));
        assert_eq!(password("postgres://bob@h/flows", &environment), None);
        let named = format!("host=h dbname=flows user=ann passfile='{path}'");
        assert_eq!(password(&named, &nothing).as_deref(), Some("from the file"));
        let with_variable = |name: &str| match name {
            "PGPASSWORD" => Some("from the variable".to_owned()),
            other => environment(other),
        };
        assert_eq!(password("postgres://ann@h/flows", &with_variable).as_deref(), Some("from the variable"));
        let with_empty = |name: &str| match name {
            "PGPASSWORD" => Some(String::new()),
            other => environment(other),
        };
        assert_eq!(password("postgres://ann:@h/flows", &with_empty).as_deref(), Some("from the file"));
    }

    #[test]
    fn an_unknown_mode_is_refused() {
        let error = parse("postgres://h/d?sslmode=maybe", nothing).expect_err("refused");
        assert!(error.to_string().contains("maybe"), "{error}");
    }
}
