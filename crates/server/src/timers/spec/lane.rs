//! Lanes: deliveries that wait for the same receiver. Those of one lane never hold up another.

use tidemill_timers::block::Scope;
use tidemill_timers::shard::{FIRST_KEPT_LANE, LANE_OF_COMMANDS, LANE_OF_NOBODY};

/// Lanes from here on are streams, the kept ones before are callbacks.
const FIRST_STREAM: u32 = 1 << 31;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LaneKind {
    Nobody,
    Commands,
    Callbacks,
    Stream,
}

pub fn lane_kind(lane: u32) -> LaneKind {
    match lane {
        LANE_OF_NOBODY => LaneKind::Nobody,
        LANE_OF_COMMANDS => LaneKind::Commands,
        FIRST_STREAM.. => LaneKind::Stream,
        _ => LaneKind::Callbacks,
    }
}

/// The stream of a namespace.
pub fn stream_lane(scope: &Scope) -> u32 {
    FIRST_STREAM | (hash(scope, "") & (FIRST_STREAM - 1))
}

/// The callbacks of a namespace to one host. Lanes are numbers of stored rows: the same host always has the same one. Should two
/// hosts share a number, they share the lane.
pub(super) fn callback_lane(scope: &Scope, origin: &str) -> u32 {
    FIRST_KEPT_LANE + hash(scope, origin) % (FIRST_STREAM - FIRST_KEPT_LANE)
}

fn hash(scope: &Scope, origin: &str) -> u32 {
    let name = [scope.tenant.as_bytes(), scope.namespace.as_bytes(), origin.as_bytes()].join(&0);
    (twox_hash::XxHash64::oneshot(0, &name) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lanes_tell_namespaces_hosts_and_kinds_apart() {
        let scope =
            |tenant: &str, namespace: &str| Scope { tenant: tenant.into(), namespace: namespace.into() };
        let (a, b) = (scope("t", "a"), scope("t", "b"));
        let lanes = [
            callback_lane(&a, "http://x"),
            callback_lane(&a, "http://y"),
            callback_lane(&b, "http://x"),
            callback_lane(&scope("ta", ""), "http://x"),
            stream_lane(&a),
            stream_lane(&b),
        ];
        let kinds = lanes.map(lane_kind);
        assert_eq!(kinds[..4], [LaneKind::Callbacks; 4]);
        assert_eq!(kinds[4..], [LaneKind::Stream; 2]);
        assert!((1..lanes.len()).all(|n| !lanes[..n].contains(&lanes[n])), "{lanes:?}");
        // Stored rows have these numbers.
        assert_eq!((lanes[0], lanes[4]), (747_650_795, 3_204_285_308));
    }
}
