//! Random models on random paths: every path is walked with memory, then again with everything forgotten after
//! each command, and once more with instances too large to load. All must tell the same story and leave
//! nothing behind.
//!
//! `TIDEMILL_RANDOM_MODELS` sets how many models are tried, `TIDEMILL_RANDOM_SEED` tries one alone.

mod model;
mod path;
#[path = "../support/mod.rs"]
mod support;

use model::RandomModel;
use path::Path;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};
use support::Harness;
use tidemill_model::dice::Dice;

const MODELS: u64 = 500;
const PATHS_PER_MODEL: u64 = 20;

#[test]
fn every_path_ends_and_leaves_nothing_behind() {
    let number = |name: &str| std::env::var(name).ok().map(|text| text.parse().expect("a number"));
    if let Some(seed) = number("TIDEMILL_RANDOM_SEED") {
        return try_model(seed);
    }
    let models: u64 = number("TIDEMILL_RANDOM_MODELS").unwrap_or(MODELS);
    let next = AtomicU64::new(0);
    let threads = std::thread::available_parallelism().map_or(1, |threads| threads.get());
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= models {
                        return;
                    }
                    try_model(seed);
                }
            });
        }
    });
}

fn try_model(seed: u64) {
    let model = model::generate(seed);
    let xml = model.builder.xml();
    let mut remembers = Harness::new();
    let (mut forgets, mut nibbles) = (Harness::forgetful(), support::piecemeal());
    // That the written form of an entity loses nothing is seen once.
    nibbles.store.writes_text = false;
    for engine in [&mut remembers, &mut forgets, &mut nibbles] {
        engine.deploy_files(&[("model.bpmn", &xml)]).unwrap_or_else(|refused| panic!("{refused}\n{xml}"));
        engine.keeps_commands = true;
    }
    for path in 0..PATHS_PER_MODEL {
        if path == 1 {
            // From here on with what another owner would compile.
            forgets.reload();
        }
        let walked = catch_unwind(AssertUnwindSafe(|| {
            walk(&mut remembers, &model, seed, path);
            repeat(&remembers, &mut forgets);
            repeat(&remembers, &mut nibbles);
        }));
        if walked.is_err() {
            let [with, without, piecemeal] = [&remembers, &forgets, &nibbles].map(Harness::log);
            panic!(
                "seed {seed}, path {path}\n{xml}\nwith memory:\n{with}\nwithout:\n{without}\n\
                 piecemeal:\n{piecemeal}"
            );
        }
        for engine in [&mut remembers, &mut forgets, &mut nibbles] {
            engine.clear_log();
        }
    }
}

fn walk(engine: &mut Harness, model: &RandomModel, seed: u64, path: u64) {
    let dice = Dice::new(seed * PATHS_PER_MODEL + path + 1);
    Path { engine, dice, numbers: &model.numbers }.walk();
}

/// The same commands without memory give the same records.
fn repeat(walked: &Harness, forgets: &mut Harness) {
    for (now, command) in &walked.commands {
        forgets.now = *now;
        let _ = forgets.run(command.clone());
    }
    let (story, again) = (&walked.records, &forgets.records);
    if story != again {
        let differs = story.iter().zip(again).position(|(a, b)| a != b);
        panic!("the story differs at record {}", differs.unwrap_or(story.len().min(again.len())));
    }
    let left = forgets.store.left_behind();
    assert!(left.is_empty(), "left behind without memory: {left:#?}");
}
