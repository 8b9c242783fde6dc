//! The steps of a run in their order: printed, or made part of a hash by which two runs can be compared, where that is asked for.

/// The use that is made of the steps of a run. Most runs need none of them, and to put them into words costs a tenth of a run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tracing {
    Off,
    Hashed,
    Printed,
}

pub(crate) struct Trace {
    hash: u64,
    tracing: Tracing,
}

impl Trace {
    pub(crate) fn new(tracing: Tracing) -> Trace {
        Trace { hash: 0xcbf2_9ce4_8422_2325, tracing }
    }

    pub(crate) fn note(&mut self, now_ms: u64, what: impl FnOnce() -> String) {
        if self.tracing == Tracing::Off {
            return;
        }
        let line = format!("{now_ms:>7} {}", what());
        for byte in line.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        if self.tracing == Tracing::Printed {
            println!("{line}");
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}
