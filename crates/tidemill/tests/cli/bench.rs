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

fn timers(more: &[&str]) -> serde_json::Value {
    let place = Place::new();
    let store = format!("sqlite:{}", place.path("bench.db"));
    let usual = ["bench", "timers", "--store", &store, "--count", "2000", "--json"];
    let arguments: Vec<&str> = usual.into_iter().chain(more.iter().copied()).collect();
    let report = Cli::offline().run(&arguments).json();
    for figure in [
        "created_per_s",
        "fired_per_s",
        "store_limit_per_s",
        "ratio",
        "rows_limit_per_s",
        "statements_per_1000",
        "wal_bytes_per_timer",
        "cpu_s_per_million",
        "peak_rss_mb",
    ] {
        assert!(report[figure].as_f64().is_some_and(|value| value > 0.0), "{figure}: {report}");
    }
    assert_eq!((&report["early"], &report["count"]), (&0.into(), &2_000.into()));
    report
}

#[test]
fn timers_are_measured() {
    let report = timers(&["--spread", "500ms", "--payload-bytes", "20"]);
    for figure in ["late_p50_ms", "late_p99_ms"] {
        assert!(report[figure].as_f64().is_some_and(|value| value >= 0.0), "{figure}: {report}");
    }
    for rows in ["rows_preloaded", "rows_one_second"] {
        assert!(report[rows]["statements_per_1000"].as_f64().is_some_and(|value| value > 0.0), "{report}");
    }
}

/// By a simulated time, which does not last as long.
#[test]
fn a_long_spread_of_timers_is_measured() {
    timers(&["--spread", "16m"]);
}

#[test]
fn timers_that_tell_somebody_are_measured() {
    for sink in ["http", "batch", "stream"] {
        timers(&["--spread", "200ms", "--sink", sink]);
    }
    timers(&["--spread", "200ms", "--ids", "own"]);
}

#[test]
fn timers_through_the_api_are_measured() {
    timers(&["--spread", "200ms", "--via", "bulk", "--sink", "batch"]);
    timers(&["--spread", "200ms", "--via", "rest", "--sink", "http"]);
    let offline = Cli::offline();
    let refused = offline.run(&["bench", "timers", "--via", "bulk", "--count", "1000"]);
    assert!(refused.code != 0 && refused.stderr.contains("--sink"), "{}", refused.stderr);
}
