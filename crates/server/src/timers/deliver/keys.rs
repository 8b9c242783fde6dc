//! Keys that sign callbacks. They are in a file of their own, which is read again when it has changed: a key is exchanged without a
//! restart.

use ring::hmac;
use std::collections::HashMap;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::{Duration, SystemTime};
use tokio::time::Instant;

pub const SIGNATURE_HEADER: &str = "tidemill-signature";
/// How often the file is looked at.
const LOOK_EVERY: Duration = Duration::from_secs(5);
/// Shorter ones can be guessed.
const SECRET_BYTES_MIN: usize = 16;

/// Each name has a secret, or several while receivers change from one to the next: calls carry a signature by each.
type Secrets = HashMap<String, Vec<hmac::Key>>;

pub(super) struct Keys {
    file: Option<PathBuf>,
    known: Mutex<Known>,
}

struct Known {
    secrets: Arc<Secrets>,
    changed_at: Option<SystemTime>,
    looked_at: Instant,
}

const UNPOISONED: &str = "nobody panics while holding it";

impl Keys {
    pub(super) fn new(file: Option<&Path>) -> io::Result<Keys> {
        let secrets = Arc::new(file.map(read).transpose()?.unwrap_or_default());
        let known = Known { secrets, changed_at: file.and_then(changed_at), looked_at: Instant::now() };
        Ok(Keys { file: file.map(Path::to_owned), known: Mutex::new(known) })
    }

    /// The value of the header; none if there is no such key.
    pub(super) fn sign(&self, name: &str, at_ms: i64, body: &[u8]) -> Option<String> {
        let secrets = self.secrets();
        let mut value = format!("t={at_ms}");
        for key in secrets.get(name)? {
            let mut context = hmac::Context::with_key(key);
            context.update(at_ms.to_string().as_bytes());
            context.update(b".");
            context.update(body);
            value.push_str(",v1=");
            for byte in context.sign().as_ref() {
                value.push_str(&format!("{byte:02x}"));
            }
        }
        Some(value)
    }

    fn secrets(&self) -> Arc<Secrets> {
        let mut known = self.known.lock().expect(UNPOISONED);
        if let Some(file) = &self.file
            && known.looked_at.elapsed() >= LOOK_EVERY
        {
            known.looked_at = Instant::now();
            let changed_at = changed_at(file);
            if changed_at != known.changed_at {
                known.changed_at = changed_at;
                match read(file) {
                    Ok(secrets) => known.secrets = Arc::new(secrets),
                    Err(error) => tracing::warn!(%error, "the keys of callbacks stay as they were"),
                }
            }
        }
        known.secrets.clone()
    }
}

fn changed_at(file: &Path) -> Option<SystemTime> {
    std::fs::metadata(file).and_then(|metadata| metadata.modified()).ok()
}

/// A JSON object: `{"main": ["the newest secret", "the one before"]}`.
fn read(file: &Path) -> io::Result<Secrets> {
    let wrong = |reason: String| {
        let reason = format!("cannot read the keys of callbacks in {}: {reason}", file.display());
        io::Error::new(io::ErrorKind::InvalidData, reason)
    };
    let text = std::fs::read_to_string(file).map_err(|error| wrong(error.to_string()))?;
    let names: HashMap<String, Vec<String>> =
        serde_json::from_str(&text).map_err(|error| wrong(error.to_string()))?;
    let mut all = Secrets::new();
    for (name, secrets) in names {
        if secrets.is_empty() || secrets.iter().any(|secret| secret.len() < SECRET_BYTES_MIN) {
            return Err(wrong(format!("'{name}' needs secrets of {SECRET_BYTES_MIN} bytes or more")));
        }
        let keys = secrets.iter().map(|secret| hmac::Key::new(hmac::HMAC_SHA256, secret.as_bytes()));
        all.insert(name, keys.collect());
    }
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_exchanged_without_a_restart() {
        let home = tempfile::tempdir().expect("a directory");
        let file = home.path().join("keys.json");
        std::fs::write(&file, r#"{"main": ["0123456789abcdef"]}"#).expect("written");
        let keys = Keys::new(Some(&file)).expect("readable");
        let old = keys.sign("main", 1_000, b"{}").expect("known");
        assert_eq!(keys.sign("other", 1_000, b"{}"), None);
        // Computed with openssl: printf '1000.{}' | openssl dgst -sha256 -hmac 0123456789abcdef
        assert_eq!(old, format!("t=1000,v1={}", GOLDEN));
        std::fs::write(&file, r#"{"main": ["fedcba9876543210", "0123456789abcdef"]}"#).expect("written");
        let later = SystemTime::now() + Duration::from_secs(100);
        std::fs::File::options().write(true).open(&file).and_then(|f| f.set_modified(later)).expect("set");
        assert_eq!(keys.sign("main", 1_000, b"{}"), Some(old.clone()), "it is not looked at all the time");
        time_passes(&keys);
        let both = keys.sign("main", 1_000, b"{}").expect("known");
        assert!(both.ends_with(GOLDEN) && both.matches("v1=").count() == 2, "{both}");
        std::fs::write(&file, "{").expect("written");
        time_passes(&keys);
        assert_eq!(
            keys.sign("main", 1_000, b"{}"),
            Some(both),
            "a file that is being written changes nothing"
        );
    }

    fn time_passes(keys: &Keys) {
        keys.known.lock().expect("free").looked_at -= LOOK_EVERY;
    }

    #[test]
    fn weak_and_missing_files_are_refused() {
        let home = tempfile::tempdir().expect("a directory");
        let file = home.path().join("keys.json");
        assert!(Keys::new(Some(&file)).is_err());
        std::fs::write(&file, r#"{"main": ["short"]}"#).expect("written");
        let error = Keys::new(Some(&file)).err().expect("refused").to_string();
        assert!(error.contains("16 bytes"), "{error}");
        assert!(Keys::new(None).is_ok());
    }

    const GOLDEN: &str = "bd3e8b6d13803a2406a848a68bc7a2e80b251fb9d894858564c77ce80a4aa634";
}
