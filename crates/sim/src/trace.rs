//! What happened, in order: printed when asked for, and always part of a hash by which two runs can be compared.

pub(crate) struct Trace {
    hash: u64,
    is_printed: bool,
}

impl Trace {
    pub(crate) fn new(is_printed: bool) -> Trace {
        Trace { hash: 0xcbf2_9ce4_8422_2325, is_printed }
    }

    pub(crate) fn note(&mut self, now_ms: u64, what: impl FnOnce() -> String) {
        let line = format!("{now_ms:>7} {}", what());
        for byte in line.bytes() {
            self.hash = (self.hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
        }
        if self.is_printed {
            println!("{line}");
        }
    }

    pub(crate) fn hash(&self) -> u64 {
        self.hash
    }
}
