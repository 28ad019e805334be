//! The threads of varnishd that requests hold.

use std::ptr;

use ghost_core::{Holder, Threads, Usage};

use super::client::RouteNumber;
use crate::router::View;
use crate::ticket::{Kind, OVERLOADED, Ticket};

static THREADS: Threads = Threads::new();

/// A pool of varnishd's threads, and how many of them there are for requests.
#[repr(C)]
pub struct Lane {
    number: u32,
    capacity: u32,
}

/// Threads that a request holds, by `ghost_take`. All zero: none.
#[repr(C)]
pub struct Hold {
    /// Null: ghost answers by itself. Both are the table's, of the view that the request holds.
    backend: *const Usage,
    namespace: *const Usage,
    lane: u32,
    threads: u32,
}

impl Hold {
    /// SAFETY: the request still holds its view.
    unsafe fn holder(&self) -> Option<Holder<'_>> {
        // SAFETY: as promised.
        let (backend, namespace) = unsafe { (self.backend.as_ref()?, self.namespace.as_ref()?) };
        Some(Holder { backend, namespace })
    }
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Counts threads for the backend and the namespace of a request, which has held none.
///
/// # Safety
/// `view` is held until `ghost_give_back` was called for all of them; `ticket` is null or was written about it; `hold` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_take(
    view: *const View,
    ticket: *const Ticket,
    lane: Lane,
    threads: u32,
    hold: *mut Hold,
) {
    // SAFETY: as promised.
    let (view, ticket, hold) = unsafe { (view.as_ref(), ticket.as_ref(), hold.as_mut()) };
    let Some(hold) = hold else { return };
    let ticket = ticket.filter(|ticket| ticket.kind == Kind::Forward);
    let found = view.zip(ticket).and_then(|(view, ticket)| RouteNumber::of(ticket).find(&view.table));
    let holder = found.and_then(|(route, group)| Some(route.holder(group?)));
    THREADS.set_capacity(index(lane.number), lane.capacity);
    THREADS.take(index(lane.number), threads, holder);
    let pointer = |usage: Option<&Usage>| usage.map_or(ptr::null(), ptr::from_ref);
    *hold = Hold {
        backend: pointer(holder.map(|holder| holder.backend)),
        namespace: pointer(holder.map(|holder| holder.namespace)),
        lane: lane.number,
        threads,
    };
}

/// Gives back some of the threads, or all.
///
/// # Safety
/// `hold` is null or valid; what it was taken for is still held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_give_back(hold: *mut Hold, threads: u32, now_ms: u64) {
    // SAFETY: as promised.
    let Some(hold) = (unsafe { hold.as_mut() }) else { return };
    let threads = threads.min(hold.threads);
    if threads > 0 {
        // SAFETY: as promised.
        THREADS.give_back(index(hold.lane), threads, unsafe { hold.holder() }, now_ms);
        hold.threads -= threads;
    }
}

/// Whether the request may go on, with what it holds; if not, it holds nothing any more.
///
/// # Safety
/// `hold` is null or valid; what it was taken for is still held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_admits(hold: *mut Hold, now_ms: u64) -> bool {
    // SAFETY: as promised.
    let Some(hold) = (unsafe { hold.as_mut() }) else { return true };
    let (lane, threads) = (index(hold.lane), hold.threads);
    // SAFETY: as promised.
    let Some(holder) = (unsafe { hold.holder() }) else { return true };
    let admitted = THREADS.admits(lane, holder, now_ms);
    if !admitted {
        THREADS.put_back(lane, threads, Some(holder));
        hold.threads = 0;
    }
    admitted
}

/// Whether there is no thread left for any request.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_exhausted(lane: Lane) -> bool {
    THREADS.set_capacity(index(lane.number), lane.capacity);
    THREADS.is_exhausted(index(lane.number))
}

/// Whether fewer than a quarter of the threads are free, if so many more are in use than were taken.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_scarce(more: u32) -> bool {
    THREADS.are_scarce(more)
}

/// How many threads have to become free until a sixteenth is, if so many more are in use than were taken.
#[unsafe(no_mangle)]
pub extern "C" fn ghost_lacking(more: u32) -> u32 {
    THREADS.lacking(more)
}

/// From now on the ticket says that ghost answers by itself, 503 and to come again.
///
/// # Safety
/// `ticket` is null or was written.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_refuse(ticket: *mut Ticket) {
    // SAFETY: as promised.
    if let Some(ticket) = unsafe { ticket.as_mut() } {
        ticket.kind = Kind::Unavailable;
        ticket.group = OVERLOADED;
    }
}
