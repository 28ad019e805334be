//! The client's side: choosing a route, and what becomes of the request and of its answer.

use std::ffi::c_void;
use std::mem::MaybeUninit;

use ghost_core::{Chance, Group, Op, Request, Route, RouteId, Scheme, Table, offers_websocket};

use super::edit::{Edit, Editor};
use super::text::{Lines, Message, Text, value_of};
use crate::buffers::with_buffers;
use crate::log::LogLine;
use crate::router::View;
use crate::ticket::{Kind, Ticket};

#[repr(C)]
pub struct Chosen {
    kind: u8,
    /// Of the listener: 0 there is none, 1 http, 2 https.
    scheme: u8,
    /// The public one; 0: unknown.
    port: u16,
    route: RouteNumber,
    /// Body bytes to keep; 0: none.
    buffer_bytes: u32,
    /// The name of a listener that has none in the table.
    socket: Text,
    /// What the log says, in this thread's buffers.
    log: Text,
    ticket: MaybeUninit<Ticket>,
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct RouteNumber {
    pub(super) host: u32,
    pub(super) rank: u32,
    pub(super) group: u32,
}

impl RouteNumber {
    pub(super) fn of(ticket: &Ticket) -> Self {
        Self { host: ticket.route.host, rank: ticket.route.rank, group: ticket.group.into() }
    }

    fn id(self) -> RouteId {
        RouteId { host: self.host, rank: self.rank }
    }

    pub(super) fn find(self, table: &Table) -> Option<(&Route, Option<&Group>)> {
        let (_, route) = table.route(self.id())?;
        let group = usize::try_from(self.group).ok().and_then(|group| route.groups().get(group));
        Some((route, group))
    }
}

/// Whether the port of a connection decides anything.
///
/// # Safety
/// `view` is null or held.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_asks_for_port(view: *const View) -> bool {
    // SAFETY: as promised.
    unsafe { view.as_ref() }.is_some_and(|view| view.table.asks_for_port())
}

/// Where only ghost itself answers, and only on its own socket.
const RESERVED: &[u8] = b"/.varnish-ghost/";

/// # Safety
/// `view` is held; `message` and `chosen` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_select(
    view: *const View,
    message: *const Message,
    now_ms: u64,
    chosen: *mut Chosen,
) -> bool {
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(chosen)) = (unsafe { (view.as_ref(), message.as_ref(), chosen.as_mut()) })
    else {
        return false;
    };
    with_buffers(|buffers| {
        // SAFETY: the glue's texts live as long as the call.
        let request = unsafe {
            Request {
                socket: message.socket.get().unwrap_or_default(),
                port: Some(message.port).filter(|&port| port != 0),
                server_name: message.server_name.get(),
                method: message.method.get().unwrap_or_default(),
                url: message.url.get().unwrap_or_default(),
                host: message.host_near(&mut buffers.host_line),
                headers: &message.lines,
            }
        };
        let draw = buffers.draw();
        let hostless = message.wants_host && request.host.is_none();
        let choice = if hostless || request.url.starts_with(RESERVED) {
            ghost_core::Choice::NoListener
        } else {
            view.table.select(&request, Chance { draw, now_ms }, &mut buffers.scratch)
        };
        let mut ticket = Ticket::of(&choice, draw, now_ms, view.number);
        if hostless {
            ticket.kind = Kind::NoHostHeader;
        }
        let (listener, route) = match &choice {
            ghost_core::Choice::Route(matched, _) => (Some(matched.listener), Some(matched.route)),
            ghost_core::Choice::NoHost(listener) | ghost_core::Choice::NoRoute(listener) => (Some(*listener), None),
            _ => (None, None),
        };
        let name = listener.map(|listener| listener.name);
        let number = listener.and_then(|listener| listener.number).and_then(|number| usize::try_from(number).ok());
        if let Some(Some(counter)) = number.and_then(|number| view.listeners.get(number)) {
            counter.add_one();
        }
        chosen.kind = ticket.kind as u8;
        chosen.scheme = listener.map_or(0, |it| if it.scheme == Scheme::Https { 2 } else { 1 });
        chosen.port = listener.and_then(|it| it.port).unwrap_or_default();
        chosen.route = RouteNumber::of(&ticket);
        chosen.buffer_bytes = if ticket.kind == Kind::Forward { route.map_or(0, Route::buffer_bytes) } else { 0 };
        chosen.socket = listener.filter(|it| it.number.is_none()).map_or(Text::NONE, |it| Text::of(it.name));
        LogLine { route, listener: name.unwrap_or_default(), kind: ticket.kind }.write(&mut buffers.out);
        chosen.log = Text::of(&buffers.out);
        chosen.ticket.write(ticket);
    })
    .is_some()
}

