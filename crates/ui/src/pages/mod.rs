//! One file per page.

pub(crate) mod cluster;
pub(crate) mod dashboard;
pub(crate) mod definition;
pub(crate) mod incidents;
pub(crate) mod instance;
mod instance_parts;
pub(crate) mod instances;
pub(crate) mod processes;
pub(crate) mod task;
pub(crate) mod tasks;

use crate::frame::Page;
use crate::problem::Problem;
use axum::http::Uri;

/// A page, or why it cannot be shown.
pub(crate) type Shown = Result<Page, Problem>;

pub(crate) async fn unknown(uri: Uri) -> Problem {
    Problem::no_page(uri.path())
}

/// The key in a page's address.
fn key(what: &str, text: &str) -> Result<i64, Problem> {
    text.parse().map_err(|_| Problem::not_found(what, text))
}
