//! Regular expressions for `matches`, `replace`, `split` and `extract`.
