//! Files that mean harm, or are broken: whatever they contain, the picture is well-formed SVG made of the few tags that
//! this crate draws with, and nothing panics or runs away.

use proptest::prelude::*;
use std::fmt::Write;
use std::time::{Duration, Instant};
use tidemill_diagram::{Diagram, Overlay, Overlays, Style, Theme};

const EVIL: &str = "\"><script>alert(1)</script>&'";
const GALLERY: &str = include_str!("files/gallery.bpmn");
const CLAIM: &str = include_str!("files/claim.bpmn");

/// Draws and checks; returns the picture.
fn draw(xml: impl AsRef<[u8]>) -> Option<String> {
    let diagram = Diagram::read(xml).ok()?;
    let mut overlays = Overlays::default();
    overlays.set(EVIL, Overlay { tokens: u64::MAX, completed: 1, incidents: 2 });
    let svg = diagram.to_svg(&Style { theme: Theme::Dark, has_background: false }, &overlays);
    check(&svg);
    Some(svg)
}

fn check(svg: &str) {
    let document = roxmltree::Document::parse_with_options(
        svg,
        roxmltree::ParsingOptions { nodes_limit: u32::MAX, ..Default::default() },
    );
    let document = document.unwrap_or_else(|error| panic!("{error}"));
    for element in document.descendants().filter(|node| node.is_element()) {
        let tag = element.tag_name().name();
        assert!(["svg", "g", "path", "rect", "circle", "text", "tspan"].contains(&tag), "{tag}");
        for attribute in element.attributes() {
            let (name, value) = (attribute.name(), attribute.value());
            assert!(!name.starts_with("on") && !name.contains("href") && name != "style", "{name}");
            let is_text = name.starts_with("data-");
            assert!(
                is_text || !["NaN", "inf", "url", "<"].iter().any(|word| value.contains(word)),
                "{value}"
            );
        }
    }
}

fn one_task(id: &str, name: &str, shape: &str, bounds: &str) -> String {
    format!(
        r#"<definitions xmlns="http://www.omg.org/spec/BPMN/20100524/MODEL"
        xmlns:bioc="http://bpmn.io/schema/bpmn/biocolor/1.0" xmlns:di="http://www.omg.org/spec/BPMN/20100524/DI"
        xmlns:dc="http://www.omg.org/spec/DD/20100524/DC"><process id="p"><task id="{id}" name="{name}"/></process>
        <di:BPMNDiagram><di:BPMNPlane><di:BPMNShape bpmnElement="{id}" {shape}><dc:Bounds {bounds}/></di:BPMNShape>
        </di:BPMNPlane></di:BPMNDiagram></definitions>"#
    )
}

