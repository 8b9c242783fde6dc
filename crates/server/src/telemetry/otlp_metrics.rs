//! Metrics as an OTLP document, made from the page that Prometheus reads: so both show the same values under the same names.

use super::otlp_traces::{attributes, scope};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Values are counted from the start of the server.
const CUMULATIVE: u8 = 2;

/// A family of the page.
struct Family<'a> {
    name: &'a str,
    help: &'a str,
    kind: &'a str,
    lines: Vec<Line<'a>>,
}

struct Line<'a> {
    name: &'a str,
    labels: Vec<(String, String)>,
    value: &'a str,
}

/// The moments between which values were counted, in nanoseconds since 1970.
#[derive(Clone, Copy)]
pub(super) struct Span {
    pub(super) from: u64,
    pub(super) to: u64,
}

pub(super) fn document(resource: &[(String, String)], page: &str, span: Span) -> Value {
    let metrics: Vec<Value> = families(page).iter().filter_map(|family| metric(family, span)).collect();
    json!({"resourceMetrics": [{
        "resource": {"attributes": attributes(resource)},
        "scopeMetrics": [{"scope": scope(), "metrics": metrics}],
    }]})
}

fn families(page: &str) -> Vec<Family<'_>> {
    let mut families: Vec<Family<'_>> = Vec::new();
    for line in page.lines() {
        if let Some(rest) = line.strip_prefix("# HELP ") {
            let (name, help) = rest.split_once(' ').unwrap_or((rest, ""));
            families.push(Family { name, help, kind: "", lines: Vec::new() });
        } else if let Some(rest) = line.strip_prefix("# TYPE ") {
            if let (Some(family), Some((_, kind))) = (families.last_mut(), rest.split_once(' ')) {
                family.kind = kind;
            }
        } else if let (Some(family), Some(line)) = (families.last_mut(), read(line)) {
            family.lines.push(line);
        }
    }
    families
}

fn read(line: &str) -> Option<Line<'_>> {
    let (head, value) = line.rsplit_once(' ')?;
    let Some((name, labels)) = head.split_once('{') else {
        return Some(Line { name: head, labels: Vec::new(), value });
    };
    Some(Line { name, labels: read_labels(labels.strip_suffix('}')?)?, value })
}

/// Values may hold any letter, with `"`, `\` and line ends behind a backslash.
fn read_labels(text: &str) -> Option<Vec<(String, String)>> {
    let (mut labels, mut letters) = (Vec::new(), text.chars());
    loop {
        let name: String = letters.by_ref().take_while(|letter| *letter != '=').collect();
        if name.is_empty() {
            return Some(labels);
        }
        letters.next().filter(|letter| *letter == '"')?;
        let mut value = String::new();
        loop {
            match letters.next()? {
                '"' => break,
                '\\' => value.push(match letters.next()? {
                    'n' => '\n',
                    other => other,
                }),
                letter => value.push(letter),
            }
        }
        labels.push((name, value));
        // The comma before the next one.
        letters.next();
    }
}

fn metric(family: &Family<'_>, span: Span) -> Option<Value> {
    let mut metric = json!({"name": family.name, "description": family.help});
    match family.kind {
        "counter" => {
            metric["sum"] = json!({
                "dataPoints": numbers(family, span),
                "aggregationTemporality": CUMULATIVE,
                "isMonotonic": true,
            });
        }
        "histogram" => {
            let points = histograms(family, span);
            metric["histogram"] = json!({"dataPoints": points, "aggregationTemporality": CUMULATIVE});
        }
        "summary" => metric["summary"] = json!({"dataPoints": summaries(family, span)}),
        _ => metric["gauge"] = json!({"dataPoints": numbers(family, span)}),
    }
    (!family.lines.is_empty()).then_some(metric)
}

fn point(labels: &[(String, String)], span: Span) -> Value {
    json!({
        "attributes": attributes(labels),
        "startTimeUnixNano": span.from.to_string(),
        "timeUnixNano": span.to.to_string(),
    })
}

fn number(text: &str) -> f64 {
    text.parse().unwrap_or_default()
}

fn numbers(family: &Family<'_>, span: Span) -> Vec<Value> {
    let points = family.lines.iter().map(|line| {
        let mut point = point(&line.labels, span);
        point["asDouble"] = number(line.value).into();
        point
    });
    points.collect()
}

