//! Models without a diagram, made by the generator of the engine's random tests: whatever it makes, no two shapes
//! overlap, contents stay inside, and every flow touches both of its ends and passes no other shape.
//!
//! `TIDEMILL_RANDOM_MODELS` sets how many models are tried, `TIDEMILL_RANDOM_SEED` tries one alone, and
//! `TIDEMILL_RANDOM_SVG` names a file for its picture.

#[allow(dead_code)]
#[path = "../../engine/tests/random/model.rs"]
mod model;
mod places;

/// The names that the generator expects beside it.
mod support {
    pub(crate) use tidemill_bpmn::builder::{ModelBuilder, Options, Timer};
}

use tidemill_diagram::{Diagram, Overlays, Style};

const MODELS: u64 = 500;

#[test]
fn layouts_of_random_models_are_sound() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let models = number("TIDEMILL_RANDOM_MODELS").unwrap_or(MODELS);
    for seed in number("TIDEMILL_RANDOM_SEED").map_or(0..models, |seed| seed..seed + 1) {
        let xml = model::generate(seed).builder.xml();
        let diagram = Diagram::read(&xml).unwrap_or_else(|error| panic!("seed {seed}: {error}\n{xml}"));
        assert!(diagram.is_laid_out());
        if let Ok(file) = std::env::var("TIDEMILL_RANDOM_SVG") {
            let svg = diagram.to_svg(&Style::default(), &Overlays::default());
            std::fs::write(file, svg).expect("the picture can be written");
        }
        let faults = places::faults(&diagram, &xml);
        assert!(faults.is_empty(), "seed {seed}: {faults:#?}\n{xml}");
    }
}
