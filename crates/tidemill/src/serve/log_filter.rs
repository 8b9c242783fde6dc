//! Checks that a filter for the log says something about this server. A word that is no level would be taken
//! for the name of some library, and the server would be mute.

use anyhow::{Result, bail};

const LEVELS: [&str; 6] = ["off", "error", "warn", "info", "debug", "trace"];
const OURS: &str = "tidemill";

/// `place` is where the filter was given.
pub(super) fn check(filter: &str, place: &str) -> Result<()> {
    let directives: Vec<&str> = filter.split(',').map(str::trim).filter(|part| !part.is_empty()).collect();
    for directive in &directives {
        let level = directive.rsplit_once('=').map_or(*directive, |(_, level)| level);
        let is_span = directive.contains('[');
        if !is_level(level) && !is_span {
            let meant = tidemill_feel::nearest(level, LEVELS.into_iter());
            let hint = meant.map(|level| format!("; did you mean '{level}'?")).unwrap_or_default();
            bail!(
                "Expected {place} to be one of {}, or a filter like info,tidemill_server=debug, but '{directive}' has \
                 no such level{hint}",
                LEVELS.join(", ")
            );
        }
    }
    let says_something = |directive: &&str| is_level(directive) || directive.starts_with(OURS);
    if !directives.iter().any(says_something) {
        bail!(
            "Expected {place} to say what the server itself logs, but '{filter}' does not; begin it with a level, such \
             as info,{}",
            if filter.trim().is_empty() { "tidemill_server=debug" } else { filter }
        );
    }
    Ok(())
}

fn is_level(word: &str) -> bool {
    LEVELS.iter().any(|level| word.eq_ignore_ascii_case(level))
}

#[cfg(test)]
mod tests {
    use super::check;

    #[test]
    fn levels_and_filters_are_taken() {
        for filter in
            ["info", "WARN", "off", "info,tidemill_server=debug", "tidemill_server=trace", "hyper=debug,info"]
        {
            assert!(check(filter, "--log").is_ok(), "{filter}");
        }
    }

    #[test]
    fn what_would_make_the_server_mute_is_refused_with_its_place() {
        for filter in ["nonsense", "inof", "", ",", "hyper=debug", "info,tidemill_server=loud", "info;debug"]
        {
            let error = check(filter, "--log or TIDEMILL_LOG").expect_err(filter).to_string();
            assert!(error.contains("--log or TIDEMILL_LOG"), "{error}");
        }
        let error = check("inof", "log in tidemill.toml").expect_err("no level").to_string();
        assert!(error.contains("log in tidemill.toml") && error.contains("did you mean 'info'?"), "{error}");
    }
}
