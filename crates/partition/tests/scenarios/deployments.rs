//! Deployments that follow one another.

use crate::support::*;
use tidemill_model::{Answer, DeployedResource};
use tidemill_partition::CallId;

fn version(bench: &Bench, call: CallId) -> i32 {
    match bench.answered(call) {
        Answer::Deployed(deployment) => match &deployment.resources[..] {
            [DeployedResource::Process(process)] => process.version,
            other => panic!("unexpected resources {other:?}"),
        },
        other => panic!("unexpected answer {other:?}"),
    }
}

#[test]
fn what_has_run_while_another_deployment_was_written_is_not_forgotten() {
    let mut bench = Bench::with(&[quick()]);
    let first = bench.send(deployment(&[quick().version_tag("second")]));
    bench.settle_unwritten();
    // It finds everything in memory, so it runs while the first one is on its way.
    let second = bench.send(deployment(&[quick().version_tag("third")]));
    bench.turn();
    // All definitions are read again from here on.
    bench.land(Fate::Written);
    bench.settle();
    assert_eq!((version(&bench, first), version(&bench, second)), (2, 3));
    bench.die();
    let created = bench.done(create("quick"));
    assert!(matches!(&created, Answer::Created(created) if created.version == 3), "{created:?}");
}