/// Lines of one set of labels, `le` apart.
fn grouped<'f, 'a>(family: &'f Family<'a>) -> BTreeMap<Vec<(String, String)>, Vec<&'f Line<'a>>> {
    let mut groups: BTreeMap<_, Vec<_>> = BTreeMap::new();
    for line in &family.lines {
        let labels: Vec<_> = line.labels.iter().filter(|(name, _)| name != "le").cloned().collect();
        groups.entry(labels).or_default().push(line);
    }
    groups
}

fn ending<'f, 'a>(lines: &'f [&'f Line<'a>], suffix: &str) -> Option<&'f str> {
    lines.iter().find(|line| line.name.ends_with(suffix)).map(|line| line.value)
}

fn histograms(family: &Family<'_>, span: Span) -> Vec<Value> {
    let points = grouped(family).into_iter().map(|(labels, lines)| {
        let (mut bounds, mut counts, mut before) = (Vec::new(), Vec::new(), 0.0);
        for line in lines.iter().filter(|line| line.name.ends_with("_bucket")) {
            let bound = line.labels.iter().find(|(name, _)| name == "le").map_or("", |(_, value)| value);
            if bound != "+Inf" {
                bounds.push(number(bound));
            }
            // Prometheus counts what lies at or below a bound, OTLP what lies between two.
            let below = number(line.value);
            counts.push(((below - before).max(0.0) as u64).to_string());
            before = below;
        }
        let mut point = point(&labels, span);
        point["count"] = ending(&lines, "_count").unwrap_or("0").into();
        point["sum"] = number(ending(&lines, "_sum").unwrap_or("0")).into();
        point["explicitBounds"] = bounds.into();
        point["bucketCounts"] = counts.into();
        point
    });
    points.collect()
}

fn summaries(family: &Family<'_>, span: Span) -> Vec<Value> {
    let points = grouped(family).into_iter().map(|(labels, lines)| {
        let mut point = point(&labels, span);
        point["count"] = ending(&lines, "_count").unwrap_or("0").into();
        point["sum"] = number(ending(&lines, "_sum").unwrap_or("0")).into();
        point
    });
    points.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAGE: &str = "# HELP a_total Counted.\n# TYPE a_total counter\na_total{process=\"x\\\"y,z\",state=\"s\"} 3\n\
        # HELP g Measured.\n# TYPE g gauge\ng 0.5\n\
        # HELP t_seconds Times.\n# TYPE t_seconds histogram\nt_seconds_bucket{stage=\"run\",le=\"0.1\"} 2\n\
        t_seconds_bucket{stage=\"run\",le=\"+Inf\"} 5\nt_seconds_sum{stage=\"run\"} 1.5\nt_seconds_count{stage=\"run\"} 5\n\
        # HELP s_seconds Statements.\n# TYPE s_seconds summary\ns_seconds_sum 2\ns_seconds_count 4\n";

    #[test]
    fn every_kind_of_value_is_told() {
        let document = document(&[], PAGE, Span { from: 1, to: 2 });
        let metrics = &document["resourceMetrics"][0]["scopeMetrics"][0]["metrics"];
        let sum = &metrics[0]["sum"];
        assert_eq!((&sum["isMonotonic"], &sum["aggregationTemporality"]), (&json!(true), &json!(2)));
        let point = &sum["dataPoints"][0];
        assert_eq!(point["asDouble"], 3.0);
        assert_eq!(point["attributes"][0], json!({"key": "process", "value": {"stringValue": "x\"y,z"}}));
        assert_eq!(point["attributes"][1]["key"], "state");
        assert_eq!((&point["startTimeUnixNano"], &point["timeUnixNano"]), (&json!("1"), &json!("2")));
        assert_eq!(metrics[1]["gauge"]["dataPoints"][0]["asDouble"], 0.5);
        let point = &metrics[2]["histogram"]["dataPoints"][0];
        assert_eq!((&point["bucketCounts"], &point["explicitBounds"]), (&json!(["2", "3"]), &json!([0.1])));
        assert_eq!((&point["count"], &point["sum"]), (&json!("5"), &json!(1.5)));
        assert_eq!(metrics[3]["summary"]["dataPoints"][0]["count"], "4");
    }
}
