//! Requests that clients make on their own account: topology, licence, configuration, clock.

use crate::harness::{Asked, Fixture};
use serde_json::json;
use tidemill_model::Timestamp;
use tidemill_server::gateway::GatewayConfig;
use tidemill_server::gateway::schema::answer_misfit;

#[tokio::test]
async fn static_answers_have_their_shapes() {
    let fixture = Fixture::new();
    for (operation, path) in [
        ("getTopology", "/v2/topology"),
        ("getLicense", "/v2/license"),
        ("getSystemConfiguration", "/v2/system/configuration"),
    ] {
        let answered = fixture.get(path).await;
        assert_eq!(answered.status, 200);
        assert_eq!(answer_misfit(operation, 200, &answered.json()), None);
    }
    let topology = fixture.get("/v2/topology").await.json();
    assert_eq!(
        topology["brokers"][0]["partitions"],
        json!([{"partitionId": 1, "role": "leader", "health": "healthy", "state": "active"}])
    );
}

#[tokio::test]
async fn nobody_is_logged_in() {
    Fixture::new().get("/v2/authentication/me").await.problem(401);
}

#[tokio::test]
async fn the_clock_is_not_for_everybody_to_set() {
    let fixture = Fixture::new();
    for (method, path, body) in
        [("PUT", "/v2/clock", "{\"timestamp\": 5000}"), ("POST", "/v2/clock/reset", "")]
    {
        let (title, detail) = fixture.text(method, path, body).await.problem(403);
        assert!(title == "FORBIDDEN" && detail.contains("--pinned-clock"), "{detail}");
    }
    assert!(fixture.asked().is_empty());
}

#[tokio::test]
async fn the_clock_can_be_pinned_and_reset() {
    let fixture = Fixture::with(GatewayConfig { pins_clock: true, ..GatewayConfig::default() });
    assert_eq!(fixture.text("PUT", "/v2/clock", "{\"timestamp\": 5000}").await.status, 204);
    assert_eq!(fixture.text("POST", "/v2/clock/reset", "").await.status, 204);
    assert_eq!(fixture.asked(), [Asked::Clock(Some(Timestamp(5000))), Asked::Clock(None)]);
    let refused = |text: &str| ("INVALID_ARGUMENT".to_owned(), text.to_owned());
    let answered = fixture.text("PUT", "/v2/clock", "{}").await;
    assert_eq!(answered.problem(400), refused("No timestamp provided."));
    let answered = fixture.text("PUT", "/v2/clock", "{\"timestamp\": -1}").await;
    assert_eq!(answered.problem(400), refused("The value for timestamp is '-1' but must be not negative."));
    let answered = fixture.text("PUT", "/v2/clock", "{\"timestamp\": 9223372036854775807}").await;
    let detail = "The value for timestamp is '9223372036854775807' but must be before the year 10000.";
    assert_eq!(answered.problem(400), refused(detail));
}
