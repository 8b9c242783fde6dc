//! The bench measures two servers: what one is asked, the other does.

use serde_json::Value;
use std::process::Command;
use tidemill_store_conformance::servers::StoreServer;

#[test]
fn two_servers_are_measured() {
    let store = StoreServer::shared().url();
    let arguments = ["--seconds", "2", "--warm-up", "1", "--rounds", "8", "--json"];
    let mut command = Command::new(env!("CARGO_BIN_EXE_tidemill"));
    let ran = command.args(["bench", "nodes", "--store", &store]).args(arguments).output().expect("it runs");
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let report: Value = serde_json::from_slice(&ran.stdout).expect("JSON");
    for figure in [
        "wake_up_asleep_p50_ms",
        "wake_up_awake_p99_ms",
        "at_owner_p50_ms",
        "direct_per_s",
        "forwarded_per_s",
    ] {
        assert!(report[figure].as_f64().is_some_and(|value| value > 0.0), "{figure}: {report}");
    }
}
