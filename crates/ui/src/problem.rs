//! Failures as pages: in words, with a remedy.

use crate::frame::{Page, Place};
use axum::http::StatusCode;
use axum::response::{IntoResponse, Response};
use maud::html;
use tidemill_server::broker::CommandError;
use tidemill_store::Error;

/// Why a page cannot be shown.
pub(crate) struct Problem {
    status: StatusCode,
    title: &'static str,
    detail: String,
    remedy: &'static str,
}

impl Problem {
    pub(crate) fn not_found(what: &str, key: &str) -> Problem {
        Problem {
            status: StatusCode::NOT_FOUND,
            title: "Not found",
            detail: format!("There is no {what} with the key {key}."),
            remedy: "It may have been deleted, or its history was kept for a limited time only. Search for it by its process or business id.",
        }
    }

    pub(crate) fn no_page(path: &str) -> Problem {
        Problem {
            status: StatusCode::NOT_FOUND,
            title: "Not found",
            detail: format!("There is no page {path}."),
            remedy: "The navigation above leads to all pages.",
        }
    }

    pub(crate) fn bad_query(detail: String) -> Problem {
        Problem {
            status: StatusCode::BAD_REQUEST,
            title: "This address cannot be read",
            detail,
            remedy: "Go back, or begin the search again.",
        }
    }
}

impl From<Error> for Problem {
    fn from(error: Error) -> Problem {
        match &error {
            Error::BadCursor { .. } => Problem::bad_query(
                "The place in the list that this address names is not one of this list.".to_owned(),
            ),
            _ => {
                // The text may name files and statements: it is for the operator.
                tracing::warn!(%error, "a page could not be read from the store");
                Problem {
                    status: StatusCode::SERVICE_UNAVAILABLE,
                    title: "The store does not answer",
                    detail:
                        "The page could not be read from the store, or reading it would have taken too long."
                            .to_owned(),
                    remedy: "Narrow the search, or try again in a moment. The log of the server tells the reason.",
                }
            }
        }
    }
}

impl From<CommandError> for Problem {
    fn from(error: CommandError) -> Problem {
        tracing::warn!(%error, "a page could not be shown");
        Problem {
            status: StatusCode::SERVICE_UNAVAILABLE,
            title: "The server cannot tell just now",
            detail: "The definition of this process could not be read.".to_owned(),
            remedy: "Try again in a moment. The log of the server tells the reason.",
        }
    }
}

impl IntoResponse for Problem {
    fn into_response(self) -> Response {
        let content = html! {
            h1 { (self.title) }
            p { (self.detail) }
            p.quiet { (self.remedy) }
        };
        Page { status: self.status, ..Page::new(Place::Elsewhere, self.title, content) }.into_response()
    }
}
