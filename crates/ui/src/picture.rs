//! The diagram of a definition with tokens, counts and incidents on it.

use maud::{Markup, PreEscaped, html};
use std::sync::Arc;
use tidemill_diagram::{Diagram, Overlay, Overlays, Style};
use tidemill_store::view::ElementStatistics;

/// Draws on a thread of its own, because a large model takes longer than other requests should have to wait. The names in the file are
/// escaped by the drawing.
pub(crate) async fn draw(xml: Option<Arc<str>>, overlays: Overlays) -> Markup {
    let Some(xml) = xml else { return unreadable("its file is not there any more") };
    let style = Style { has_background: false, ..Style::default() };
    let drawing = tokio::task::spawn_blocking(move || {
        Diagram::read(xml.as_bytes()).map(|read| read.to_svg(&style, &overlays))
    });
    match drawing.await {
        Ok(Ok(svg)) => html! {
            figure.picture data-picture {
                (PreEscaped(svg))
                figcaption.needs-script {
                    button type="button" data-zoom="in" aria-label="Zoom in" { "+" }
                    button type="button" data-zoom="out" aria-label="Zoom out" { "−" }
                    button type="button" data-zoom="fit" { "Fit" }
                }
            }
        },
        Ok(Err(error)) => unreadable(&error.to_string()),
        Err(_) => unreadable("a defect stopped the drawing"),
    }
}

fn unreadable(reason: &str) -> Markup {
    html! { p.quiet { "The diagram cannot be drawn: " (reason) "." } }
}

pub(crate) fn overlays(statistics: &[ElementStatistics]) -> Overlays {
    let mut overlays = Overlays::default();
    for counts in statistics {
        let ElementStatistics { element_id, active, completed, incidents, .. } = counts;
        let overlay = Overlay { tokens: *active, completed: *completed, incidents: *incidents };
        overlays.set(element_id.as_str(), overlay);
    }
    overlays
}