#[test]
fn texts_of_a_file_stay_texts() {
    let evil = "&quot;&gt;&lt;script&gt;alert(1)&lt;/script&gt;&amp;&apos;";
    let svg = draw(one_task(evil, evil, "", r#"x="0" y="0" width="400" height="80""#)).expect("a picture");
    assert!(!svg.contains("<script"), "{svg}");
    let escaped = evil.replace("&apos;", "&#39;");
    for attribute in ["data-element-id", "data-overlay-of"] {
        assert!(svg.contains(&format!("{attribute}=\"{escaped}\"")), "{svg}");
    }
}

#[test]
fn only_colours_are_taken_as_colours() {
    for color in
        ["red&quot; onload=&quot;alert(1)", "url(http://x)", "expression(1)", "&lt;script&gt;", "#12345"]
    {
        let shape = format!("bioc:fill=\"{color}\" bioc:stroke=\"{color}\"");
        let xml = one_task("t", "", &shape, r#"x="0" y="0" width="100" height="80""#);
        let svg = draw(xml).expect("a picture");
        assert!(!svg.contains("alert") && !svg.contains("url") && !svg.contains("script"), "{svg}");
    }
}

#[test]
fn places_that_are_none_are_noted_and_the_rest_is_drawn() {
    let cases = [
        r#"x="NaN" y="0" width="1" height="1""#,
        r#"x="1e308" y="0" width="1" height="1""#,
        r#"x="0" y="inf" width="1" height="1""#,
        r#"x="0" y="0" width="-1" height="1""#,
        r#"x="0" y="0" width="1" height="""#,
        r#"x="0" y="0" width="1""#,
        "",
    ];
    for bounds in cases {
        let diagram = Diagram::read(one_task("t", "Task", "", bounds)).expect("a picture");
        let note = diagram.notes().first().unwrap_or_else(|| panic!("no note on {bounds}"));
        assert!(note.line == 4 && note.reason.starts_with("Expected"), "{note}");
        assert!(diagram.is_laid_out(), "the only shape had no place, so the model is laid out");
        check(&diagram.to_svg(&Style::default(), &Overlays::default()));
    }
}

#[test]
fn further_diagrams_are_noted() {
    let one = one_task("t", "Task", "", r#"x="0" y="0" width="100" height="80""#);
    let two = one.replace("</definitions>", "<di:BPMNDiagram><di:BPMNPlane/></di:BPMNDiagram></definitions>");
    assert!(Diagram::read(&one).expect("a picture").notes().is_empty());
    let diagram = Diagram::read(&two).expect("a picture");
    assert_eq!(diagram.notes().len(), 1, "{:?}", diagram.notes());
}

#[test]
fn what_is_no_diagram_is_refused_with_place_and_remedy() {
    let refusal = |xml: &str| Diagram::read(xml).expect_err("it is refused").to_string();
    assert_eq!(
        refusal("\n  <html/>"),
        "2:3: Expected BPMN 'definitions', but found 'html' (choose a BPMN 2.0 file)"
    );
    assert!(refusal("<definitions>").starts_with("1:"), "{}", refusal("<definitions>"));
    assert!(refusal("<!DOCTYPE x><definitions/>").contains("remove the DOCTYPE"));
    assert!(Diagram::read("<definitions/>").is_ok(), "an empty file is an empty picture");
}

#[test]
fn deep_models_are_drawn() {
    let depth = 190;
    let mut xml = String::from("<definitions><process id=\"p\">");
    (0..depth).for_each(|n| write!(xml, "<subProcess id=\"s{n}\">").expect("it is a string"));
    xml.push_str("<task id=\"t\"/>");
    xml.push_str(&"</subProcess>".repeat(depth));
    xml.push_str("</process></definitions>");
    let svg = draw(&xml).expect("a picture");
    assert!(svg.contains("data-element-id=\"t\""));
    let deeper = format!("{}{}", "<definitions>".repeat(100_000), "</definitions>".repeat(100_000));
    assert!(draw(deeper).is_none());
}

/// Sizes that would take minutes if any step were quadratic.
#[test]
fn large_models_end_in_time() {
    let mut cases: Vec<(&str, String)> = Vec::new();
    let tasks = |count: usize| (0..count).map(|n| format!("<task id=\"t{n}\"/>")).collect::<String>();
    let flow = |n: usize, from: usize, to: usize| {
        format!("<sequenceFlow id=\"f{n}\" sourceRef=\"t{from}\" targetRef=\"t{to}\"/>")
    };
    let model = |inner: &str| format!("<definitions><process id=\"p\">{inner}</process></definitions>");
    let to_the_rest: String =
        (0..5_000).map(|n| flow(n, n, n * 5) + &flow(n + 10_000, n * 6, n * 6)).collect();
    let notes = "<textAnnotation id=\"x\"/><association id=\"y\" sourceRef=\"t1\" targetRef=\"x\"/>";
    cases.push(("alone", model(&(tasks(100_000) + &to_the_rest + notes))));
    let chain: String = (1..10_000).map(|n| flow(n, n - 1, n)).collect();
    cases.push(("chain", model(&(tasks(10_000) + &chain))));
    let wide: String = (1..10_000).map(|n| flow(n, 0, n)).collect();
    cases.push(("wide", model(&(tasks(10_000) + &wide))));
    let ladder: String = (1..3_000).map(|n| flow(n, n - 1, n) + &flow(n + 10_000, 0, n)).collect();
    cases.push(("long flows", model(&(tasks(3_000) + &ladder))));
    let back: String = (1..3_000).map(|n| flow(n, n - 1, n) + &flow(n + 10_000, n, 0)).collect();
    cases.push(("flows back", model(&(tasks(3_000) + &back))));
    let dense: String = (0..22_500).map(|n| flow(n, n % 150, 150 + n / 150)).collect();
    cases.push(("dense", model(&(tasks(300) + &dense))));
    let lanes: String =
        (0..10_000).map(|n| format!("<lane id=\"l{n}\"><flowNodeRef>t{n}</flowNodeRef></lane>")).collect();
    cases.push(("lanes", model(&format!("<laneSet>{lanes}</laneSet>{}", tasks(9_000)))));
    let events: String =
        (0..10_000).map(|n| format!("<boundaryEvent id=\"b{n}\" attachedToRef=\"t0\"/>")).collect();
    cases.push(("boundary events", model(&(tasks(1) + &events))));
    let groups: String =
        (0..10_000).map(|n| format!("<group id=\"g{n}\" categoryValueRef=\"c{n}\"/>")).collect();
    cases.push(("groups", model(&groups)));
    let processes: String =
        (0..10_000).map(|n| format!("<process id=\"p{n}\"><task id=\"t{n}\"/></process>")).collect();
    cases.push(("processes", format!("<definitions>{processes}</definitions>")));
    let shapes: String = (0..20_000).map(|n| format!("<BPMNShape bpmnElement=\"x{n}\"><Bounds x=\"{n}\" y=\"0\" width=\"9\" height=\"9\"/></BPMNShape>")).collect();
    let shapes = format!("<BPMNDiagram><BPMNPlane>{shapes}</BPMNPlane></BPMNDiagram>");
    cases.push(("shapes", format!("<definitions>{shapes}</definitions>")));
    for (name, xml) in cases {
        let began = Instant::now();
        let diagram = Diagram::read(&xml).unwrap_or_else(|error| panic!("{name}: {error}"));
        let svg = diagram.to_svg(&Style::default(), &Overlays::default());
        let took = began.elapsed();
        println!("{name}: {took:?}, {} bytes", svg.len());
        assert!(svg.len() > 100_000, "{name} is drawn");
        assert!(took < Duration::from_secs(120), "{name} took {took:?}");
    }
}

/// A file with single bytes replaced, and pieces moved.
fn mangled(original: &'static str) -> impl Strategy<Value = Vec<u8>> {
    let places = proptest::collection::vec((0..original.len(), any::<u8>()), 0..6);
    let piece = (0..original.len(), 0usize..400, 0..original.len());
    (places, piece).prop_map(move |(places, (from, length, to))| {
        let mut bytes = original.as_bytes().to_vec();
        let piece: Vec<u8> = bytes[from..(from + length).min(bytes.len())].to_vec();
        bytes.splice(to..to, piece);
        places.into_iter().for_each(|(place, byte)| bytes[place] = byte);
        bytes
    })
}

fn attribute() -> impl Strategy<Value = String> {
    prop_oneof![
        any::<f64>().prop_map(|number| number.to_string()),
        (-2000.0..2000.0).prop_map(|number: f64| number.to_string()),
        "[ -~]{0,20}",
        "\\PC{0,20}",
        Just("t3".to_string()),
        Just("1e6".to_string()),
    ]
    .prop_map(|text| text.replace('&', "&amp;").replace('<', "&lt;").replace('"', "&quot;"))
}

/// A model in which every attribute is something else.
fn scrambled(values: &[String]) -> String {
    let mut values = values.iter().cycle();
    GALLERY
        .split('"')
        .enumerate()
        .map(|(n, part)| match n % 2 {
            // Namespaces stay, or nothing would be read at all.
            1 if !part.contains("http") && n % 7 == 3 => values.next().expect("there are some").clone(),
            _ => part.to_string(),
        })
        .collect::<Vec<_>>()
        .join("\"")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn mangled_files_never_panic(xml in prop_oneof![mangled(GALLERY), mangled(CLAIM)]) {
        draw(xml);
    }

    #[test]
    fn any_value_may_stand_in_any_attribute(values in proptest::collection::vec(attribute(), 1..40)) {
        draw(scrambled(&values));
    }
}
