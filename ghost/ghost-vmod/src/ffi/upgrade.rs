//! `Upgrade`: what a client offers, what a backend answers, and the backend that a tunnel holds.

use std::sync::Arc;

use ghost_core::{Endpoint, Usage, accepts_websocket, offers_websocket, write_without_upgrade};

use super::client::RouteNumber;
use super::text::{Lines, Text};
use crate::buffers::with_buffers;
use crate::router::{Backend, View};
use crate::ticket::Ticket;

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

/// What an open tunnel needs of its table.
pub struct Held {
    _backend: Arc<Backend>,
    /// The tunnel's threads are counted there.
    _usages: Option<[Arc<Usage>; 2]>,
}

/// Holds the backend of an endpoint, and the counters of the request's threads, so that a tunnel need not hold a whole table for as long as it is
/// open. Null: there is no backend.
///
/// # Safety
/// `view` is null or held; `ticket` is null or was written about it; `endpoint` is null or an attempt's with this view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_backend_hold(
    view: *const View,
    ticket: *const Ticket,
    endpoint: *const Endpoint,
) -> *const Held {
    // SAFETY: as promised.
    let (view, ticket, endpoint) = unsafe { (view.as_ref(), ticket.as_ref(), endpoint.as_ref()) };
    let (Some(view), Some(endpoint)) = (view, endpoint) else {
        return std::ptr::null();
    };
    let route = ticket.and_then(|ticket| RouteNumber::of(ticket).find(&view.table));
    let held = view.hold(endpoint).map(|backend| Held {
        _backend: backend,
        _usages: route.and_then(|(route, group)| Some(route.usages(group?))),
    });
    held.map_or(std::ptr::null(), |held| Box::into_raw(Box::new(held)))
}

/// # Safety
/// `held` is null or from `ghost_backend_hold`, and is not used again. The request's threads were given back.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_backend_release(held: *const Held) {
    if !held.is_null() {
        // SAFETY: as promised.
        drop(unsafe { Box::from_raw(held.cast_mut()) });
    }
}
