//! How many files and connections the process may have open.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// For the store, the log, connections to other servers, and connections that are just being refused.
const OTHER_FILES: u64 = 512;

/// Takes all that the system grants, and tells how many connections that leaves room for.
pub(super) fn connections_max() -> usize {
    let limit = getrlimit(Resource::Nofile);
    if limit.current != limit.maximum {
        let all = Rlimit { current: limit.maximum, maximum: limit.maximum };
        if let Err(error) = setrlimit(Resource::Nofile, all) {
            tracing::warn!(%error, "cannot raise the limit of open files");
        }
    }
    // None means that there is no limit.
    let files = getrlimit(Resource::Nofile).current.unwrap_or(u64::MAX);
    let left = files.saturating_sub(OTHER_FILES).max(files / 4);
    usize::try_from(left).unwrap_or(usize::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_limit_of_files_is_raised_and_leaves_room() {
        let most = connections_max();
        let limit = getrlimit(Resource::Nofile);
        assert_eq!(limit.current, limit.maximum);
        assert!(limit.current.is_none_or(|files| (most as u64) < files && most > 0));
    }
}
