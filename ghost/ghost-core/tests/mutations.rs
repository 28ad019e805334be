//! A short run of the fuzzers' checks on a stable compiler: inputs of the corpora, changed in a few places. The same ones every time.

#![allow(clippy::unwrap_used, reason = "tests may fail")]

#[path = "support/checks.rs"]
mod checks;
#[path = "support/normal.rs"]
mod normal;
#[path = "support/oracle.rs"]
mod oracle;
mod support;

use std::fs;
use std::path::Path;

const INPUTS: usize = 20_000;

/// xorshift64.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        usize::try_from(self.0 % u64::try_from(bound.max(1)).unwrap()).unwrap()
    }
}

fn corpus(target: &str) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../fuzz/corpus").join(target);
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

fn mutated(corpus: &[Vec<u8>], pieces: &[&str], random: &mut Random) -> Vec<u8> {
    let mut input = corpus.get(random.below(corpus.len())).cloned().unwrap_or_default();
    for _ in 0..=random.below(4) {
        let at = random.below(input.len() + 1);
        let end = (at + random.below(3)).min(input.len());
        let byte = u8::try_from(random.below(256)).unwrap();
        match random.below(4) {
            0 => input.splice(at..end, [byte]).for_each(drop),
            1 => input.splice(at..end, []).for_each(drop),
            2 => {
                let other = corpus.get(random.below(corpus.len())).cloned().unwrap_or_default();
                input.splice(at..end, other.into_iter().take(64)).for_each(drop);
            }
            _ => {
                let piece = pieces.get(random.below(pieces.len())).copied().unwrap_or_default();
                input.splice(at..end, piece.bytes()).for_each(drop);
            }
        }
    }
    input
}

fn run(target: &str, pieces: &[&str], check: impl Fn(&[u8])) {
    let (corpus, mut random) = (corpus(target), Random(0x5eed_2026_1118));
    for _ in 0..INPUTS {
        check(&mutated(&corpus, pieces, &mut random));
    }
}

#[test]
fn changed_paths_have_the_form_of_a_plain_rewriting() {
    run("path", &["/", "..", "%2e", "%2F", "%5c", ";", "%00", "\\", "?", "//", "/./"], checks::check_path);
}

#[test]
fn changed_heads_offer_what_a_plain_reading_finds() {
    let pieces = ["Connection:", "Upgrade:", "upgrade", "websocket", ",", "\n", " ", "h2c", ":", "keep-alive"];
    run("upgrade", &pieces, checks::check_upgrade);
}
