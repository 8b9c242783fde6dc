//! Errors as one line of text.

/// The error with all its sources: libraries for HTTP keep the cause there and name only the failed step themselves.
pub(crate) fn told(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut source = error.source();
    while let Some(inner) = source {
        text = format!("{text}: {inner}");
        source = inner.source();
    }
    text
}
