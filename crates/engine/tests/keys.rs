//! A command that needs more keys than are left asks for them instead of failing.

use tidemill_engine::{Working, process};
use tidemill_model::command::PublishMessage;
use tidemill_model::{Command, PartitionCount, PartitionId, TenantId, Text, Timestamp, Variables};

#[test]
fn a_command_asks_for_keys_and_runs_again() {
    let mut working = Working::new(PartitionId(1), PartitionCount::ONE);
    working.reserve_keys(5, 5);
    let command = Command::PublishMessage(PublishMessage {
        tenant: TenantId::default(),
        name: Text::from("paid"),
        correlation_key: Text::from("1"),
        message_id: None,
        business_id: None,
        time_to_live_ms: 60_000,
        variables: Variables::default(),
    });
    let mut asked = 0;
    loop {
        match process(&mut working, &command, Timestamp(0)) {
            Ok(_) => break,
            Err(missing) => {
                if missing.keys > 0 {
                    asked += 1;
                    assert_eq!(working.next_key(), 5, "nothing of it counts");
                    working.reserve_keys(5, 5 + missing.keys);
                }
                for need in missing.rows {
                    working.supply(tidemill_engine::Supply { need, entities: Vec::new(), is_complete: true });
                }
            }
        }
    }
    assert!(asked > 0, "there were no keys");
    assert!(working.next_key() > 5, "it has used what it asked for");
}
