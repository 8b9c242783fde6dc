//! The demo of `serve --demo`: an order process with instances at every stage, and a worker for its service task.

use crate::client::{Client, Failure, NewFile, URL_DEFAULT};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};
use std::net::SocketAddr;
use std::time::Duration;

const MODEL: &str = include_str!("order.bpmn");
const PROCESS_ID: &str = "order";
const JOB_TYPE: &str = "check-stock";
const RETRY_PAUSE: Duration = Duration::from_secs(1);
/// Pieces that each delivery brings.
const DELIVERY_PIECES: i64 = 10;
const ORDERS: [(&str, i64); 4] = [("A-1", 2), ("A-2", 7), ("A-3", 25), ("A-4", 4)];

/// Runs beside the server, as a client like any other, as long as the process lives.
pub(super) fn begin(address: SocketAddr, has_pages: bool) {
    std::thread::spawn(move || {
        let url = format!("http://{address}");
        let client = Client::new(&url);
        match prepare(&client) {
            Ok(orders) => println!("{}", guide(&url, orders, has_pages)),
            Err(failure) => return tracing::warn!(%failure, "the demo could not be prepared"),
        }
        loop {
            if let Err(failure) = work(&client) {
                tracing::debug!(%failure, "the demo's worker got no jobs");
                std::thread::sleep(RETRY_PAUSE);
            }
        }
    });
}

/// How many orders were started: none where there are some from an earlier run.
fn prepare(client: &Client) -> Result<usize, Failure> {
    let file = NewFile { name: "order.bpmn".to_owned(), content: MODEL.as_bytes().to_vec() };
    client.deploy(&[file])?;
    let of_demo = json!({"filter": {"processDefinitionId": PROCESS_ID}, "page": {"limit": 0}});
    let known = client.post("/v2/process-instances/search", &of_demo)?;
    if known["page"]["totalItems"].as_i64() != Some(0) {
        return Ok(0);
    }
    for (order, quantity) in ORDERS {
        let variables = json!({"orderId": order, "quantity": quantity});
        let start = json!({"processDefinitionId": PROCESS_ID, "variables": variables});
        client.post("/v2/process-instances", &start)?;
    }
    Ok(ORDERS.len())
}

#[derive(Deserialize)]
struct Activated {
    jobs: Vec<Job>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Job {
    job_key: String,
    retries: i64,
    variables: Box<RawValue>,
}

/// Takes jobs once. If one of them fails, the others get done.
fn work(client: &Client) -> Result<(), Failure> {
    let activation = json!({
        "type": JOB_TYPE, "worker": "demo", "timeout": 30_000, "maxJobsToActivate": 10, "requestTimeout": 10_000,
    });
    let activated: Activated = client.ask("/v2/jobs/activation", &activation)?;
    for job in activated.jobs {
        let path = format!("/v2/jobs/{}", job.job_key);
        let reported = match check_stock(job.variables.get()) {
            Ok(found) => client.post(&format!("{path}/completion"), &json!({"variables": found})),
            Err(reason) => {
                tracing::warn!(job = job.job_key, reason, "the demo cannot work on a job");
                let failure = json!({"retries": (job.retries - 1).max(0), "errorMessage": reason});
                client.post(&format!("{path}/failure"), &failure)
            }
        };
        if let Err(failure) = reported {
            // Its instance may have been cancelled meanwhile.
            tracing::debug!(job = job.job_key, %failure, "the demo's report was not taken");
        }
    }
    Ok(())
}

#[derive(Deserialize)]
struct Order {
    checks: Option<i64>,
    quantity: Option<i64>,
}

/// Each check finds one more delivery in the store room.
fn check_stock(variables: &str) -> Result<Value, String> {
    let order: Order = serde_json::from_str(variables)
        .map_err(|error| format!("checks and quantity must be whole numbers: {error}"))?;
    let checks = order.checks.unwrap_or(0).saturating_add(1);
    let in_stock = order.quantity.unwrap_or(1) <= checks.saturating_mul(DELIVERY_PIECES);
    Ok(json!({"checks": checks, "inStock": in_stock}))
}

fn guide(url: &str, orders: usize, has_pages: bool) -> String {
    let at = if url == URL_DEFAULT { String::new() } else { format!(" --url {url}") };
    let started = match orders {
        0 => "keeps the orders of an earlier run".to_owned(),
        orders => format!("has started {orders} orders"),
    };
    let pages = if has_pages { format!("  See it in the browser  {url}/ui\n") } else { String::new() };
    format!(
        "
Tidemill runs at {url} and {started}.

{pages}  What the API offers    {url}/docs
  From another shell     tidemill instances{at}
                         tidemill tasks{at}
                         tidemill show KEY{at}

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
"
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
        let checked = |variables: &str| check_stock(variables).expect("whole numbers");
        assert_eq!(checked(r#"{"quantity": 2}"#), json!({"checks": 1, "inStock": true}));
        assert_eq!(checked(r#"{"quantity": 15}"#), json!({"checks": 1, "inStock": false}));
        assert_eq!(checked(r#"{"quantity": 15, "checks": 1}"#), json!({"checks": 2, "inStock": true}));
    }

    #[test]
    fn what_does_not_concern_the_demo_does_not_stop_it() {
        let deep = format!(r#"{{"deep": {}1{}, "huge": 1e400}}"#, "[".repeat(900), "]".repeat(900));
        assert!(check_stock(&deep).is_ok());
        assert!(check_stock(r#"{"quantity": 1e400}"#).is_err());
        assert!(check_stock(r#"{"quantity": 9223372036854775807, "checks": 9223372036854775807}"#).is_ok());
    }

    #[test]
    fn the_guide_fits_the_server() {
        assert!(
            guide(URL_DEFAULT, 4, true).contains("started 4 orders")
                && !guide(URL_DEFAULT, 4, true).contains("--url")
        );
        let other = guide("http://127.0.0.1:9090", 0, false);
        assert!(guide(URL_DEFAULT, 4, true).contains("/ui\n") && !other.contains("/ui"));
        assert!(
            other.contains("tidemill tasks --url http://127.0.0.1:9090\n") && other.contains("earlier run")
        );
    }
}
