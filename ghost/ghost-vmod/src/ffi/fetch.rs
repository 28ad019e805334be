//! The backend's side before an answer is there: the ticket, the attempts, and whether there is another.

use std::ffi::c_void;
use std::mem::MaybeUninit;
use std::slice;
use std::sync::Arc;

use ghost_core::{
    Ended, Endpoint, Group, HeaderLine, HostName, Limit, Pick, Pool, Rewritten, Route, Select, Table, Tries,
    object_key, tries_again,
};

use super::client::RouteNumber;
use super::edit::{Edit, Editor};
use super::text::{Message, Text};
use crate::buffers::with_buffers;
use crate::router::{Router, View};
use crate::ticket::{Kind, TEXT_BYTES, Ticket};

// C keeps room for a ticket and does not look into it.
const _: () = assert!(size_of::<Ticket>() == 40 && align_of::<Ticket>() <= align_of::<u64>());

/// Header lines that tell backends where a request came in and what took it, a NUL behind each; none where there is no name.
#[repr(C)]
pub struct Names {
    listener: Text,
    route: Text,
}

impl Names {
    fn of(ticket: &Ticket, table: &Table) -> Self {
        let text = |line: Option<&HeaderLine>| line.map_or(Text::NONE, |line| Text::of(line.bytes()));
        let route = table.route(ticket.route).and_then(|(_, route)| route.line());
        Self { listener: text(table.listener_line(ticket.listener)), route: text(route) }
    }
}

/// The ticket as a text.
///
/// # Safety
/// `ticket` is null or was written; `text` is null or has room.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_ticket_write(ticket: *const Ticket, text: *mut [u8; TEXT_BYTES]) {
    // SAFETY: as promised.
    if let (Some(ticket), Some(text)) = unsafe { (ticket.as_ref(), text.as_mut()) } {
        ticket.write(text);
    }
}

/// Reads a ticket's text, once for all attempts of a fetch, and finds what it is about: a view that is held from now on. Null: it is no
/// ticket, or its view is gone.
///
/// # Safety
/// `router` is null or from `ghost_router_new`; `text`, `ticket` and `names` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_ticket(
    router: *const Router,
    text: Text,
    ticket: *mut MaybeUninit<Ticket>,
    names: *mut Names,
) -> *const View {
    // SAFETY: as promised.
    let places = unsafe { (router.as_ref(), ticket.as_mut(), names.as_mut()) };
    let (Some(router), Some(ticket), Some(names)) = places else { return std::ptr::null() };
    // SAFETY: as promised.
    let read = unsafe { text.get() }.and_then(Ticket::parse);
    let Some((read, view)) = read.and_then(|read| Some((read, router.view(read.view)?))) else {
        return std::ptr::null();
    };
    *names = Names::of(&read, &view.table);
    ticket.write(read);
    Arc::into_raw(view)
}

/// # Safety
/// `view` is null or held; `ticket` is null or was written about it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_names(view: *const View, ticket: *const Ticket) -> Names {
    // SAFETY: as promised.
    match unsafe { (view.as_ref(), ticket.as_ref()) } {
        (Some(view), Some(ticket)) => Names::of(ticket, &view.table),
        _ => Names { listener: Text::NONE, route: Text::NONE },
    }
}

#[repr(C)]
pub struct Attempt {
    /// Null: ghost answers by itself.
    backend: *const c_void,
    /// The table's, null without a backend, and its id.
    endpoint: *const Endpoint,
    endpoint_id: u64,
    /// The time for the request is spent.
    expired: bool,
    /// The route has a cache policy.
    caches: bool,
    /// New host and URL; none to leave as they are.
    host: Text,
    url: Text,
    /// Seconds. NaN: varnishd's own; infinite: none.
    connect: f64,
    first_byte: f64,
    between_bytes: f64,
    /// On the monotonic clock; 0: none.
    deadline_ms: u64,
    retries: u32,
    backoff_ms: u32,
    mirrors: bool,
}

