//! The cost of the wheel and of the block codec in processor time of one core. Prints a line per case.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tidemill_timers::block::{self, Block, Entry, Flags, Scope};
use tidemill_timers::shard::{Commit, Config, Create, FIRST_KEPT_LANE, Mode, Request, Shard, Target};
use tidemill_timers::{Position, Wheel};

#[path = "../tests/shard/store.rs"]
#[allow(dead_code)]
mod store;

/// The processor time of this thread: other load on the machine does not count.
fn cpu() -> Duration {
    let used = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let ns = used.split(' ').next().and_then(|ns| ns.parse().ok());
    ns.map(Duration::from_nanos).unwrap_or_else(|| {
        static START: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
        START.get_or_init(Instant::now).elapsed()
    })
}

/// A fixed sequence of numbers that look random: each run measures the same.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0
    }
}

/// Fills the wheel with `pending`, then inserts and expires as many again.
fn wheel(name: &str, pending: usize, mut due_ms: impl FnMut(u64, &mut Numbers) -> i64, step_ms: f64) {
    let mut numbers = Numbers(42);
    let mut wheel: Wheel<u64> = Wheel::new(usize::MAX, |_| 0);
    let start = cpu();
    for key in 0..pending {
        wheel.insert(Position::new(due_ms(0, &mut numbers), key as i64), key as u64);
    }
    let filled = cpu() - start;
    let start = cpu();
    let (mut now, mut due, mut fired) = (0.0, Vec::new(), 0);
    for key in pending..2 * pending {
        wheel.insert(Position::new(due_ms(now as u64, &mut numbers), key as i64), key as u64);
        if key % 1_000 == 0 {
            now += step_ms * 1_000.0;
            wheel.take_due(now as i64, usize::MAX, &mut due);
            fired += due.len();
            due.clear();
        }
    }
    let steady = cpu() - start;
    let start = cpu();
    wheel.take_due(i64::MAX, usize::MAX, &mut due);
    assert_eq!(fired + due.len(), 2 * pending);
    let rate = |count: usize, time: Duration| count as f64 / time.as_secs_f64() / 1e6;
    println!(
        "wheel, {name}: fill {:.1} M/s; insert with {pending} pending and {fired} expired {:.1} M/s; \
         drain {:.1} M/s; all {:.2} M/s insert + expire",
        rate(pending, filled),
        rate(pending, steady),
        rate(due.len(), cpu() - start),
        rate(2 * pending, filled + steady + cpu() - start),
    );
}

/// The same with an ordered map of single timers, for comparison.
fn ordered_map(pending: usize) {
    let (mut numbers, mut map) = (Numbers(42), BTreeMap::new());
    let start = cpu();
    for key in 0..pending {
        map.insert(Position::new((numbers.next() % 10_000) as i64, key as i64), key as u64);
    }
    let mut sum = 0;
    while let Some((_, key)) = map.pop_first() {
        sum += key;
    }
    assert!(sum > 0);
    let rate = pending as f64 / (cpu() - start).as_secs_f64() / 1e6;
    println!("ordered map, random over 10 s: {rate:.2} M/s insert + expire");
}

/// Packs and unpacks a million timers in blocks of 4,096.
fn codec(payload_bytes: usize) {
    let (count, per_block, mut numbers) = (1 << 20, 4_096, Numbers(7));
    let scope = Arc::new(Scope { tenant: "acme".into(), namespace: "orders".into() });
    let mut entry = |key: i64| {
        let due_ms = 1_700_000_000_000 + (numbers.next() % 1_024) as i64;
        let payload: Vec<u8> = (0..payload_bytes).map(|_| numbers.next() as u8).collect();
        Entry {
            key,
            due_ms,
            scheduled_ms: due_ms,
            generation: 0,
            attempt: 0,
            target: 3,
            flags: Flags::default(),
            scope: scope.clone(),
            place: None,
            payload: payload.into(),
        }
    };
    let blocks: Vec<Block> = (0..count / per_block)
        .map(|n| Block::Entries((n * per_block..(n + 1) * per_block).map(&mut entry).collect()))
        .collect();
    let start = cpu();
    let packed: Vec<Vec<u8>> =
        blocks.into_iter().map(|mut block| block::encode(&mut block).expect("within the limits")).collect();
    let (encoded, start) = (cpu() - start, cpu());
    let entries: usize = packed.iter().map(|bytes| block::decode(bytes).expect("just written").len()).sum();
    let decoded = cpu() - start;
    assert_eq!(entries as i64, count);
    let bytes: usize = packed.iter().map(Vec::len).sum();
    println!(
        "codec, {count} timers with {payload_bytes} bytes of payload: encode {:.3} s, decode {:.3} s, {:.1} bytes each",
        encoded.as_secs_f64(),
        decoded.as_secs_f64(),
        bytes as f64 / count as f64,
    );
}

