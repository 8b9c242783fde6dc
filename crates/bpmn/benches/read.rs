//! Reading a model of about a hundred elements, FEEL included: what a deployment waits for.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use std::hint::black_box;
use tidemill_bpmn::builder::{ModelBuilder, Timer};
use tidemill_bpmn::read;

/// Ten rounds of ten elements between start and end.
fn hundred_elements() -> String {
    let mut model = ModelBuilder::process("hundred").start("start");
    for n in 0..10 {
        let id = |name: &str| format!("{name}_{n}");
        model = model
            .service_task(&id("charge"), |task| {
                task.job_type("charge")
                    .input("=order.total * (1 + tax / 100)", "payment.amount")
                    .header("k", "v")
            })
            .user_task(&id("review"), |task| {
                task.assignee("=order.clerk").candidate_groups("a,b").due_date("=now() + duration(\"P1D\")")
            })
            .exclusive(&id("choice"))
            .when("=payment.amount > 100 and list contains(countries, order.country)")
            .script(&id("score"), "=if score > 3 then \"good\" else \"poor\"", "score")
            .inclusive(&id("join"))
            .move_to(&id("choice"))
            .otherwise()
            .catch_message(&id("paid"), ("paid", "=order.id"))
            .connect_to(&id("join"))
            .move_to(&id("join"))
            .sub_process(&id("each"), |inside| inside.start(&id("inner")).end(&id("inner_end")))
            .with_element(&id("each"), |sub| sub.multi_instance("=order.lines[price > 10]", "line"))
            .boundary_timer(&id("late"), &id("each"), Timer::duration("PT1H"))
            .end(&id("late_end"))
            .move_to(&id("each"));
    }
    model.end("end").xml()
}

fn reading(criterion: &mut Criterion) {
    let built = hundred_elements();
    let elements = read(&built).expect("can run").processes[0].elements().len();
    let drawn = include_str!("../tests/files/order-fulfilment.bpmn");
    let mut group = criterion.benchmark_group("read");
    group.throughput(Throughput::Bytes(built.len() as u64));
    group.bench_function(format!("{elements} elements"), |bencher| bencher.iter(|| read(black_box(&built))));
    group.throughput(Throughput::Bytes(drawn.len() as u64));
    group.bench_function("23 elements with diagram", |bencher| bencher.iter(|| read(black_box(drawn))));
    group.finish();
}

criterion_group!(benches, reading);
criterion_main!(benches);
