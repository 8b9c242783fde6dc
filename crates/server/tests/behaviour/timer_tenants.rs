//! Tenants of service timers: those of one never meet those of another, even where ids are the same. While tenants are off, the API
//! knows the default one alone.

use crate::world::World;
use serde_json::{Value, json};
use std::sync::Arc;
use std::time::Duration;
use tidemill_server::timers::deliver::StreamCursor;
use tidemill_server::timers::service::{
    Cancelled, Circumstances, Made, NewTimer, Search, TimerFailure, TimerService,
};
use tidemill_server::{NodeConfig, TimersConfig};
use tidemill_timers::block::Scope;
use tidemill_timers::slot::DUE_MS_MAX;

const PATIENCE: Duration = Duration::from_secs(20);

fn scope(tenant: &str) -> Arc<Scope> {
    Arc::new(Scope { tenant: tenant.to_owned(), namespace: "orders".to_owned() })
}

async fn create(service: &TimerService, scope: &Scope, timer: Value) -> Result<Made, TimerFailure> {
    let now_ms = service.now_ms();
    let tenant_of = |name: &str| Ok(name.to_owned());
    let given = Circumstances { scope: scope.clone(), tenant_of, now_ms, seed: 1 };
    let timer = NewTimer::from_text(timer.to_string().as_bytes(), &given).expect("a timer");
    service.create(timer).await
}

async fn found(service: &TimerService, scope: &Scope) -> usize {
    let (state, payload, cursor) = (None, None, None);
    let search =
        Search { scope: scope.clone(), state, from_ms: 0, to_ms: DUE_MS_MAX, payload, limit: 10, cursor };
    service.search(&search).await.expect("a page").items.len()
}

#[tokio::test]
async fn two_tenants_with_the_same_own_ids_never_meet() {
    // Ids of fired timers are kept, so that the server can tell whose timer has fired.
    let timers = TimersConfig { fired_ids_kept: Duration::from_secs(600), ..TimersConfig::default() };
    let world = World::with_node_of(2, NodeConfig { timers, ..NodeConfig::default() }).await;
    let service = TimerService::new(world.node.clone());
    let (acme, other) = (scope("acme"), scope("other"));
    let timer = |delay_ms: u64, tenant: &str| {
        let target = json!({"type": "stream"});
        json!({"id": "mine", "mode": "fail", "delay": delay_ms, "payload": tenant, "target": target})
    };
    assert!(create(&service, &acme, timer(3_600_000, "acme")).await.expect("made").is_new);
    assert!(create(&service, &other, timer(1, "other")).await.expect("the id is free").is_new);
    let again = create(&service, &acme, timer(1, "acme")).await;
    assert!(matches!(again, Err(TimerFailure::Exists(_))), "{again:?}");
    // One fires, and only its own tenant hears of it.
    let page = service.read_stream(&other, &StreamCursor::default(), 10, PATIENCE).await.expect("a page");
    assert_eq!(page.timers.len(), 1);
    assert!(page.timers[0].contains(r#""tenantId":"other""#), "{}", page.timers[0]);
    let page = service.read_stream(&acme, &StreamCursor::default(), 10, Duration::ZERO).await;
    assert!(page.expect("a page").timers.is_empty());
    assert_eq!(service.get(&acme, "mine").await.expect("it waits").payload.as_deref(), Some("\"acme\""));
    let gone = service.get(&other, "mine").await;
    assert!(matches!(gone, Err(TimerFailure::Gone(_))), "{gone:?}");
    // A generated id is none for another tenant.
    let timer = json!({"delay": 3_600_000, "target": {"type": "stream"}});
    let id = create(&service, &acme, timer).await.expect("made").id;
    assert!(matches!(service.get(&other, &id).await, Err(TimerFailure::NotFound(_))));
    assert_eq!(service.cancel(&other, &id).await.expect("answered"), Cancelled::Absent);
    assert_eq!((found(&service, &acme).await, found(&service, &other).await), (2, 0));
    // A pause holds back the timers of one tenant.
    service.pause_namespace(&acme, true).await.expect("paused");
    assert_eq!(service.paused_namespaces("acme").await.expect("a list"), ["orders"]);
    assert!(service.paused_namespaces("other").await.expect("a list").is_empty());
    assert_eq!(service.cancel(&other, "mine").await.expect("answered"), Cancelled::Fired);
    assert_eq!(service.cancel(&acme, "mine").await.expect("answered"), Cancelled::Cancelled);
    assert_eq!(service.cancel(&acme, &id).await.expect("answered"), Cancelled::Cancelled);
    assert_eq!(found(&service, &acme).await, 0);
}

#[tokio::test]
async fn while_tenants_are_off_the_api_takes_the_default_one_alone() {
    let world = World::new().await;
    let timer = |tenant: &str| json!({"id": "a", "tenantId": tenant, "delay": 3_600_000, "target": {"type": "stream"}});
    assert_eq!(world.post("/v1/timers", timer("<default>")).await.status, 201);
    assert_eq!(world.get("/v1/timers/a?tenantId=%3Cdefault%3E").await.ok()["id"], "a");
    let found = world.post("/v1/timers/search", json!({"tenantId": "<default>"})).await.ok();
    assert_eq!(found["items"].as_array().map(Vec::len), Some(1));
    for path in ["/v1/timers/a", "/v1/timers/stream", "/v1/timers/counts", "/v1/timers/namespaces"] {
        let problem = world.get(&format!("{path}?tenantId=acme")).await.problem(400);
        assert!(problem["detail"].to_string().contains("acme"), "{problem}");
    }
    let refused = world.text("DELETE", "/v1/timers/a?tenantId=acme", "").await;
    refused.problem(400);
    for (path, body) in [("/v1/timers", timer("acme")), ("/v1/timers/search", json!({"tenantId": "acme"}))] {
        let problem = world.post(path, body).await.problem(400);
        assert_eq!(problem["errors"][0]["field"], "tenantId", "{problem}");
    }
}
