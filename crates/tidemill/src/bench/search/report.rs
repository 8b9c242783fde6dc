//! The figures of `bench search`: a table for people, JSON for programs.

use super::questions::Answered;
use crate::output::print_rows;
use serde::Serialize;

#[derive(Serialize)]
pub(super) struct Report {
    /// Ended instances.
    small: u64,
    large: u64,
    searches: Vec<Row>,
    /// The highest ratio of two p50s.
    worst_ratio: f64,
}

#[derive(Serialize)]
pub(super) struct Row {
    name: &'static str,
    small_p50_ms: f64,
    small_p99_ms: f64,
    large_p50_ms: f64,
    large_p99_ms: f64,
    /// Of the p50s: large to small.
    ratio: f64,
}

impl Row {
    pub(super) fn of(small: Answered, large: Answered) -> Row {
        let (small_p50_ms, large_p50_ms) = (small.percentile_ms(50), large.percentile_ms(50));
        Row {
            name: small.name,
            small_p50_ms,
            small_p99_ms: small.percentile_ms(99),
            large_p50_ms,
            large_p99_ms: large.percentile_ms(99),
            ratio: large_p50_ms / small_p50_ms,
        }
    }
}

impl Report {
    pub(super) fn new(small: u64, large: u64, searches: Vec<Row>) -> Report {
        let worst_ratio = searches.iter().map(|row| row.ratio).fold(0.0, f64::max);
        Report { small, large, searches, worst_ratio }
    }

    pub(super) fn print(&self) {
        let ms = |value: f64| format!("{value:.2} ms");
        let rows = self.searches.iter().map(|row| {
            let times = [row.small_p50_ms, row.small_p99_ms, row.large_p50_ms, row.large_p99_ms];
            let cells = [row.name.to_owned()].into_iter().chain(times.map(ms));
            cells.chain([format!("{:.2}", row.ratio)]).collect()
        });
        let (small, large) = (self.small, self.large);
        let heads = [
            format!("p50 of {small}"),
            format!("p99 of {small}"),
            format!("p50 of {large}"),
            format!("p99 of {large}"),
        ];
        let heads = ["SEARCH"].into_iter().chain(heads.iter().map(String::as_str)).chain(["RATIO"]);
        print_rows(heads, rows);
        println!("worst ratio of the p50s: {:.2}", self.worst_ratio);
    }
}
