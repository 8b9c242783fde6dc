//! Pictures of models, without a server.

use crate::harness::{Cli, Place};
use crate::{ADD, text};

#[test]
fn a_model_becomes_svg_on_the_output_or_in_a_file() {
    let (cli, place) = (Cli::offline(), Place::new());
    let model = place.file("add.bpmn", ADD);
    let svg = cli.run(&["render", &model]).ok();
    assert!(svg.starts_with("<svg") && svg.ends_with("</svg>\n"), "{svg}");
    assert!(svg.contains("data-element-id=\"sum\"") && svg.contains("data-element-id=\"b\""), "{svg}");
    let file = place.path("add.svg");
    assert_eq!(cli.run(&["render", &model, "-o", &file]).ok(), "");
    assert_eq!(std::fs::read_to_string(&file).expect("the file was written"), svg);
    let dark = cli.run(&["render", &model, "--dark", "--transparent"]).ok();
    assert!(dark != svg && !dark.contains("background"), "{dark}");
}

/// On a machine without fonts it is refused instead, which a test beside the code looks at.
#[test]
fn a_model_becomes_png() {
    let (cli, place) = (Cli::offline(), Place::new());
    let (model, file) = (place.file("add.bpmn", ADD), place.path("add.png"));
    let width = |scale: &str| {
        let ran = cli.run(&["render", &model, "-o", &file, "--scale", scale]);
        if ran.code == 1 && ran.stderr.contains("fonts-dejavu-core") {
            return None;
        }
        ran.ok();
        let png = std::fs::read(&file).expect("the file was written");
        assert!(png.starts_with(b"\x89PNG\r\n\x1a\n"));
        Some(u32::from_be_bytes(png[16..20].try_into().expect("four bytes")))
    };
    if let (Some(once), Some(twice)) = (width("1"), width("2")) {
        assert_eq!(twice, 2 * once);
    }
}

#[test]
fn elements_that_cannot_run_are_drawn() {
    let (cli, place) = (Cli::offline(), Place::new());
    let complex = ADD.replace("startEvent", "complexGateway");
    let model = place.file("complex.bpmn", &complex);
    assert_eq!(cli.run(&["validate", &model]).code, 7);
    assert!(cli.run(&["render", &model]).ok().contains("data-element-type=\"complexGateway\""));
}

#[test]
fn mistakes_are_told_with_place_and_remedy() {
    let (cli, place) = (Cli::offline(), Place::new());
    let model = place.file("add.bpmn", ADD);
    let told = |arguments: &[&str], code: i32, words: &str| {
        let ran = cli.run(arguments);
        assert_eq!(ran.code, code, "{}", ran.stderr);
        assert!(ran.stderr.contains(words), "{words} in {}", ran.stderr);
    };
    told(&["render", &place.path("nothing.bpmn")], 1, "cannot read");
    told(&["render", &model, "-o", "picture.jpg"], 2, "end with .svg or .png");
    told(&["render", &model, "-o", &place.path("no/where.svg")], 1, "cannot write");
    told(&["render", &model, "--scale", "1000"], 2, "from 0.1 to 10");
    told(&["render", &model, "-o", &place.path("a.png"), "--font", &model], 1, "to be a font");
    let html = place.file("page.bpmn", "<html/>");
    told(&["render", &html], 1, "page.bpmn:1:1: Expected BPMN 'definitions', but found 'html'");
}

#[test]
fn a_server_draws_what_was_deployed() {
    let place = Place::new();
    let server = place.serve();
    let deployed = server.run(&["deploy", &place.file("add.bpmn", ADD), "--json"]).json();
    let key = text(&deployed["deployments"][0]["processDefinition"]["processDefinitionKey"]);
    let get = |path: &str| {
        let agent: ureq::Agent = ureq::Agent::config_builder().http_status_as_error(false).build().into();
        let mut answer = agent.get(format!("{}{path}", server.url())).call().expect("the server answers");
        let kind = answer.headers()["content-type"].to_str().expect("a text").to_owned();
        (answer.status().as_u16(), kind, answer.body_mut().read_to_string().expect("a text"))
    };
    let (status, kind, svg) = get(&format!("/v1/process-definitions/{key}/diagram.svg?theme=dark"));
    assert_eq!((status, &*kind), (200, "image/svg+xml"), "{svg}");
    assert_eq!(svg, server.run(&["render", &place.path("add.bpmn"), "--dark"]).ok());
    assert_eq!(get("/v1/process-definitions/7/diagram.svg").0, 404);
    assert_eq!(get("/v1/process-definitions/seven/diagram.svg").0, 400);
    let (status, _, problem) = get(&format!("/v1/process-definitions/{key}/diagram.svg?theme=blue"));
    assert!(status == 400 && problem.contains("theme=light or theme=dark"), "{problem}");
}
