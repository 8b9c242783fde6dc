//! Runs seeds: many to find what is wrong, or one to see how it came.

use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;
use tidemill_sim::{Counts, Outcome, Tracing, run};

/// Runs allocate all the time.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

const HELP: &str = "\
Simulates a Tidemill cluster: real nodes, with simulated time, network and store. One seed decides everything.

    tidemill-sim [--seeds N] [--from N] [--threads N]   runs N seeds (300), beginning with the given one (1)
    tidemill-sim --seed N [--trace]                     runs one seed; with --trace, prints every step

Ends with 1 if a seed has failed. What a failure means and how faults are added stands in crates/sim/README.md.";

struct Options {
    from: u64,
    seeds: u64,
    threads: u64,
    only: Option<u64>,
    is_traced: bool,
}

fn main() -> ExitCode {
    let options = match options(std::env::args().skip(1)) {
        Ok(Some(options)) => options,
        Ok(None) => {
            println!("{HELP}");
            return ExitCode::SUCCESS;
        }
        Err(error) => {
            eprintln!("{error}\n\n{HELP}");
            return ExitCode::from(2);
        }
    };
    let began = Instant::now();
    let (runs, failed, totals) = match options.only {
        Some(seed) => {
            let outcome = run(seed, if options.is_traced { Tracing::Printed } else { Tracing::Hashed });
            tell(seed, &outcome);
            println!("trace hash {:016x}, {} ms simulated", outcome.trace_hash, outcome.simulated_ms);
            (1, u64::from(!outcome.violations.is_empty()), outcome.counts)
        }
        None => run_many(&options),
    };
    let Counts {
        commands,
        crashes,
        pauses,
        takeovers,
        timers,
        jobs,
        instances,
        panics,
        letters,
        deletions,
        ..
    } = totals;
    let seconds = began.elapsed().as_secs_f64();
    println!(
        "sim: {commands} commands, {instances} instances, {jobs} jobs, {timers} timers, {crashes} crashes, {pauses} pauses, \
         {panics} panics, {takeovers} take-overs, {letters} letters, {deletions} deletions in {seconds:.1} s ({:.1} seeds per second)",
        runs as f64 / seconds
    );
    println!("sim: {runs} seeds, {failed} failed");
    if failed == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn options(mut given: impl Iterator<Item = String>) -> Result<Option<Options>, String> {
    let threads = std::thread::available_parallelism().map_or(1, |count| count.get() as u64);
    let mut options = Options { from: 1, seeds: 300, threads, only: None, is_traced: false };
    while let Some(option) = given.next() {
        let mut number = || {
            let value = given.next().unwrap_or_default();
            value.parse::<u64>().map_err(|_| format!("Expected a number after {option}, but found '{value}'"))
        };
        match option.as_str() {
            "--help" | "-h" => return Ok(None),
            "--trace" => options.is_traced = true,
            "--seed" => options.only = Some(number()?),
            "--seeds" => options.seeds = number()?,
            "--from" => options.from = number()?,
            "--threads" => options.threads = number()?.max(1),
            other => return Err(format!("Expected an option that is known, but found '{other}'")),
        }
    }
    Ok(Some(options))
}

fn run_many(options: &Options) -> (u64, u64, Counts) {
    let (next, failed) = (AtomicU64::new(options.from), AtomicU64::new(0));
    let totals = Mutex::new(Counts::default());
    let end = options.from + options.seeds;
    std::thread::scope(|scope| {
        for _ in 0..options.threads {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= end {
                        return;
                    }
                    let outcome = run(seed, Tracing::Off);
                    failed.fetch_add(u64::from(!outcome.violations.is_empty()), Ordering::Relaxed);
                    let mut totals = totals.lock().expect("nobody panics while holding it");
                    totals.add(&outcome.counts);
                    tell(seed, &outcome);
                }
            });
        }
    });
    (options.seeds, failed.into_inner(), totals.into_inner().expect("nobody panics while holding it"))
}

/// Prints what was violated, and how to see it again.
fn tell(seed: u64, outcome: &Outcome) {
    if outcome.violations.is_empty() {
        return;
    }
    println!("seed {seed} has failed:");
    for violation in outcome.violations.iter().take(8) {
        println!("    {violation}");
    }
    if outcome.violations.len() > 8 {
        println!("    and {} more", outcome.violations.len() - 8);
    }
    println!("    replay: cargo run --profile sim -p tidemill-sim -- --seed {seed} --trace");
}
