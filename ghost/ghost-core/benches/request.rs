//! What each request pays before and beside its lookup: instructions for the normal form of its path, and for counting its threads.
//! `bench/ghost-core` runs this under callgrind, which counts `measured_requests` alone.

#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "no request path")]

use std::hint::black_box;
use std::time::Instant;

use ghost_core::{Holder, Slashes, Threads, Usage, is_plainly_normal, write_normal_url};

const ROUNDS: usize = 2_000;
const REPEATS: usize = 5;

/// One step of each request; callgrind finds it by its name.
trait Step {
    fn run(&mut self);
}

struct PlainPath;
struct OtherPath(Vec<u8>);
struct Shares<'u>(&'u Threads, Holder<'u>);

impl Step for PlainPath {
    fn run(&mut self) {
        assert!(is_plainly_normal(black_box(b"/service-00042/items/7?page=1"), Slashes::Merge));
    }
}

impl Step for OtherPath {
    fn run(&mut self) {
        self.0.clear();
        write_normal_url(black_box(b"/service-00042/./x/..//%69tems/7?page=1"), Slashes::Merge, &mut self.0)
            .expect("path");
    }
}

impl Step for Shares<'_> {
    fn run(&mut self) {
        let Self(threads, holder) = *self;
        // A client's thread and that of its fetch, as a request that is passed counts them.
        threads.take(0, 1, Some(holder));
        threads.take(0, 2, Some(holder));
        assert!(threads.admits(0, black_box(holder), 1));
        threads.give_back(0, 2, Some(holder), 1);
        threads.give_back(0, 1, Some(holder), 1);
    }
}

#[unsafe(no_mangle)]
#[inline(never)]
extern "Rust" fn measured_requests(step: &mut dyn Step, rounds: usize) {
    for _ in 0..rounds {
        step.run();
    }
}

fn main() {
    let arguments: Vec<String> = std::env::args().skip(1).filter(|argument| argument != "--bench").collect();
    let threads = Threads::new();
    threads.set_capacity(0, 246);
    let (backend, namespace) = (Usage::default(), Usage::default());
    let mut step: Box<dyn Step> = match arguments.first().map(String::as_str) {
        Some("plain-path") => Box::new(PlainPath),
        Some("other-path") => Box::new(OtherPath(Vec::new())),
        Some("shares") => Box::new(Shares(&threads, Holder { backend: &backend, namespace: &namespace })),
        _ => return println!("usage: plain-path | other-path | shares (run by bench/ghost-core)"),
    };
    let best = (0..REPEATS).map(|_| {
        let start = Instant::now();
        measured_requests(&mut *step, ROUNDS);
        start.elapsed().as_secs_f64() * 1e9 / f64::from(u32::try_from(ROUNDS).unwrap())
    });
    let best = best.min_by(f64::total_cmp).unwrap();
    println!("{} {best:.0}", REPEATS * ROUNDS);
}
