#![no_main]

use std::sync::LazyLock;

use ghost_fuzz::checks::{self, Subject};
use libfuzzer_sys::fuzz_target;

static SUBJECTS: LazyLock<Vec<Subject>> = LazyLock::new(checks::subjects);

fuzz_target!(|input: &[u8]| checks::check_request(&SUBJECTS, input));
