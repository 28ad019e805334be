//! Copies of requests, sent to further backends by threads of their own.
//!
//! A copy never delays or fails the request that it was made from, nor the copies for another backend: each target has a queue, and
//! namespaces, and the targets of each, share bytes and threads fairly. What does not fit is dropped and counted. The answer is read so that the backend is not cut off,
//! and thrown away.

mod queues;
mod send;

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::Instant;

use ghost_core::Endpoint;

pub use queues::Name;
use queues::Queues;

/// Address space; a thread touches some 30 KiB of it.
const STACK_BYTES: usize = 256 << 10;

pub struct Copy {
    pub name: Name,
    pub endpoint: Arc<Endpoint>,
    pub message: Arc<[u8]>,
}

#[derive(Default)]
struct State {
    queues: Queues<Copy>,
    threads: u32,
}

static STATE: LazyLock<Mutex<State>> = LazyLock::new(Mutex::default);
static ARRIVED: Condvar = Condvar::new();
/// Copies that did not reach their backend.
static FAILED: AtomicU64 = AtomicU64::new(0);

/// How many failed since this was asked last. Asked now and then, so targets that nobody uses are forgotten here.
pub fn failed() -> u64 {
    STATE.lock().unwrap_or_else(PoisonError::into_inner).queues.forget(Instant::now());
    FAILED.swap(0, Ordering::Relaxed)
}

/// Whether there was room.
pub fn enqueue(copy: Copy) -> bool {
    let (name, bytes) = (copy.name.clone(), copy.message.len());
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if !state.queues.push(&name, bytes, copy, Instant::now()) {
        return false;
    }
    if state.threads < queues::THREADS && state.threads <= state.queues.running() {
        let thread = thread::Builder::new().name("ghost-mirror".into()).stack_size(STACK_BYTES);
        state.threads += u32::from(thread.spawn(work).is_ok());
    }
    drop(state);
    ARRIVED.notify_one();
    true
}

fn work() {
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        let Some(work) = state.queues.next() else {
            state = ARRIVED.wait(state).unwrap_or_else(PoisonError::into_inner);
            continue;
        };
        drop(state);
        let sent = send::send(work.copy.endpoint.address(), &work.copy.message);
        if sent.is_err() {
            FAILED.fetch_add(1, Ordering::Relaxed);
        }
        let hung = sent.as_ref().is_err_and(send::is_timeout);
        state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
        state.queues.done(&work, hung, Instant::now());
    }
}
