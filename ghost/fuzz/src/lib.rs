//! The checks are those of ghost-core's tests, so that a finding is replayed by a plain `cargo test`.

#[path = "../../ghost-core/tests/support/checks.rs"]
pub mod checks;
#[path = "../../ghost-core/tests/support/normal.rs"]
pub mod normal;
#[path = "../../ghost-core/tests/support/oracle.rs"]
pub mod oracle;
#[path = "../../ghost-core/tests/support/mod.rs"]
pub mod support;

pub mod mutate;
