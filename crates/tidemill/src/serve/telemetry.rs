//! Where traces and metrics go over OTLP: from --otlp-endpoint and the variables that OpenTelemetry names.

use anyhow::{Context, Result, bail};
use std::time::Duration;
use tidemill_server::{Sampler, TelemetryConfig};

/// Reads a variable; an empty one counts as absent, as OpenTelemetry wants it.
type Variables<'a> = &'a dyn Fn(&str) -> Option<String>;

/// None where nothing is to be exported. `endpoint` goes before the variables.
pub(super) fn config(endpoint: Option<&str>, address: &str) -> Result<Option<TelemetryConfig>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    read(endpoint, address, &variable)
}

fn read(endpoint: Option<&str>, address: &str, variable: Variables<'_>) -> Result<Option<TelemetryConfig>> {
    if variable("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true")) {
        return Ok(None);
    }
    let base = endpoint.map(str::to_owned).or_else(|| variable("OTEL_EXPORTER_OTLP_ENDPOINT"));
    let traces = signal(base.as_deref(), "traces", "TRACES", variable)?;
    let metrics = signal(base.as_deref(), "metrics", "METRICS", variable)?;
    if traces.is_none() && metrics.is_none() {
        return Ok(None);
    }
    if variable("OTEL_EXPORTER_OTLP_PROTOCOL").is_some_and(|protocol| protocol == "grpc") {
        bail!(
            "OTEL_EXPORTER_OTLP_PROTOCOL asks for grpc, but traces and metrics are sent over HTTP with JSON. Give the HTTP \
             port of the collector, usually 4318, and set http/json"
        );
    }
    let name = variable("OTEL_TRACES_SAMPLER").unwrap_or_else(|| "parentbased_always_on".to_owned());
    let sampler =
        Sampler::named(&name, variable("OTEL_TRACES_SAMPLER_ARG").as_deref()).with_context(|| {
            format!("OTEL_TRACES_SAMPLER is {name}, which is no sampler, or its argument is no ratio")
        })?;
    Ok(Some(TelemetryConfig {
        traces,
        metrics,
        headers: pairs(&variable("OTEL_EXPORTER_OTLP_HEADERS").unwrap_or_default()),
        resource: resource(address, variable),
        sampler,
        traces_every: millis("OTEL_BSP_SCHEDULE_DELAY", 5_000, variable)?,
        metrics_every: millis("OTEL_METRIC_EXPORT_INTERVAL", 60_000, variable)?,
        timeout: millis("OTEL_EXPORTER_OTLP_TIMEOUT", 10_000, variable)?,
    }))
}

/// The full address for one kind of signal.
fn signal(base: Option<&str>, path: &str, name: &str, variable: Variables<'_>) -> Result<Option<String>> {
    if variable(&format!("OTEL_{name}_EXPORTER")).is_some_and(|exporter| exporter == "none") {
        return Ok(None);
    }
    let own = variable(&format!("OTEL_EXPORTER_OTLP_{name}_ENDPOINT"));
    let of_base = || base.map(|base| format!("{}/v1/{path}", base.trim_end_matches('/')));
    let Some(address) = own.or_else(of_base) else { return Ok(None) };
    if !address.starts_with("http://") {
        bail!(
            "traces and metrics go to a collector over plain http, but its address is {address}. Write http://HOST:4318, \
             and let a collector on this machine or network send them on"
        );
    }
    Ok(Some(address))
}

/// The name of this process. A name that the operator gives goes before our own.
fn resource(address: &str, variable: Variables<'_>) -> Vec<(String, String)> {
    let mut named = pairs(&variable("OTEL_RESOURCE_ATTRIBUTES").unwrap_or_default());
    if let Some(service) = variable("OTEL_SERVICE_NAME") {
        named.retain(|(name, _)| name != "service.name");
        named.push(("service.name".to_owned(), service));
    }
    let own = [
        ("service.name", "tidemill"),
        ("service.version", env!("CARGO_PKG_VERSION")),
        ("service.instance.id", address),
    ];
    for (name, value) in own {
        if !named.iter().any(|(given, _)| given == name) {
            named.push((name.to_owned(), value.to_owned()));
        }
    }
    named
}

