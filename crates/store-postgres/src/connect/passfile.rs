//! Passwords from a file, as libpq reads it: a line for each, `host:port:database:user:password`, where `*` stands for
//! anything and a backslash takes `:` and `\\` as they are.

use std::os::unix::fs::MetadataExt;
use std::path::Path;
use tokio_postgres::Config;
use tokio_postgres::config::Host;

const PORT_DEFAULT: u16 = 5432;
/// Rights of the group and of others.
/// libpq ignores such a file as well.
const OTHERS: u32 = 0o077;

pub(super) enum Lookup {
    Found(String),
    NoFile,
    /// With what a line would have to fit first.
    NoLine(String),
    /// Other users can read the file, so the passwords in it are no secret.
    OpenToOthers,
    Unreadable(String),
}

/// The password of the first line that fits.
pub(super) fn look_up(file: &Path, config: &Config) -> Lookup {
    let Ok(metadata) = std::fs::metadata(file) else { return Lookup::NoFile };
    if !metadata.is_file() {
        return Lookup::Unreadable("it is not a plain file".into());
    }
    if metadata.mode() & OTHERS != 0 {
        tracing::warn!(
            file = %file.display(),
            "the password file is not used: others can read it; allow that to its owner alone (chmod 600)"
        );
        return Lookup::OpenToOthers;
    }
    let text = match std::fs::read_to_string(file) {
        Ok(text) => text,
        Err(error) => return Lookup::Unreadable(error.to_string()),
    };
    let wanted: Vec<[String; 4]> =
        hosts(config).into_iter().map(|(host, port)| wanted(host, port, config)).collect();
    match wanted.iter().find_map(|wanted| find(&text, wanted)) {
        Some(password) => Lookup::Found(password),
        None => Lookup::NoLine(wanted.first().map(|wanted| wanted.join(":")).unwrap_or_default()),
    }
}

/// As lines name them: a socket is the machine itself.
fn hosts(config: &Config) -> Vec<(String, u16)> {
    let named: Vec<String> = match config.get_hosts() {
        [] => config.get_hostaddrs().iter().map(ToString::to_string).collect(),
        hosts => hosts
            .iter()
            .map(|host| match host {
                Host::Tcp(name) => name.clone(),
                Host::Unix(_) => "localhost".to_owned(),
            })
            .collect(),
    };
    let ports = config.get_ports();
    let port = |n: usize| ports.get(n).or(ports.first()).copied().unwrap_or(PORT_DEFAULT);
    named.into_iter().enumerate().map(|(n, host)| (host, port(n))).collect()
}

/// The first four fields of a line that fits.
fn wanted(host: String, port: u16, config: &Config) -> [String; 4] {
    let user = config.get_user().unwrap_or_default();
    let database = config.get_dbname().unwrap_or(user);
    [host, port.to_string(), database.to_owned(), user.to_owned()]
}

fn find(text: &str, wanted: &[String; 4]) -> Option<String> {
    text.lines().filter(|line| !line.starts_with('#')).find_map(|line| {
        let fields = fields(line);
        let [names @ .., password] = &fields[..] else { return None };
        let fits = |(name, wanted): (&Field, &String)| name.is_any || name.text == *wanted;
        (names.len() == wanted.len() && names.iter().zip(wanted).all(fits)).then(|| password.text.clone())
    })
}

#[derive(Default)]
struct Field {
    text: String,
    /// A single star that was not escaped.
    is_any: bool,
}

/// The fifth takes the rest of the line, colons and all.
fn fields(line: &str) -> Vec<Field> {
    let mut fields = vec![Field::default()];
    let mut characters = line.trim_end_matches('\r').chars();
    while let Some(character) = characters.next() {
        let is_last = fields.len() == 5;
        let field = fields.last_mut().expect("there is one from the start");
        match character {
            ':' if !is_last => fields.push(Field::default()),
            '\\' => field.text.extend(characters.next()),
            '*' if field.text.is_empty() && !is_last => {
                field.is_any = true;
                field.text.push('*');
            }
            other => {
                field.is_any = false;
                field.text.push(other);
            }
        }
    }
    fields
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    const FILE: &str = "# for all of us\nelsewhere:*:*:*:no\ndb.example:5433:flows:ann:other port\n\
        db.example:*:flows:ann:with:colons\\\\and\\:more\nlocalhost:5432:*:ann:local\n*:*:*:bob:bobs";

    fn found(url: &str) -> Option<String> {
        let config: Config = url.parse().expect("a URL");
        hosts(&config).into_iter().find_map(|(host, port)| find(FILE, &wanted(host, port, &config)))
    }

    #[test]
    fn the_first_line_that_fits_counts() {
        assert_eq!(found("postgres://ann@db.example/flows").as_deref(), Some("with:colons\\and:more"));
        assert_eq!(found("postgres://ann@db.example:5433/flows").as_deref(), Some("other port"));
        assert_eq!(found("host=/var/run/postgresql user=ann").as_deref(), Some("local"));
        assert_eq!(found("postgres://bob@anywhere:1/any").as_deref(), Some("bobs"));
        assert_eq!(found("postgres://ann@db.example/other"), None);
    }

    #[test]
    fn a_file_that_others_can_read_is_not_used() {
        let file = tempfile::NamedTempFile::new().expect("a file");
        std::fs::write(file.path(), FILE).expect("writes");
        let config: Config = "postgres://bob@h/d".parse().expect("a URL");
        let allow = |mode| {
            std::fs::set_permissions(file.path(), std::fs::Permissions::from_mode(mode)).expect("ours");
        };
        for (mode, is_used) in [(0o600, true), (0o400, true), (0o640, false), (0o604, false), (0o610, false)]
        {
            allow(mode);
            match look_up(file.path(), &config) {
                Lookup::Found(password) => assert!(is_used && password == "bobs", "{mode:o}"),
                Lookup::OpenToOthers => assert!(!is_used, "{mode:o}"),
                _ => panic!("{mode:o}"),
            }
        }
        assert!(matches!(look_up(Path::new("/nowhere/at all"), &config), Lookup::NoFile));
        assert!(matches!(look_up(Path::new("/"), &config), Lookup::Unreadable(_)));
    }
}
