//! One `ghost_backend` object of one VCL, and the tables that its requests see.
//!
//! Varnish gives a fetch the director that `req.backend_hint` named and counts references to it. So each table gets a
//! director of its own in each warm VCL: whoever holds the director, a background fetch whose client has left
//! included, holds the table. Backends (VBE) belong to a VCL, too; they are made on first use and shared by all tables of the router.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use arc_swap::ArcSwapOption;
use ghost_core::{Endpoint, Table};

use crate::process::{Director, ListenerCounter, Vcl, Vrt};

pub struct Router {
    pub vcl: Vcl,
    pub vrt: Vrt,
    pub name: String,
    generation: ArcSwapOption<Generation>,
    /// By endpoint id.
    backends: Mutex<HashMap<u64, Arc<Backend>, foldhash::fast::RandomState>>,
}

/// A table as one VCL sees it. Owns the director that leads to it.
pub struct Generation {
    pub view: Arc<View>,
    pub director: Director,
    vrt: Vrt,
}

/// What the director holds: everything that a fetch needs.
pub struct View {
    pub table: Arc<Table>,
    pub router: Arc<Router>,
    /// Request counters of the listeners, by public name.
    pub listeners: Arc<HashMap<Box<[u8]>, ListenerCounter, foldhash::fast::RandomState>>,
    /// By slot of the endpoint.
    cells: Box<[OnceLock<Arc<Backend>>]>,
}

struct Backend {
    vbe: Director,
}

impl Drop for Generation {
    fn drop(&mut self) {
        self.vrt.let_go(self.director);
    }
}

pub type Listeners = Arc<HashMap<Box<[u8]>, ListenerCounter, foldhash::fast::RandomState>>;

impl Router {
    pub fn new(vcl: Vcl, vrt: Vrt, name: String) -> Self {
        Self { vcl, vrt, name, generation: ArcSwapOption::empty(), backends: Mutex::default() }
    }

    /// `None` while the VCL is cold.
    pub fn current(&self) -> Option<Arc<Generation>> {
        self.generation.load_full()
    }

    /// Makes the table ready in this VCL, outside of the swap. `None` if the VCL is about to go cold.
    pub fn prepare(self: &Arc<Self>, table: &Arc<Table>, listeners: &Listeners) -> Option<Arc<Generation>> {
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
        let view = Arc::new(View { table, router, listeners, cells });
        let director = self.vrt.add_director(self.vcl, &view, &self.name)?;
        Some(Arc::new(Generation { view, director, vrt: self.vrt }))
    }

    pub fn publish(&self, generation: Option<Arc<Generation>>) {
        drop(self.generation.swap(generation));
    }

    /// Deletes the backends that no table leads to any more.
    pub fn sweep(&self, live: &Table) {
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

    /// The VCL is going away; no request is in it.
    pub fn close(&self) {
        self.publish(None);
        for (_, backend) in self.backends().drain() {
            self.vrt.let_go(backend.vbe);
        }
    }

    fn backends(&self) -> MutexGuard<'_, HashMap<u64, Arc<Backend>, foldhash::fast::RandomState>> {
        self.backends.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl View {
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
