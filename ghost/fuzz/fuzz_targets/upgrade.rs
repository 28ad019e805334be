#![no_main]

use ghost_fuzz::checks;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|input: &[u8]| checks::check_upgrade(input));
