//! The bench measures something: its own server takes what it sends.

use crate::harness::{Cli, Place};

#[test]
fn processes_are_measured() {
    let place = Place::new();
    let store = format!("sqlite:{}", place.path("bench.db"));
    let offline = Cli::offline();
    let report = offline.run(&[
        "bench",
        "processes",
        "--seconds",
        "1",
        "--warm-up",
        "0",
        "--half-load",
        "--store",
        &store,
        "--json",
    ]);
    let report = report.json();
    for figure in [
        "instances_per_s",
        "store_limit_per_s",
        "ratio",
        "create_p50_ms",
        "create_p99_ms",
        "peak_rss_mb",
        "half_load_per_s",
        "half_load_create_p99_ms",
    ] {
        assert!(report[figure].as_f64().is_some_and(|value| value > 0.0), "{figure}: {report}");
    }
    assert_eq!(report["refused"], 0);
}

#[test]
fn searches_are_measured() {
    let place = Place::new();
    let store = format!("sqlite:{}", place.path("bench.db"));
    let sizes = ["--small", "6000", "--large", "7000", "--repeat", "10"];
    let arguments: Vec<&str> =
        ["bench", "search", "--store", &store, "--json"].into_iter().chain(sizes).collect();
    let report = Cli::offline().run(&arguments).json();
    assert_eq!((&report["small"], &report["large"]), (&6_000.into(), &7_000.into()));
    let searches = report["searches"].as_array().expect("a list");
    assert!(searches.len() > 10, "{report}");
    for search in searches {
        assert!(search["large_p50_ms"].as_f64().is_some_and(|value| value > 0.0), "{search}");
    }
    assert!(report["worst_ratio"].as_f64().is_some_and(|value| value > 0.0), "{report}");
}
