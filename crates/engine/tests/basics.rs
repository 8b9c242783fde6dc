//! The shortest ways through the engine.

mod support;

use support::{Harness, ModelBuilder};

fn one_task() -> ModelBuilder {
    ModelBuilder::process("order").start("start").service_task("pay", |t| t.job_type("pay")).end("end")
}

#[test]
fn a_service_task_waits_for_its_worker() {
    let mut engine = Harness::new();
    engine.deploy(&one_task());
    let order = engine.start("order", r#"{"amount":10}"#);
    assert!(engine.is_active("pay"));
    let jobs = engine.activate("pay", 5);
    assert_eq!(jobs.len(), 1);
    assert_eq!(jobs[0].variables.as_str(), r#"{"amount":10}"#);
    engine.complete_job(jobs[0].job.key, r#"{"paid":true}"#).expect("accepted");
    engine.expect_exactly(
        &["order", "start", "pay", "end", "flow", "job", "amount", "paid"],
        &[
            "order Activating",
            "amount := 10",
            "order Activated",
            "start Activating",
            "start Activated",
            "start Completing",
            "start Completed",
            "flow f_start_pay",
            "pay Activating",
            "job pay Created",
            "pay Activated",
            "job pay Activated",
            "job pay Completed",
            "pay Completing",
            "paid := true",
            "pay Completed",
            "flow f_pay_end",
            "end Activating",
            "end Activated",
            "end Completing",
            "end Completed",
            "order Completing",
            "order Completed",
        ],
    );
    engine.expect_completed(order);
    engine.expect_nothing_left();
    assert_eq!(engine.variable(order, "paid").as_deref(), Some("true"));
}

#[test]
fn everything_goes_through_the_store() {
    let mut engine = Harness::forgetful();
    engine.deploy(&one_task());
    let order = engine.start("order", "{}");
    let jobs = engine.activate("pay", 5);
    assert_eq!(engine.activate("pay", 5).len(), 0, "held by the first worker\n{}", engine.log());
    engine.complete_job(jobs[0].job.key, "{}").expect("accepted");
    engine.expect_completed(order);
    engine.expect_nothing_left();
}

#[test]
fn a_cancelled_instance_leaves_nothing_behind() {
    let mut engine = Harness::new();
    engine.deploy(&one_task());
    let order = engine.start("order", "{}");
    engine.cancel(order).expect("it lives");
    engine.expect(&[
        "order Terminating",
        "pay Terminating",
        "job pay Canceled",
        "pay Terminated",
        "order Terminated",
    ]);
    engine.expect_terminated(order);
    engine.expect_nothing_left();
    let refused = engine.cancel(order).expect_err("it is gone");
    assert!(refused.reason.contains("no such process was found"));
}
