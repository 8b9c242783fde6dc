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