/// Endpoints tried before in this request.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Tried {
    ids: *const u64,
    n: usize,
}

impl Tried {
    /// SAFETY: the glue's own array, which outlives the call.
    unsafe fn get<'a>(self) -> &'a [u64] {
        // SAFETY: as promised by the caller.
        if self.ids.is_null() { &[] } else { unsafe { slice::from_raw_parts(self.ids, self.n) } }
    }
}

/// One attempt: edits the request, chooses the endpoint. Without an `edit` it only chooses.
///
/// # Safety
/// `view` is held; pointers are null or valid; `ticket` is from `ghost_ticket`; `edit` takes `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_attempt(
    view: *const View,
    ticket: *const Ticket,
    message: *const Message,
    tried: Tried,
    now_ms: u64,
    began_ms: u64,
    edit: Option<Edit>,
    to: *mut c_void,
    attempt: *mut Attempt,
) {
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(attempt)) = (unsafe { (view.as_ref(), message.as_ref(), attempt.as_mut()) })
    else {
        return;
    };
    *attempt = Attempt::NONE;
    // SAFETY: as promised.
    let Some(ticket) = unsafe { ticket.as_ref() }.filter(|ticket| ticket.kind == Kind::Forward) else { return };
    let Some((route, Some(group))) = RouteNumber::of(ticket).find(&view.table) else { return };
    let began_ms = if began_ms == 0 { ticket.began_ms } else { began_ms };
    attempt.take(route, now_ms, now_ms.saturating_sub(began_ms));
    if attempt.expired {
        return;
    }
    // SAFETY: the glue's own array.
    let tried = unsafe { tried.get() };
    // SAFETY: as promised.
    let url = unsafe { message.url.get() }.unwrap_or_default();
    attempt.choose(view, group, |pool| {
        let key = match pool.select() {
            Select::Random => 0,
            Select::Hash => object_key(message.host().and_then(HostName::parse).as_ref(), url),
        };
        Pick { draw: turned(ticket.draw, tried.len()), key, now_ms, tried }
    });
    let Some(edit) = edit else { return };
    let editor = Editor { call: edit, to };
    editor.apply_all(route.request_edits());
    editor.apply_all(group.request_edits());
    attempt.rewrite(&Rewritten::of(route, Some(group)), url);
}

impl Attempt {
    const NONE: Self = Self {
        backend: std::ptr::null(),
        endpoint: std::ptr::null(),
        endpoint_id: 0,
        expired: false,
        caches: false,
        host: Text::NONE,
        url: Text::NONE,
        connect: f64::NAN,
        first_byte: f64::NAN,
        between_bytes: f64::NAN,
        deadline_ms: 0,
        retries: 0,
        backoff_ms: 0,
        mirrors: false,
    };

    /// What the route says, after this much of the request's time.
    fn take(&mut self, route: &Route, now_ms: u64, elapsed_ms: u64) {
        self.caches = route.cache().is_some();
        let Some(limits) = route.timeouts().attempt(elapsed_ms) else {
            self.expired = true;
            return;
        };
        self.connect = seconds(limits.connect);
        self.first_byte = seconds(limits.first_byte);
        self.between_bytes = seconds(limits.between_bytes);
        self.deadline_ms = limits.deadline_ms.map_or(0, |ms| now_ms + u64::from(ms));
        if let Some(retry) = route.retry() {
            self.retries = retry.attempts;
            self.backoff_ms = retry.backoff_ms;
        }
        self.mirrors = !route.mirrors().is_empty();
    }