/// `name=value,name=value`, with values as in a URL.
fn pairs(text: &str) -> Vec<(String, String)> {
    let pairs = text.split(',').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.trim().to_owned(), decoded(value.trim()))).collect()
}

/// Values may hold commas and blanks as %2C and %20.
fn decoded(value: &str) -> String {
    let mut bytes = Vec::with_capacity(value.len());
    let mut rest = value.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let code = after.get(..2).filter(|_| *first == b'%').and_then(|code| std::str::from_utf8(code).ok());
        match code.and_then(|code| u8::from_str_radix(code, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn millis(name: &str, default: u64, variable: Variables<'_>) -> Result<Duration> {
    let Some(value) = variable(name) else { return Ok(Duration::from_millis(default)) };
    let millis: u64 = value.trim().parse().ok().filter(|millis| *millis > 0).with_context(|| {
        format!("{name} is '{value}', but must be a number of milliseconds such as {default}")
    })?;
    Ok(Duration::from_millis(millis))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with(endpoint: Option<&str>, given: &[(&str, &str)]) -> Result<Option<TelemetryConfig>> {
        let variable =
            |name: &str| given.iter().find(|(given, _)| *given == name).map(|(_, value)| (*value).to_owned());
        read(endpoint, "127.0.0.1:8080", &variable)
    }

    #[test]
    fn nothing_is_exported_unless_it_is_asked_for() {
        assert_eq!(with(None, &[]).expect("fine"), None);
        assert_eq!(with(Some("http://c:4318"), &[("OTEL_SDK_DISABLED", "true")]).expect("fine"), None);
    }

    #[test]
    fn the_flag_goes_before_the_variable_and_signals_have_their_own_addresses() {
        let given = [
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://other:1"),
            ("OTEL_EXPORTER_OTLP_METRICS_ENDPOINT", "http://m:2/in"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "key=a%20b%2Cc, x=y"),
            ("OTEL_RESOURCE_ATTRIBUTES", "service.name=a,deployment.environment=test"),
            ("OTEL_SERVICE_NAME", "orders"),
            ("OTEL_METRIC_EXPORT_INTERVAL", "500"),
        ];
        let config = with(Some("http://c:4318/"), &given).expect("fine").expect("on");
        assert_eq!(config.traces.as_deref(), Some("http://c:4318/v1/traces"));
        assert_eq!(config.metrics.as_deref(), Some("http://m:2/in"));
        let owned = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
            pairs.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
        };
        assert_eq!(config.headers, owned(&[("key", "a b,c"), ("x", "y")]));
        let names = owned(&[("deployment.environment", "test"), ("service.name", "orders")]);
        assert_eq!(config.resource[..2], names);
        assert!(config.resource.contains(&("service.instance.id".to_owned(), "127.0.0.1:8080".to_owned())));
        assert_eq!(config.metrics_every, Duration::from_millis(500));
        let only_metrics = with(Some("http://c:4318"), &[("OTEL_TRACES_EXPORTER", "none")]);
        assert_eq!(only_metrics.expect("fine").expect("on").traces, None);
    }

    #[test]
    fn what_cannot_be_done_is_refused_with_a_remedy() {
        let refusal = |endpoint, given| with(Some(endpoint), given).expect_err("refused").to_string();
        assert!(refusal("https://c", &[]).contains("plain http"));
        assert!(refusal("http://c", &[("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")]).contains("4318"));
        assert!(refusal("http://c", &[("OTEL_TRACES_SAMPLER", "now_and_then")]).contains("sampler"));
        assert!(refusal("http://c", &[("OTEL_BSP_SCHEDULE_DELAY", "soon")]).contains("milliseconds"));
    }
}
