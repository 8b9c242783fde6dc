//! The same work a fixed number of times, to count instructions: steadier than time on a busy machine.
//!
//! The first argument names the work (`one`, `ten`, `deploy`, or the number of children of a multi-instance
//! activity), the second how often; the difference of two runs is what counts.

mod machine;

use machine::{Machine, variables};

fn main() {
    let mut arguments = std::env::args().skip(1).filter(|argument| !argument.starts_with("--"));
    let work = arguments.next().unwrap_or_else(|| "one".to_owned());
    let times: usize = arguments.next().map_or(1, |times| times.parse().expect("a number"));
    let mut machine = Machine::new();
    machine.deploy(&machine::one_task());
    machine.deploy(&machine::ten_tasks());
    machine.deploy(&machine::fan_out());
    let (order, paid) = (variables(r#"{"amount":11,"customer":"ann"}"#), variables(r#"{"paid":true}"#));
    let (items, xml) = (machine::items(work.parse().unwrap_or(0)), machine::hundred_elements());
    for _ in 0..times {
        match work.as_str() {
            "deploy" => machine.deploy_xml(&xml),
            "one" | "ten" => {
                machine.start(&work, order.clone());
                machine.work(&paid);
            }
            _ => drop(machine.start("fan", items.clone())),
        }
    }
    assert_eq!(machine.rows(), 0, "all instances have ended");
}
