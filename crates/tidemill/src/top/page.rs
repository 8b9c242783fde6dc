//! A page of metrics as it was read: values by name and labels.

use std::collections::BTreeMap;
use std::time::Instant;

/// The labels of a value, by their names.
pub(super) type Labels = BTreeMap<String, String>;

pub(super) struct MetricsPage {
    pub(super) read_at: Instant,
    values: BTreeMap<String, Vec<(Labels, f64)>>,
}

impl MetricsPage {
    /// Lines that are no values are left out.
    pub(super) fn parse(text: &str) -> MetricsPage {
        let mut values: BTreeMap<String, Vec<(Labels, f64)>> = BTreeMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            if let Some((name, labels, value)) = parse_line(line) {
                values.entry(name.to_owned()).or_default().push((labels, value));
            }
        }
        MetricsPage { read_at: Instant::now(), values }
    }

    pub(super) fn all(&self, name: &str) -> &[(Labels, f64)] {
        self.values.get(name).map_or(&[], Vec::as_slice)
    }

    /// The sum over all labels.
    pub(super) fn sum(&self, name: &str) -> f64 {
        self.sum_where(name, |_| true)
    }

    pub(super) fn sum_where(&self, name: &str, counts: impl Fn(&Labels) -> bool) -> f64 {
        self.all(name).iter().filter(|(labels, _)| counts(labels)).map(|(_, value)| value).sum()
    }

    pub(super) fn max(&self, name: &str) -> f64 {
        self.all(name).iter().map(|(_, value)| *value).fold(0.0, f64::max)
    }

    /// Sums by one label.
    pub(super) fn by(&self, name: &str, label: &str) -> BTreeMap<String, f64> {
        let mut sums = BTreeMap::new();
        for (labels, value) in self.all(name) {
            if let Some(label) = labels.get(label) {
                *sums.entry(label.clone()).or_default() += value;
            }
        }
        sums
    }
}

fn parse_line(line: &str) -> Option<(&str, Labels, f64)> {
    let name_end = line.find(['{', ' '])?;
    let (name, rest) = line.split_at(name_end);
    let (labels, value) = match rest.strip_prefix('{') {
        Some(rest) => parse_labels(rest)?,
        None => (Labels::new(), rest),
    };
    Some((name, labels, value.trim().parse().ok()?))
}

/// The text between the brackets, and the rest of the line.
fn parse_labels(text: &str) -> Option<(Labels, &str)> {
    let (mut labels, mut rest) = (Labels::new(), text);
    while !rest.starts_with('}') {
        let (name, after) = rest.trim_start_matches(',').split_once("=\"")?;
        let mut value = String::new();
        let mut letters = after.char_indices();
        let end = loop {
            match letters.next()? {
                (at, '"') => break at,
                (_, '\\') => match letters.next()?.1 {
                    'n' => value.push('\n'),
                    letter => value.push(letter),
                },
                (_, letter) => value.push(letter),
            }
        };
        labels.insert(name.to_owned(), value);
        rest = &after[end + 1..];
    }
    Some((labels, &rest[1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_name_and_label() {
        let page = MetricsPage::parse(
            "# HELP a_total Things.\n# TYPE a_total counter\na_total{x=\"1\",y=\"a \\\"b\\\\\"} 3\na_total{x=\"2\",y=\"c\"} 4\nb 1.5\nbroken\n",
        );
        assert_eq!(page.sum("a_total"), 7.0);
        assert_eq!(page.sum_where("a_total", |labels| labels["x"] == "2"), 4.0);
        assert_eq!(page.by("a_total", "y"), BTreeMap::from([("a \"b\\".into(), 3.0), ("c".into(), 4.0)]));
        assert_eq!((page.sum("b"), page.sum("absent")), (1.5, 0.0));
    }
}
