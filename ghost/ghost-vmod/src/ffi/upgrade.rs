//! `Upgrade`: what a client offers, what a backend answers, and the backend that a tunnel holds.

use std::sync::Arc;

use ghost_core::{Endpoint, accepts_websocket, offers_websocket, write_without_upgrade};

use super::text::{Lines, Text};
use crate::buffers::with_buffers;
use crate::router::{Backend, View};

/// Whether a request offers to change to WebSocket.
///
/// # Safety
/// `headers` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_offers_websocket(headers: Lines) -> bool {
    offers_websocket(&headers)
}

/// Whether an answer has changed to WebSocket.
///
/// # Safety
/// `headers` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_accepts_websocket(headers: Lines) -> bool {
    accepts_websocket(&headers)
}

/// A value of `Connection` without `upgrade`, in this thread's buffers.
///
/// # Safety
/// `value` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_without_upgrade(value: Text) -> Text {
    // SAFETY: as promised.
    let value = unsafe { value.get() }.unwrap_or_default();
    with_buffers(|buffers| {
        buffers.out.clear();
        write_without_upgrade(value, &mut buffers.out);
        Text::of(&buffers.out)
    })
    .unwrap_or(Text::NONE)
}

/// Holds the backend of an endpoint, so that a tunnel need not hold a whole table for as long as it is open. Null: there is none.
///
/// # Safety
/// `view` is null or held; `endpoint` is null or an attempt's with this view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_backend_hold(view: *const View, endpoint: *const Endpoint) -> *const Backend {
    // SAFETY: as promised.
    let (Some(view), Some(endpoint)) = (unsafe { (view.as_ref(), endpoint.as_ref()) }) else {
        return std::ptr::null();
    };
    view.hold(endpoint).map_or(std::ptr::null(), Arc::into_raw)
}

/// # Safety
/// `backend` is null or from `ghost_backend_hold`, and is not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_backend_release(backend: *const Backend) {
    if !backend.is_null() {
        // SAFETY: as promised.
        drop(unsafe { Arc::from_raw(backend) });
    }
}
