//! What `serve --demo` shows: an order process with instances at every stage, and a worker for its service task.

use crate::client::{Client, Failure, NewFile};
use serde_json::{Value, json};
use std::net::SocketAddr;

const MODEL: &str = include_str!("order.bpmn");
const PROCESS_ID: &str = "order";
const JOB_TYPE: &str = "check-stock";
/// Pieces that each delivery brings.
const DELIVERY_PIECES: i64 = 10;
const ORDERS: [(&str, i64); 4] = [("A-1", 2), ("A-2", 7), ("A-3", 25), ("A-4", 4)];

/// Runs beside the server, as a client like any other, until the server stops.
pub(super) fn begin(address: SocketAddr) {
    std::thread::spawn(move || {
        let url = format!("http://{address}");
        let client = Client::new(&url);
        let outcome = prepare(&client).and_then(|()| {
            println!("{}", guide(&url));
            work(&client)
        });
        match outcome {
            Ok(()) | Err(Failure::Unreachable { .. }) => {}
            Err(failure) => tracing::warn!(%failure, "the demo has ended"),
        }
    });
}

fn prepare(client: &Client) -> Result<(), Failure> {
    let file = NewFile { name: "order.bpmn".to_owned(), content: MODEL.as_bytes().to_vec() };
    client.deploy(&[file])?;
    let of_demo = json!({"filter": {"processDefinitionId": PROCESS_ID}, "page": {"limit": 0}});
    let known = client.post("/v2/process-instances/search", &of_demo)?;
    if known["page"]["totalItems"].as_i64() != Some(0) {
        return Ok(());
    }
    for (order, quantity) in ORDERS {
        let variables = json!({"orderId": order, "quantity": quantity});
        let start = json!({"processDefinitionId": PROCESS_ID, "variables": variables});
        client.post("/v2/process-instances", &start)?;
    }
    Ok(())
}

fn work(client: &Client) -> Result<(), Failure> {
    let activation = json!({
        "type": JOB_TYPE, "worker": "demo", "timeout": 30_000, "maxJobsToActivate": 10, "requestTimeout": 10_000,
    });
    loop {
        let activated = client.post("/v2/jobs/activation", &activation)?;
        for job in activated["jobs"].as_array().into_iter().flatten() {
            let key = job["jobKey"].as_str().unwrap_or_default();
            let body = json!({"variables": check_stock(&job["variables"])});
            match client.post(&format!("/v2/jobs/{key}/completion"), &body) {
                // Its instance may have been cancelled meanwhile.
                Ok(_) | Err(Failure::Refused { .. }) => {}
                Err(failure) => return Err(failure),
            }
        }
    }
}

/// Each check finds one more delivery in the store room.
fn check_stock(variables: &Value) -> Value {
    let checks = variables["checks"].as_i64().unwrap_or(0) + 1;
    let quantity = variables["quantity"].as_i64().unwrap_or(1);
    json!({"checks": checks, "inStock": quantity <= checks * DELIVERY_PIECES})
}

fn guide(url: &str) -> String {
    format!(
        "
Tidemill runs at {url} and has started {orders} orders.

  What the API offers    {url}/docs
  From another shell     tidemill instances | tidemill tasks | tidemill show KEY

Three things to try:

1. Which orders are on their way?
   curl -s {url}/v2/process-instances/search -H 'content-type: application/json' \\
     -d '{{\"filter\": {{\"state\": \"ACTIVE\"}}}}'

2. Order 15 pieces. There are only 10, so the order waits 30 seconds for a delivery: a durable timer that
   outlives a restart.
   curl -s {url}/v2/process-instances -H 'content-type: application/json' \\
     -d '{{\"processDefinitionId\": \"order\", \"variables\": {{\"orderId\": \"B-1\", \"quantity\": 15}}}}'

3. Pack an order: find a task, then complete it by its userTaskKey.
   curl -s {url}/v2/user-tasks/search -H 'content-type: application/json' \\
     -d '{{\"filter\": {{\"state\": \"CREATED\"}}, \"page\": {{\"limit\": 1}}}}'
   curl -si {url}/v2/user-tasks/KEY/completion -X POST

Ctrl-C stops the server; the orders stay.
",
        orders = ORDERS.len()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_example_is_a_valid_process() {
        let document = tidemill_bpmn::read(MODEL.as_bytes()).expect("deploys");
        assert_eq!(document.processes[0].id().as_str(), PROCESS_ID);
    }

    #[test]
    fn large_orders_wait_for_deliveries() {
        assert_eq!(check_stock(&json!({"quantity": 2})), json!({"checks": 1, "inStock": true}));
        assert_eq!(check_stock(&json!({"quantity": 15})), json!({"checks": 1, "inStock": false}));
        assert_eq!(check_stock(&json!({"quantity": 15, "checks": 1})), json!({"checks": 2, "inStock": true}));
    }
}
