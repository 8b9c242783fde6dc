//! Limits on the commands that a tenant may send: one token bucket each.

use governor::clock::{Clock, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use std::num::NonZeroU32;
use std::time::Duration;
use tidemill_model::TenantId;

/// None where tenants may send what they like.
pub(super) struct Rates(Option<DefaultKeyedRateLimiter<TenantId>>);

impl Rates {
    pub(super) fn new(commands_per_second: Option<NonZeroU32>) -> Rates {
        Rates(commands_per_second.map(|rate| RateLimiter::keyed(Quota::per_second(rate))))
    }

    /// Or the time after which the next command may come.
    pub(super) fn admit(&self, tenant: &TenantId) -> Result<(), Duration> {
        let Some(limiter) = &self.0 else { return Ok(()) };
        limiter.check_key(tenant).map_err(|denied| denied.wait_time_from(DefaultClock::default().now()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tenant_over_its_rate_waits_alone() {
        let rates = Rates::new(NonZeroU32::new(2));
        let (greedy, modest) = (TenantId("a".into()), TenantId("b".into()));
        assert!(rates.admit(&greedy).is_ok() && rates.admit(&greedy).is_ok());
        assert!(rates.admit(&greedy).is_err_and(|wait| wait <= Duration::from_secs(1)));
        assert!(rates.admit(&modest).is_ok());
        assert!((0..100).all(|_| Rates::new(None).admit(&greedy).is_ok()));
    }
}