/// One round of the driver: reads, a batch, its commit. The store's own time is not counted.
fn round(shard: &mut Shard, store: &mut store::Store, now_ms: i64, stored: &mut Duration) -> usize {
    for (id, need) in shard.needs(now_ms) {
        let start = cpu();
        let supply = store.read(need);
        *stored += cpu() - start;
        shard.supply(id, supply, now_ms).expect("no block is damaged");
    }
    let Some(batch) = shard.close(now_ms) else { return 0 };
    let start = cpu();
    assert_eq!(store.commit(&batch), Commit::Written);
    *stored += cpu() - start;
    shard.landed(Commit::Written);
    batch.deliveries.iter().map(|row| row.count as usize).sum()
}

/// Creates timers in batches of 10,000, each a little later, until all have fired.
fn service_timers(name: &str, count: usize, spread_ms: i64) {
    let mut shard = Shard::new(Config::default());
    let mut store = store::Store { page_places: 1_000, ..Default::default() };
    let scope = Arc::new(Scope { tenant: "acme".into(), namespace: "orders".into() });
    let target = Target { lane: FIRST_KEPT_LANE, data: Arc::from(&b"https://example.org/"[..]) };
    let (mut now_ms, mut numbers, mut stored) = (1_700_000_000_000, Numbers(3), Duration::ZERO);
    let (mut fired, start) = (0, cpu());
    for _ in 0..10 {
        round(&mut shard, &mut store, now_ms, &mut stored);
    }
    for batch in 0..count as u64 / 10_000 {
        for n in 0..10_000 {
            let due_ms = now_ms + 1 + (numbers.next() % spread_ms as u64) as i64;
            let (scope, target) = (scope.clone(), target.clone());
            let (flags, payload) = (Flags::default(), Box::default());
            let create = Create {
                own_id: None,
                mode: Mode::Fail,
                scope,
                due_ms,
                scheduled_ms: None,
                target,
                flags,
                payload,
            };
            shard.offer(batch * 10_000 + n, Request::Create(create)).expect("there is room");
        }
        now_ms += spread_ms * 10_000 / count as i64;
        fired += round(&mut shard, &mut store, now_ms, &mut stored);
    }
    while fired < count {
        now_ms += spread_ms / 1_000;
        fired += round(&mut shard, &mut store, now_ms, &mut stored);
    }
    let used = (cpu() - start - stored).as_secs_f64();
    println!(
        "shard, {count} timers {name}: created, packed and fired in {used:.2} s, {:.2} M/s",
        count as f64 / used / 1e6
    );
}

fn main() {
    service_timers("over 10 s", 1_000_000, 10_000);
    service_timers("over a day", 1_000_000, 86_400_000);
    codec(0);
    codec(200);
    let pending = 10_000_000;
    let spread = |spread_ms: u64| move |now: u64, n: &mut Numbers| (now + n.next() % spread_ms) as i64;
    ordered_map(pending);
    wheel("random over 10 s", pending, spread(10_000), 10_000.0 / pending as f64 / 2.0);
    wheel("random over a day", pending, spread(86_400_000), 86_400_000.0 / pending as f64 / 2.0);
    wheel("always 10 s ahead", pending, |now, _| now as i64 + 10_000, 10_000.0 / pending as f64);
    wheel("all in one millisecond", pending, |_, _| 10_000, 0.0);
}
