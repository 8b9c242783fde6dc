//! Any bytes: reading ends, with processes or with findings. Seeds: `../tests/files`.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|data: &[u8]| {
    if let Err(findings) = tidemill_bpmn::read(data) {
        assert!(!findings.0.is_empty(), "what is refused has a reason");
    }
});
