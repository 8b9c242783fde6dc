//! One scenario, played with everything in memory, through the store, and piece by piece.

use super::Harness;

/// Plays a scenario three times: as it comes, with everything forgotten after each command, and with every
/// instance so large that only what a command touches is loaded.
pub fn scenario(play: impl Fn(&mut Harness)) {
    play(&mut Harness::new());
    play(&mut Harness::forgetful());
    play(&mut piecemeal());
}

/// Forgets everything after each command and never sees a whole instance.
pub fn piecemeal() -> Harness {
    let mut engine = Harness::forgetful();
    engine.store.large_instance_rows = Some(3);
    engine
}
