//! What there is once in the process: the live table, the routers of all VCLs, and the thread that loads tables.
//!
//! The table is not a VCL's: after a roll-back to an older VCL the routes are still the newest.

use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ghost_core::{Live, Table, TableError};

pub use crate::ffi::{Director, ListenerCounter, Vcl, Vrt};
use crate::mirror;
use crate::report;
use crate::router::{Listeners, Router};

/// Compiling patterns nests; a worker's 80 KiB would not do.
const STACK_BYTES: usize = 8 << 20;
/// How often tables and backends that are out of use are looked for.
const SWEEP: Duration = Duration::from_secs(1);
/// How long the answer to the first table waits for patterns that were put off: a pod is ready with that answer, and had better have all hosts.
const FIRST_ANSWER: Duration = Duration::from_secs(10);
/// Listeners with a counter of their own; the rest are counted together only.
const COUNTED_LISTENERS: usize = 64;

pub struct Process {
    live: Live,
    loaded: AtomicBool,
    state: Mutex<State>,
    last_error: Mutex<String>,
    jobs: OnceLock<Sender<Job>>,
}

#[derive(Default)]
struct State {
    path: String,
    routers: Vec<Arc<Router>>,
    listeners: Listeners,
    counters: HashMap<Box<[u8]>, ListenerCounter>,
    /// Old tables, kept until no request holds them so that freeing them is this thread's work.
    old: Vec<Arc<Table>>,
}

struct Job {
    answer: Sender<Outcome>,
}

pub struct Outcome {
    pub live: bool,
    pub json: String,
}

/// The bytes of the live table while something of it is put off: another build of them gets further. The file may be another by then, and
/// even one that is refused.
type Unfinished = Option<Vec<u8>>;

pub static PROCESS: LazyLock<Process> = LazyLock::new(|| Process {
    live: Live::default(),
    loaded: AtomicBool::new(false),
    state: Mutex::default(),
    last_error: Mutex::default(),
    jobs: OnceLock::new(),
});

impl Process {
    pub fn start(&'static self, vrt: Vrt) -> bool {
        if self.jobs.get().is_some() {
            return true;
        }
        let (sender, receiver) = mpsc::channel();
        let thread = thread::Builder::new().name("ghost".into()).stack_size(STACK_BYTES);
        match thread.spawn(move || self.run(vrt, &receiver)) {
            Ok(_) => self.jobs.set(sender).is_ok(),
            Err(_) => false,
        }
    }

    pub fn set_path(&self, path: &str) {
        let mut state = self.state();
        if state.path != path {
            path.clone_into(&mut state.path);
            self.loaded.store(false, Ordering::Release);
        }
    }

    /// Loads the table unless one from this path is live already. In a new pod there is no file yet, which is no error.
    pub fn preload(&self) {
        let path = self.state().path.clone();
        if !self.loaded.load(Ordering::Acquire) && Path::new(&path).try_exists().unwrap_or(true) {
            let _ = self.reload();
        }
    }

    /// Has the table loaded and waits for it.
    pub fn reload(&self) -> Outcome {
        let (answer, wait) = mpsc::channel();
        let sent = self.jobs.get().is_some_and(|jobs| jobs.send(Job { answer }).is_ok());
        let outcome = if sent { wait.recv().ok() } else { None };
        outcome.unwrap_or_else(|| Outcome {
            live: false,
            json: r#"{"status":"refused","error":"the loading thread is gone"}"#.to_owned(),
        })
    }

