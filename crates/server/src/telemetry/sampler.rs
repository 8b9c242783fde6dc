//! Decides which traces are recorded, by the names that OpenTelemetry gives to samplers.

#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Sampler {
    /// Whether the decision of the caller counts, where there is one.
    heeds_parent: bool,
    /// The part of all other traces, from 0 to 1.
    ratio: f64,
}

impl Default for Sampler {
    fn default() -> Sampler {
        Sampler { heeds_parent: true, ratio: 1.0 }
    }
}

impl Sampler {
    /// As in OTEL_TRACES_SAMPLER and OTEL_TRACES_SAMPLER_ARG. None for an unknown name or a ratio that is none.
    pub fn named(name: &str, argument: Option<&str>) -> Option<Sampler> {
        let (heeds_parent, kind) = match name.strip_prefix("parentbased_") {
            Some(kind) => (true, kind),
            None => (false, name),
        };
        let ratio = match kind {
            "always_on" => 1.0,
            "always_off" => 0.0,
            "traceidratio" => argument.unwrap_or("1").parse().ok()?,
            _ => return None,
        };
        (0.0..=1.0).contains(&ratio).then_some(Sampler { heeds_parent, ratio })
    }

    /// By the id of the trace, so that all nodes decide alike.
    pub(crate) fn takes(self, parent_is_sampled: Option<bool>, trace_id: u128) -> bool {
        match parent_is_sampled {
            Some(is_sampled) if self.heeds_parent => is_sampled,
            _ => self.ratio >= 1.0 || ((trace_id as u64 >> 1) as f64) < self.ratio * (u64::MAX >> 1) as f64,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ratio_takes_about_that_part_and_a_parent_decides() {
        let sampler = Sampler::named("parentbased_traceidratio", Some("0.25")).expect("known");
        let ids =
            (0..10_000u128).map(|number| number.wrapping_mul(0x9e37_79b9_7f4a_7c15_f39c_c060_5ced_c835));
        let taken = ids.filter(|id| sampler.takes(None, *id)).count();
        assert!((2_000..3_000).contains(&taken), "{taken}");
        assert!(sampler.takes(Some(true), u128::MAX) && !sampler.takes(Some(false), 0));
        let all = Sampler::named("always_on", None).expect("known");
        assert!(all.takes(Some(false), u128::MAX));
        assert!(!Sampler::named("always_off", None).expect("known").takes(Some(true), 0));
        assert_eq!(Sampler::named("sometimes", None), None);
        assert_eq!(Sampler::named("traceidratio", Some("2")), None);
    }
}
