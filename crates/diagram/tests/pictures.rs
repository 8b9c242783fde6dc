//! Pictures that were looked at. A change of the drawing shows as a difference here: look at the new picture, then
//! `TIDEMILL_UPDATE_PICTURES=1 cargo test -p tidemill-diagram --test pictures` makes it the expected one.

mod places;

use std::path::PathBuf;
use tidemill_diagram::{Diagram, Overlay, Overlays, Style, Theme};

fn read(file: &str) -> (Diagram, String) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join(file);
    let xml = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    (Diagram::read(&xml).unwrap_or_else(|error| panic!("{file}:{error}")), xml)
}

fn expect_picture(name: &str, svg: &str) {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/pictures").join(name);
    if std::env::var_os("TIDEMILL_UPDATE_PICTURES").is_some() {
        std::fs::write(&path, svg).expect("the picture can be written");
        return;
    }
    let expected = std::fs::read_to_string(&path).unwrap_or_default();
    let differs = expected.lines().zip(svg.lines()).find(|(expected, found)| expected != found);
    if let Some((expected, found)) = differs {
        panic!("{name} differs\nexpected: {expected}\nfound:    {found}");
    }
    assert_eq!(expected.lines().count(), svg.lines().count(), "{name} has more or fewer elements");
}

#[test]
fn every_symbol() {
    let (diagram, _) = read("tests/files/gallery.bpmn");
    assert!(!diagram.is_laid_out() && diagram.notes().is_empty());
    expect_picture("gallery.svg", &diagram.to_svg(&Style::default(), &Overlays::default()));
}

#[test]
fn a_model_without_a_diagram_in_the_dark() {
    let (diagram, xml) = read("tests/files/claim.bpmn");
    assert!(diagram.is_laid_out() && diagram.notes().is_empty());
    let faults: Vec<String> = places::faults(&diagram, &xml)
        .into_iter()
        // Associations are straight, and a group is drawn over what it frames.
        .filter(|fault| !["writes", "noted", "deciding"].iter().any(|id| fault.contains(id)))
        .collect();
    assert!(faults.is_empty(), "{faults:#?}");
    let style = Style { theme: Theme::Dark, ..Style::default() };
    expect_picture("claim-dark.svg", &diagram.to_svg(&style, &Overlays::default()));
}

#[test]
fn a_picture_with_figures() {
    let (diagram, _) = read("../tidemill/src/serve/order.bpmn");
    let mut overlays = Overlays::default();
    overlays.set("received", Overlay { completed: 1204, ..Overlay::default() });
    overlays.set("check-stock", Overlay { tokens: 12, completed: 1_192, incidents: 3 });
    overlays.set("pack", Overlay { tokens: 1, ..Overlay::default() });
    overlays.set("nowhere", Overlay { tokens: 1, ..Overlay::default() });
    ["to-check", "to-gateway", "yes"].into_iter().for_each(|flow| overlays.take(flow));
    let svg = diagram.to_svg(&Style::default(), &overlays);
    assert!(svg.contains("data-overlay-of=\"check-stock\"") && !svg.contains("nowhere"));
    assert_eq!(svg.matches("class=\"flow taken\"").count(), 3);
    expect_picture("order-overlays.svg", &svg);
}

/// Ids of shapes and flows are in the picture once each, so that a page can bind to them.
#[test]
fn every_element_can_be_found_by_its_id() {
    let (diagram, _) = read("tests/files/gallery.bpmn");
    let svg = diagram.to_svg(&Style::default(), &Overlays::default());
    let ids =
        diagram.shapes().map(|shape| shape.element_id).chain(diagram.flows().map(|flow| flow.element_id));
    for id in ids {
        assert_eq!(svg.matches(&format!("data-element-id=\"{id}\"")).count(), 1, "{id}");
    }
}
