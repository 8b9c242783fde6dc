//! Where the password comes from, remembered so that a server's refusal can be told with the place to correct it.

use super::passfile::{self, Lookup};
use std::path::PathBuf;
use tokio_postgres::Config;

#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Source {
    ConnectionString,
    Variable,
    File(PathBuf),
    /// With the reason why the password file has none.
    Nowhere(String),
}

/// In the order of libpq: what is said, `PGPASSWORD`, the file. An empty one counts as none.
pub(super) fn find(config: &mut Config, variable: Option<String>, file: Option<PathBuf>) -> Source {
    if config.get_password().is_some_and(|password| !password.is_empty()) {
        return Source::ConnectionString;
    }
    if let Some(password) = variable.filter(|password| !password.is_empty()) {
        config.password(password);
        return Source::Variable;
    }
    let Some(file) = file else { return Source::Nowhere("there is no home to look for .pgpass in".into()) };
    let name = file.display();
    match passfile::look_up(&file, config) {
        Lookup::Found(password) => {
            config.password(password);
            Source::File(file)
        }
        Lookup::NoFile => Source::Nowhere(format!("there is no file {name}")),
        Lookup::NoLine(wanted) => Source::Nowhere(format!("no line of {name} fits {wanted}")),
        Lookup::OpenToOthers => {
            Source::Nowhere(format!("{name} is not used because others can read it (chmod 600 {name})"))
        }
        Lookup::Unreadable(reason) => Source::Nowhere(format!("{name} cannot be read: {reason}")),
    }
}

impl Source {
    /// The remedy where the server wants another password than it was shown.
    pub(super) fn remedy(&self) -> String {
        match self {
            Source::ConnectionString => {
                "The password is the one in the connection string; correct it there".into()
            }
            Source::Variable => "The password is that of PGPASSWORD; correct it there".into(),
            Source::File(file) => format!("The password is from {}; correct its line there", file.display()),
            Source::Nowhere(reason) => format!(
                "No password was found: {reason}. Set PGPASSWORD, or add a line host:port:database:user:password to \
                 the password file (PGPASSFILE or ~/.pgpass, chmod 600)"
            ),
        }
    }
}
