//! The documents for contributors name files that exist: a map that is wrong is worse than none.

use std::path::{Path, PathBuf};

/// `engine/event/trigger.rs` stands for `crates/engine/src/event/trigger.rs`.
fn candidates(root: &Path, name: &str) -> [PathBuf; 3] {
    let (first, rest) = name.split_once('/').unwrap_or((name, ""));
    let in_crate = root.join("crates").join(first);
    [root.join(name), in_crate.join("src").join(rest), in_crate.join(rest)]
}

#[test]
fn every_file_that_the_documents_name_is_there() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    for document in ["ARCHITECTURE.md", "CONTRIBUTING.md"] {
        let text = std::fs::read_to_string(root.join(document)).expect("the document is there");
        // Every second part stands between back quotes.
        let quoted = text.split('`').skip(1).step_by(2);
        let files = quoted.filter(|name| name.contains('/') && name.ends_with(".rs") && !name.contains('<'));
        let mut count = 0;
        for name in files {
            count += 1;
            assert!(candidates(&root, name).iter().any(|path| path.is_file()), "{document} names {name}");
        }
        assert!(count > 1, "{document} names files");
    }
}
