//! Routers, what they hold of a table, and what `backend.list` shows of it.

use std::ffi::c_void;
use std::sync::Arc;

use super::text::Text;
use super::vrt::{Vcl, Vrt};
use crate::process::PROCESS;
use crate::router::{Router, View};

#[unsafe(no_mangle)]
pub extern "C" fn ghost_router_new(vrt: Vrt, vcl: *mut c_void) -> *const Router {
    Arc::into_raw(Arc::new(Router::new(Vcl(vcl), vrt)))
}

/// # Safety
/// `router` is null or from `ghost_router_new`.
unsafe fn router_of(router: *const Router) -> Option<Arc<Router>> {
    if router.is_null() {
        return None;
    }
    // SAFETY: the count goes up for the reference that we make.
    unsafe {
        Arc::increment_strong_count(router);
        Some(Arc::from_raw(router))
    }
}

/// # Safety
/// `router` is null or from `ghost_router_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_router_warm(router: *const Router) {
    // SAFETY: as promised.
    if let Some(router) = unsafe { router_of(router) } {
        PROCESS.adopt(&router);
    }
}

/// # Safety
/// `router` is null or from `ghost_router_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_router_cold(router: *const Router) {
    // SAFETY: as promised.
    if let Some(router) = unsafe { router_of(router) } {
        PROCESS.release(&router);
    }
}

/// # Safety
/// `router` is null or from `ghost_router_new`, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_router_free(router: *const Router) {
    // SAFETY: as promised.
    if let Some(open) = unsafe { router_of(router) } {
        PROCESS.release(&open);
        open.close();
        // SAFETY: the reference of `ghost_router_new`.
        drop(unsafe { Arc::from_raw(router) });
    }
}

/// The newest table in this VCL, held until `ghost_view_release`. Null if there is none.
///
/// # Safety
/// `router` is null or from `ghost_router_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_router_load(router: *const Router) -> *const View {
    // SAFETY: as promised; borrowed for the call only.
    let newest = unsafe { router.as_ref() }.and_then(Router::newest);
    newest.map_or(std::ptr::null(), Arc::into_raw)
}

/// # Safety
/// `view` is null or held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_view_linger(view: *const View, now_ms: u64) {
    // SAFETY: as promised.
    if let Some(view) = unsafe { view.as_ref() } {
        view.linger(now_ms);
    }
}

/// Holds it once more.
///
/// # Safety
/// `view` is null or held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_view_hold(view: *const View) -> *const View {
    if !view.is_null() {
        // SAFETY: from `Arc::into_raw`.
        unsafe { Arc::increment_strong_count(view) };
    }
    view
}

/// # Safety
/// `view` is null or held, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_view_release(view: *const View) {
    if !view.is_null() {
        // SAFETY: from `Arc::into_raw`.
        drop(unsafe { Arc::from_raw(view) });
    }
}

#[repr(C)]
pub struct Summary {
    hosts: usize,
    routes: usize,
    endpoints: usize,
    hash: Text,
    newest: bool,
}

/// # Safety
/// `view` is null or held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_summary(view: *const View) -> Summary {
    // SAFETY: as promised.
    let Some(view) = (unsafe { view.as_ref() }) else {
        return Summary { hosts: 0, routes: 0, endpoints: 0, hash: Text::NONE, newest: false };
    };
    Summary {
        hosts: view.table.hosts().len(),
        routes: view.table.routes(),
        endpoints: view.table.endpoints().len(),
        hash: view.table.hash().map_or(Text::NONE, |hash| Text::of(hash.as_bytes())),
        newest: Arc::ptr_eq(&view.table, &PROCESS.table()),
    }
}

/// The name of a host and the number of its routes; false beyond the last.
///
/// # Safety
/// `view` is held; pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_host(view: *const View, at: usize, name: *mut Text, routes: *mut usize) -> bool {
    // SAFETY: as promised.
    let (Some(view), Some(name), Some(routes)) = (unsafe { (view.as_ref(), name.as_mut(), routes.as_mut()) }) else {
        return false;
    };
    let Some(host) = view.table.hosts().get(at) else { return false };
    *name = Text::of(host.name().as_bytes());
    *routes = host.routes().len();
    true
}