    fn choose<'p>(&mut self, view: &View, group: &Group, pick: impl FnOnce(&Pool) -> Pick<'p>) {
        let endpoint = view.table.pool(group.target()).and_then(|pool| pool.pick(&pick(pool)));
        if let Some((endpoint, backend)) = endpoint.and_then(|endpoint| Some((endpoint, view.backend(endpoint)?))) {
            self.backend = backend.0;
            self.endpoint = Arc::as_ptr(endpoint);
            self.endpoint_id = endpoint.id();
        }
    }

    fn rewrite(&mut self, rewritten: &Rewritten<'_>, url: &[u8]) {
        self.host = rewritten.hostname.map_or(Text::NONE, |host| Text::of(host.as_bytes()));
        if rewritten.path.is_some() {
            with_buffers(|buffers| {
                buffers.out.clear();
                rewritten.write_url(url, &mut buffers.out);
                self.url = Text::of(&buffers.out);
            });
        }
    }
}

/// A draw for each attempt, from that of the request.
fn turned(draw: u64, tried: usize) -> u32 {
    let turn = u32::try_from(tried).unwrap_or_default();
    let low = u32::try_from(draw & u64::from(u32::MAX)).unwrap_or_default();
    low ^ turn.wrapping_mul(0x9e37_79b9)
}

fn seconds(limit: Limit) -> f64 {
    match limit {
        Limit::Inherit => f64::NAN,
        Limit::Never => f64::INFINITY,
        Limit::Ms(ms) => f64::from(ms) / 1e3,
    }
}

/// A connection came about.
///
/// # Safety
/// `view` is null or held; `endpoint` is null or an attempt's with this view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_connected(view: *const View, endpoint: *const Endpoint) {
    // SAFETY: as promised; the view's table holds the endpoint.
    if let (Some(_), Some(endpoint)) = unsafe { (view.as_ref(), endpoint.as_ref()) } {
        endpoint.health.succeeded();
    }
}

/// No connection came about.
///
/// # Safety
/// `view` is null or held; `endpoint` is null or an attempt's with this view.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_not_connected(view: *const View, endpoint: *const Endpoint, now_ms: u64) {
    // SAFETY: as promised; the view's table holds the endpoint.
    if let (Some(view), Some(endpoint)) = unsafe { (view.as_ref(), endpoint.as_ref()) } {
        endpoint.health.failed(now_ms, view.table.ejection());
    }
}

/// How an attempt ended, and what came before it.
#[repr(C)]
pub struct AttemptEnd {
    /// 0 answered, 1 no connection, 2 unanswered, 3 broken.
    end: u8,
    repeated: bool,
    /// Of the answer.
    status: u16,
    retries: u32,
    tried: Tried,
}

/// Whether there is another attempt.
///
/// # Safety
/// `view` is held; `ticket` is null or from `ghost_ticket`; `ended` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_again(
    view: *const View,
    ticket: *const Ticket,
    ended: *const AttemptEnd,
    now_ms: u64,
    began_ms: u64,
) -> bool {
    // SAFETY: as promised.
    let (Some(view), Some(ticket), Some(last)) = (unsafe { (view.as_ref(), ticket.as_ref(), ended.as_ref()) }) else {
        return false;
    };
    if ticket.kind != Kind::Forward {
        return false;
    }
    let Some((route, Some(group))) = RouteNumber::of(ticket).find(&view.table) else { return false };
    let ended = match last.end {
        0 => Ended::Status(last.status),
        1 => Ended::NotConnected,
        2 => Ended::Unanswered,
        _ => Ended::Broken,
    };
    // SAFETY: the glue's own array.
    let tried = unsafe { last.tried.get() };
    let untried = || view.table.pool(group.target()).is_some_and(|pool| pool.has_untried(tried));
    let so_far = Tries {
        retries: last.retries,
        repeated: last.repeated,
        untried: matches!(ended, Ended::NotConnected) && untried(),
    };
    let began_ms = if began_ms == 0 { ticket.began_ms } else { began_ms };
    let backoff_ms = route.retry().map_or(0, |retry| retry.backoff_ms);
    let elapsed_ms = now_ms.saturating_sub(began_ms) + u64::from(backoff_ms);
    tries_again(route.retry(), ended, so_far) && route.timeouts().attempt(elapsed_ms).is_some()
}