    pub fn last_error(&self) -> String {
        self.last_error.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn table(&self) -> Arc<Table> {
        self.live.load()
    }

    /// A VCL is warm: its requests need the live table.
    pub fn adopt(&self, router: &Arc<Router>) {
        let mut state = self.state();
        router.publish(Some(router.prepare(&self.live.load(), &state.listeners)));
        if !state.routers.iter().any(|other| Arc::ptr_eq(other, router)) {
            state.routers.push(Arc::clone(router));
        }
    }

    /// A VCL is cold.
    pub fn release(&self, router: &Arc<Router>) {
        let mut state = self.state();
        state.routers.retain(|other| !Arc::ptr_eq(other, router));
        router.cool();
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn run(&self, vrt: Vrt, jobs: &Receiver<Job>) {
        let mut unfinished = None;
        loop {
            // Each build compiles some of the patterns that the last one put off, so this ends.
            let pause = if unfinished.is_some() { Duration::ZERO } else { SWEEP };
            match jobs.recv_timeout(pause) {
                Ok(job) => {
                    let outcome = self.load_for_answer(vrt, &mut unfinished);
                    let _ = job.answer.send(outcome);
                }
                Err(RecvTimeoutError::Timeout) => {
                    self.go_on(vrt, &mut unfinished);
                }
                Err(RecvTimeoutError::Disconnected) => return,
            }
            self.sweep(vrt);
            vrt.mirrors_failed(mirror::failed());
        }
    }

    fn load_for_answer(&self, vrt: Vrt, unfinished: &mut Unfinished) -> Outcome {
        let began = Instant::now();
        let is_first = !self.loaded.load(Ordering::Acquire);
        let mut outcome = self.load(vrt, unfinished);
        while is_first && outcome.live && began.elapsed() < FIRST_ANSWER {
            let Some(further) = self.go_on(vrt, unfinished) else { break };
            outcome = further;
        }
        outcome
    }

    fn load(&self, vrt: Vrt, unfinished: &mut Unfinished) -> Outcome {
        let path = self.state().path.clone();
        let outcome = self.build(vrt, || read(&path), unfinished);
        if outcome.live {
            self.loaded.store(true, Ordering::Release);
        }
        outcome
    }

    fn go_on(&self, vrt: Vrt, unfinished: &mut Unfinished) -> Option<Outcome> {
        let bytes = unfinished.take()?;
        Some(self.build(vrt, || Ok(bytes), unfinished))
    }

    fn build(
        &self,
        vrt: Vrt,
        read: impl FnOnce() -> Result<Vec<u8>, TableError>,
        unfinished: &mut Unfinished,
    ) -> Outcome {
        let began = Instant::now();
        let previous = self.live.load();
        let built = read().and_then(|bytes| Ok((Table::build(&bytes, Some(&previous))?, bytes)));
        let (outcome, error) = match built {
            Err(error) => {
                let json = report::kept(&previous, &error, began.elapsed());
                vrt.loaded(false, 0);
                (Outcome { live: false, json }, error.to_string())
            }
            Ok((built, bytes)) => {
                let table = Arc::new(built.table);
                drop(previous);
                *unfinished = (built.report.deferred > 0).then_some(bytes);
                self.publish(&table, vrt);
                let json = report::live(&table, &built.report, began.elapsed());
                vrt.loaded(true, built.report.refusals.len());
                let first = built.report.refusals.first().map(ToString::to_string);
                (Outcome { live: true, json }, first.unwrap_or_default())
            }
        };
        *self.last_error.lock().unwrap_or_else(PoisonError::into_inner) = error;
        outcome
    }

    fn publish(&self, table: &Arc<Table>, vrt: Vrt) {
        let mut state = self.state();
        state.listeners = count_listeners(table, &mut state.counters, vrt);
        let prepared: Vec<_> =
            state.routers.iter().map(|router| (Arc::clone(router), router.prepare(table, &state.listeners))).collect();
        let old = self.live.publish(Arc::clone(table));
        for (router, view) in prepared {
            router.publish(Some(view));
        }
        state.old.push(old);
    }

    fn sweep(&self, vrt: Vrt) {
        let (old, routers) = {
            let mut state = self.state();
            let (unused, used) = state.old.drain(..).partition(|table| Arc::strong_count(table) == 1);
            state.old = used;
            (unused, state.routers.clone())
        };
        drop::<Vec<Arc<Table>>>(old);
        let live = self.live.load();
        for router in routers {
            // Under the lock, so that the router's VCL cannot be discarded meanwhile.
            let state = self.state();
            if state.routers.iter().any(|other| Arc::ptr_eq(other, &router)) {
                router.sweep(&live, vrt.now_ms());
            }
        }
    }
}

/// A missing file is an empty table only before there is any: a writer that renames into place never leaves a gap.
fn read(path: &str) -> Result<Vec<u8>, TableError> {
    std::fs::read(path).map_err(|error| TableError { field: String::new(), message: format!("{path}: {error}") })
}

fn count_listeners(table: &Table, counters: &mut HashMap<Box<[u8]>, ListenerCounter>, vrt: Vrt) -> Listeners {
    let mut counter_of = |name: &str| {
        let known = counters.get(name.as_bytes()).copied();
        known.or_else(|| {
            let counter = if counters.len() < COUNTED_LISTENERS { vrt.listener_counter(name) } else { None };
            counter.inspect(|counter| {
                counters.insert(name.as_bytes().into(), *counter);
            })
        })
    };
    table.listener_names().map(&mut counter_of).collect()
}
