//! The text that Prometheus reads: families with help and type, and a line per value.

use super::cell::{Counter, Histogram};
use super::family::Family;
use std::fmt::{Display, Write};

/// The unit of a histogram's values.
#[derive(Clone, Copy)]
pub(crate) enum Unit {
    /// Counted in microseconds, told in seconds.
    Seconds,
    Number,
}

#[derive(Default)]
pub(crate) struct Page(String);

impl Page {
    pub(crate) fn into_text(self) -> String {
        self.0
    }

    pub(crate) fn family(&mut self, name: &str, kind: &str, help: &str) {
        let _ = write!(self.0, "# HELP {name} {help}\n# TYPE {name} {kind}\n");
    }

    pub(crate) fn line(&mut self, name: &str, labels: &[(&str, &str)], value: impl Display) {
        self.0.push_str(name);
        for (number, (label, value)) in labels.iter().enumerate() {
            self.0.push(if number == 0 { '{' } else { ',' });
            let _ = write!(self.0, "{label}=\"");
            for letter in value.chars() {
                match letter {
                    '\\' => self.0.push_str("\\\\"),
                    '"' => self.0.push_str("\\\""),
                    '\n' => self.0.push_str("\\n"),
                    letter => self.0.push(letter),
                }
            }
            self.0.push('"');
        }
        if !labels.is_empty() {
            self.0.push('}');
        }
        let _ = writeln!(self.0, " {value}");
    }

    pub(crate) fn counter(&mut self, name: &str, help: &str, counter: &Counter) {
        self.family(name, "counter", help);
        self.line(name, &[], counter.get());
    }

    pub(crate) fn gauge(&mut self, name: &str, help: &str, value: impl Display) {
        self.family(name, "gauge", help);
        self.line(name, &[], value);
    }

    pub(crate) fn counters<const L: usize>(
        &mut self,
        name: &str,
        help: &str,
        labels: [&str; L],
        family: &Family<Counter, L>,
    ) {
        self.family(name, "counter", help);
        for (values, counter) in family.cells() {
            let pairs: Vec<_> = labels.iter().copied().zip(values.iter().map(|value| &**value)).collect();
            self.line(name, &pairs, counter.get());
        }
    }

    pub(crate) fn histograms<const L: usize, const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        labels: [&str; L],
        family: &Family<Histogram<N>, L>,
    ) where
        Histogram<N>: Default,
    {
        self.family(name, "histogram", help);
        for (values, histogram) in family.cells() {
            let pairs: Vec<_> = labels.iter().copied().zip(values.iter().map(|value| &**value)).collect();
            self.buckets(name, &pairs, &histogram, Unit::Seconds);
        }
    }

    pub(crate) fn histogram<const N: usize>(
        &mut self,
        name: &str,
        help: &str,
        histogram: &Histogram<N>,
        unit: Unit,
    ) {
        self.family(name, "histogram", help);
        self.buckets(name, &[], histogram, unit);
    }

    pub(crate) fn buckets<const N: usize>(
        &mut self,
        name: &str,
        labels: &[(&str, &str)],
        histogram: &Histogram<N>,
        unit: Unit,
    ) {
        let told = |value: u64| match unit {
            Unit::Seconds => value as f64 / 1e6,
            Unit::Number => value as f64,
        };
        let (buckets, count, sum) = histogram.read();
        let bucket_name = format!("{name}_bucket");
        for (bound, below) in buckets {
            let bound = told(bound).to_string();
            self.line(&bucket_name, &[labels, &[("le", &bound)]].concat(), below);
        }
        self.line(&bucket_name, &[labels, &[("le", "+Inf")]].concat(), count);
        self.line(&format!("{name}_sum"), labels, told(sum));
        self.line(&format!("{name}_count"), labels, count);
    }
}

#[cfg(test)]
mod tests {
    use super::super::cell::Times;
    use super::*;

    #[test]
    fn names_of_models_cannot_break_a_line() {
        let mut page = Page::default();
        page.line("x_total", &[("process", "a\"b\\c\nd"), ("state", "e")], 3);
        assert_eq!(page.into_text(), "x_total{process=\"a\\\"b\\\\c\\nd\",state=\"e\"} 3\n");
    }

    #[test]
    fn a_histogram_ends_with_all_values() {
        let times = Times::default();
        times.note(std::time::Duration::from_millis(3));
        let mut page = Page::default();
        page.histogram("t_seconds", "Times.", &times, Unit::Seconds);
        let text = page.into_text();
        assert!(text.starts_with("# HELP t_seconds Times.\n# TYPE t_seconds histogram\n"), "{text}");
        assert!(
            text.contains("t_seconds_bucket{le=\"0.0025\"} 0\nt_seconds_bucket{le=\"0.005\"} 1\n"),
            "{text}"
        );
        assert!(text.ends_with("le=\"+Inf\"} 1\nt_seconds_sum 0.003\nt_seconds_count 1\n"), "{text}");
    }
}