#[repr(C)]
pub struct Disposition {
    /// 0 pass, 1 look up, 2 pipe.
    way: u8,
    grace_seconds: u32,
    stale_if_error_seconds: u32,
}

/// What in a request's headers decides about its way, found in one pass.
#[derive(Default)]
struct Seen {
    upgrade: bool,
    /// Of the headers that make a request one person's.
    authorization: bool,
    cookie: bool,
}

impl Seen {
    fn in_lines(lines: &Lines) -> Self {
        let mut seen = Self::default();
        for line in lines.texts() {
            match line.first().map(u8::to_ascii_lowercase) {
                Some(b'a') => seen.authorization |= value_of(line, b"authorization").is_some(),
                Some(b'c') => seen.cookie |= value_of(line, b"cookie").is_some(),
                Some(b'u') => seen.upgrade |= value_of(line, b"upgrade").is_some(),
                _ => {}
            }
        }
        seen
    }
}

/// What to do with a request as it is now: user VCL may have taken a cookie away, or added one. `may_upgrade` is what
/// the glue found when the request came.
///
/// # Safety
/// `view` is held; `method` and `headers` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_disposition(
    view: *const View,
    route: RouteNumber,
    kind: u8,
    may_upgrade: bool,
    method: Text,
    headers: Lines,
) -> Disposition {
    let mut disposition = Disposition { way: 0, grace_seconds: 0, stale_if_error_seconds: 0 };
    // SAFETY: as promised.
    let Some(view) = (unsafe { view.as_ref() }) else { return disposition };
    let found = route.find(&view.table).filter(|_| kind == Kind::Forward as u8);
    let Some((route, _)) = found else { return disposition };
    let seen = Seen::in_lines(&headers);
    if may_upgrade && seen.upgrade && offers_websocket(&headers) {
        disposition.way = 2;
        return disposition;
    }
    let Some(policy) = route.cache() else { return disposition };
    disposition.grace_seconds = policy.grace_seconds;
    disposition.stale_if_error_seconds = policy.stale_if_error_seconds;
    // SAFETY: as promised.
    let method = unsafe { method.get() }.unwrap_or_default();
    let personal = (seen.authorization && !policy.allow_authorization) || (seen.cookie && !policy.allow_cookies);
    if (method == b"GET" || method == b"HEAD") && !personal && !policy.bypasses(&headers) {
        disposition.way = 1;
    }
    disposition
}

/// The edits of a response: the group's, the rule's, CORS.
///
/// # Safety
/// `view` is held; `request` has the lines of the request; `edit` takes `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_deliver(
    view: *const View,
    route: RouteNumber,
    kind: u8,
    request: Lines,
    edit: Edit,
    to: *mut c_void,
) {
    // SAFETY: as promised.
    let Some(view) = (unsafe { view.as_ref() }) else { return };
    let Some((route, group)) = route.find(&view.table) else { return };
    let editor = Editor { call: edit, to };
    if kind != Kind::Forward as u8 {
        return;
    }
    if let Some(tags) = route.cache().and_then(|policy| policy.tags_header()) {
        editor.apply(Op::Remove, tags.as_bytes(), b"");
    }
    if let Some(group) = group {
        editor.apply_all(group.response_edits());
    }
    editor.apply_all(route.response_edits());
    if let Some(cors) = route.cors() {
        with_buffers(|buffers| {
            buffers.edits.clear();
            cors.write_response(&request, &mut buffers.edits);
            editor.apply_buffer(&buffers.edits);
        });
    }
}
