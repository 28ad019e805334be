//! One `ghost_backend` object of one VCL, and the tables that its requests see.
//!
//! A client's request holds the view of its table to its end. The ticket that goes with it to a fetch names the view by number, and the
//! fetch holds it from its start to its end. A fetch that starts while its client waits finds the newest view or one that the client still holds.
//! A background fetch may start after its client has left: views that such clients came by are kept for a while.
//! Backends (VBE) belong to the VCL; they are made on first use and shared by all views.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arc_swap::ArcSwapOption;
use ghost_core::{Endpoint, Table};

use crate::process::{Director, ListenerCounter, Vcl, Vrt};
use crate::ticket::VIEW_BITS;

/// How long a background fetch may take to start.
const LINGER_MS: u64 = 60_000;

pub struct Router {
    pub vcl: Vcl,
    pub vrt: Vrt,
    newest: ArcSwapOption<View>,
    /// Views before the newest that somebody may still ask for.
    retired: Mutex<Vec<Arc<View>>>,
    /// By endpoint id.
    backends: Mutex<HashMap<u64, Arc<Backend>, foldhash::fast::RandomState>>,
}

/// A table as one VCL sees it: everything that a request needs.
pub struct View {
    /// Unlike that of any other view that tickets may name.
    pub number: u32,
    pub table: Arc<Table>,
    pub router: Arc<Router>,
    pub listeners: Listeners,
    /// By slot of the endpoint.
    cells: Box<[OnceLock<Arc<Backend>>]>,
    /// Until when, on the monotonic clock, a background fetch may ask for it.
    wanted_until_ms: AtomicU64,
}

/// Request counters of the listeners, by number.
pub type Listeners = Arc<[Option<ListenerCounter>]>;

/// A backend of the VCL. `sweep` lets go of those that nobody holds.
pub struct Backend {
    vbe: Director,
}

static NUMBERS: AtomicU32 = AtomicU32::new(1);

impl Router {
    pub fn new(vcl: Vcl, vrt: Vrt) -> Self {
        Self { vcl, vrt, newest: ArcSwapOption::empty(), retired: Mutex::default(), backends: Mutex::default() }
    }

    /// `None` while the VCL is cold.
    pub fn newest(&self) -> Option<Arc<View>> {
        self.newest.load_full()
    }

    /// The view that a ticket names. `None` if it is gone.
    pub fn view(&self, number: u32) -> Option<Arc<View>> {
        let newest = self.newest().filter(|view| view.number == number);
        newest.or_else(|| self.retired().iter().find(|view| view.number == number).cloned())
    }

    /// Makes the table ready in this VCL, outside of the swap.
    pub fn prepare(self: &Arc<Self>, table: &Arc<Table>, listeners: &Listeners) -> Arc<View> {
        let slots = table.endpoints().iter().map(|endpoint| slot(endpoint) + 1).max().unwrap_or(0);
        let cells: Box<[OnceLock<Arc<Backend>>]> = (0..slots).map(|_| OnceLock::new()).collect();
        {
            let known = self.backends();
            for endpoint in table.endpoints() {
                if let (Some(backend), Some(cell)) = (known.get(&endpoint.id()), cells.get(slot(endpoint))) {
                    let _ = cell.set(Arc::clone(backend));
                }
            }
        }
        let (table, router, listeners) = (Arc::clone(table), Arc::clone(self), Arc::clone(listeners));
        let number = NUMBERS.fetch_add(1, Ordering::Relaxed) & ((1 << VIEW_BITS) - 1);
        Arc::new(View { number, table, router, listeners, cells, wanted_until_ms: AtomicU64::new(0) })
    }

    pub fn publish(&self, view: Option<Arc<View>>) {
        // Under the lock, so that whoever looks for the last one finds it in one of the two places.
        let mut retired = self.retired();
        retired.extend(self.newest.swap(view));
    }

    /// Drops the views that nobody asks for any more, and the backends that no table leads to.
    pub fn sweep(&self, live: &Table, now_ms: u64) {
        let unused =
            |view: &Arc<View>| Arc::strong_count(view) == 1 && view.wanted_until_ms.load(Ordering::Relaxed) <= now_ms;
        let views: Vec<_> = {
            let mut retired = self.retired();
            let (views, rest) = retired.drain(..).partition(unused);
            *retired = rest;
            views
        };
        drop(views);
        let mut gone = Vec::new();
        self.backends().retain(|id, backend| {
            let lives = live.endpoints().binary_search_by_key(id, |endpoint| endpoint.id()).is_ok();
            let kept = lives || Arc::strong_count(backend) > 1;
            if !kept {
                gone.push(backend.vbe);
            }
            kept
        });
        for vbe in gone {
            self.vrt.let_go(vbe);
        }
    }

    /// The VCL is cold: no request is in it, and it must not keep tables alive.
    pub fn cool(&self) {
        self.publish(None);
        self.retired().clear();
    }

    /// The VCL is going away; no request is in it.
    pub fn close(&self) {
        self.cool();
        for (_, backend) in self.backends().drain() {
            self.vrt.let_go(backend.vbe);
        }
    }

    fn retired(&self) -> MutexGuard<'_, Vec<Arc<View>>> {
        self.retired.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn backends(&self) -> MutexGuard<'_, HashMap<u64, Arc<Backend>, foldhash::fast::RandomState>> {
        self.backends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl View {
    /// A background fetch may be about to start, and the request that it is for to end.
    pub fn linger(&self, now_ms: u64) {
        self.wanted_until_ms.fetch_max(now_ms + LINGER_MS, Ordering::Relaxed);
    }

    /// The backend that an attempt went to, for those who outlive the view.
    pub fn hold(&self, endpoint: &Endpoint) -> Option<Arc<Backend>> {
        self.cells.get(slot(endpoint))?.get().cloned()
    }

    /// The backend for an endpoint of this table; made when first asked for. `None` if there is no way to reach it.
    pub fn backend(&self, endpoint: &Endpoint) -> Option<Director> {
        let cell = self.cells.get(slot(endpoint))?;
        if let Some(backend) = cell.get() {
            return Some(backend.vbe);
        }
        let mut known = self.router.backends();
        let backend = if let Some(backend) = known.get(&endpoint.id()) {
            Arc::clone(backend)
        } else {
            let backend = Arc::new(Backend { vbe: self.router.vrt.new_backend(self.router.vcl, endpoint)? });
            known.insert(endpoint.id(), Arc::clone(&backend));
            backend
        };
        let vbe = backend.vbe;
        let _ = cell.set(backend);
        Some(vbe)
    }
}

fn slot(endpoint: &Endpoint) -> usize {
    usize::try_from(endpoint.slot()).unwrap_or(usize::MAX - 1)
}
