//! The cost of the engine itself, without store and network: instances from their creation to their end, and
//! deployments.

mod machine;

use criterion::{BatchSize, Criterion, Throughput, criterion_group, criterion_main};
use machine::{Machine, variables};
use tidemill_model::Variables;

fn instances(criterion: &mut Criterion) {
    let mut machine = Machine::new();
    machine.deploy(&machine::one_task());
    machine.deploy(&machine::ten_tasks());
    let (order, paid) = (variables(r#"{"amount":11,"customer":"ann"}"#), variables(r#"{"paid":true}"#));
    for (name, process_id) in [("one task", "one"), ("ten tasks", "ten")] {
        criterion.bench_function(name, |bencher| {
            bencher.iter(|| {
                machine.start(process_id, order.clone());
                machine.work(&paid);
            });
        });
    }
    assert_eq!(machine.rows(), 0, "all instances have ended");
}

fn deployment(criterion: &mut Criterion) {
    let xml = machine::hundred_elements();
    criterion.bench_function("deploy 100 elements", |bencher| {
        bencher.iter_batched(
            Machine::new,
            |mut machine| {
                machine.deploy_xml(&xml);
                machine
            },
            BatchSize::SmallInput,
        );
    });
}

/// The cost per child must not grow with their number.
fn fan_out(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("multi-instance");
    group.sample_size(10);
    let mut machine = Machine::new();
    machine.deploy(&machine::fan_out());
    for count in [1_000, 10_000, 100_000] {
        let items: Variables = machine::items(count);
        group.throughput(Throughput::Elements(count as u64));
        group.bench_function(format!("{count} children"), |bencher| {
            bencher.iter(|| machine.start("fan", items.clone()));
        });
    }
    group.finish();
    assert_eq!(machine.rows(), 0, "all instances have ended");
}

criterion_group!(benches, instances, deployment, fan_out);
criterion_main!(benches);
