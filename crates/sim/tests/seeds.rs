//! Seeds that run with every change. More of them: see the README.

use std::sync::atomic::{AtomicU64, Ordering};
use tidemill_sim::{Tracing, run};

fn seeds() -> u64 {
    if std::env::var_os("TIDEMILL_TEST_FULL").is_some() { 2_000 } else { 300 }
}

#[test]
fn a_seed_is_the_same_run_every_time() {
    let (first, second) = (run(7, Tracing::Hashed), run(7, Tracing::Hashed));
    assert_eq!(first.trace_hash, second.trace_hash);
    assert_ne!(first.trace_hash, run(8, Tracing::Hashed).trace_hash);
}

#[test]
fn a_run_is_rough() {
    let counts = run(11, Tracing::Off).counts;
    assert!(counts.commands >= 200, "{counts:?}");
    assert!(counts.crashes + counts.pauses >= 2 && counts.takeovers >= 1, "{counts:?}");
}

#[test]
fn nothing_is_lost_and_nothing_happens_twice() {
    let (next, seeds) = (AtomicU64::new(1), seeds());
    let failed = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2)
            .map(|_| {
                scope.spawn(|| {
                    let mut failed = Vec::new();
                    loop {
                        let seed = next.fetch_add(1, Ordering::Relaxed);
                        if seed > seeds {
                            return failed;
                        }
                        let violations = run(seed, Tracing::Off).violations;
                        if !violations.is_empty() {
                            failed.push(format!("seed {seed}: {violations:#?}"));
                        }
                    }
                })
            })
            .collect();
        threads
            .into_iter()
            .flat_map(|thread| thread.join().expect("a run does not panic"))
            .collect::<Vec<_>>()
    });
    let again = "replay with: cargo run --profile sim -p tidemill-sim -- --seed N --trace";
    assert!(failed.is_empty(), "{} seeds have failed; {again}\n{}", failed.len(), failed.join("\n"));
}
