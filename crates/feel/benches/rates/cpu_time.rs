//! Time that this thread spent on a processor, as a measure for criterion.

use criterion::Throughput;
use criterion::measurement::{Measurement, ValueFormatter, WallTime};
use std::time::Duration;

pub(crate) struct CpuTime;

impl Measurement for CpuTime {
    type Intermediate = Duration;
    type Value = Duration;

    fn start(&self) -> Duration {
        on_cpu()
    }

    fn end(&self, start: Duration) -> Duration {
        // The kernel may not have counted the last tick of a very short run yet.
        on_cpu().saturating_sub(start).max(Duration::from_nanos(1))
    }

    fn add(&self, left: &Duration, right: &Duration) -> Duration {
        *left + *right
    }

    fn zero(&self) -> Duration {
        Duration::ZERO
    }

    fn to_f64(&self, value: &Duration) -> f64 {
        value.as_nanos() as f64
    }

    fn formatter(&self) -> &dyn ValueFormatter {
        &Nanoseconds
    }
}

/// The scheduler's own account of this thread; where there is none, the time on the wall.
fn on_cpu() -> Duration {
    let account = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanos = account.split(' ').next().and_then(|field| field.parse().ok());
    nanos.map_or_else(|| WallTime.start().elapsed(), Duration::from_nanos)
}

struct Nanoseconds;

impl ValueFormatter for Nanoseconds {
    fn scale_values(&self, _typical: f64, _values: &mut [f64]) -> &'static str {
        "ns"
    }

    fn scale_throughputs(&self, _typical: f64, throughput: &Throughput, values: &mut [f64]) -> &'static str {
        let elements = match throughput {
            Throughput::Elements(elements) => *elements as f64,
            _ => 1.0,
        };
        for value in values {
            *value = elements * 1e9 / *value;
        }
        "/s"
    }

    fn scale_for_machines(&self, _values: &mut [f64]) -> &'static str {
        "ns"
    }
}
