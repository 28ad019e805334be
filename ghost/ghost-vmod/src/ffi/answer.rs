//! The backend's side of an answer: what is stored of the backend's, what ghost answers by itself, what mirrors get.

use std::ffi::c_void;
use std::sync::Arc;

use ghost_core::{CachePolicy, Freshness, Headers, HostName, Op, Pick, PurgeKey, write_purge_key};

use super::edit::{Edit, Editor};
use super::text::{Lines, Message, Text};
use crate::answer::Answer;
use crate::buffers::{Buffers, with_buffers};
use crate::epoch;
use crate::mirror;
use crate::router::View;
use crate::ticket::{Kind, Ticket};

#[repr(C)]
pub struct Stored {
    /// The route has a policy.
    policy: bool,
    uncacheable: bool,
    /// Negative: as the origin says.
    ttl_seconds: i64,
    grace_seconds: u32,
    keep_seconds: u32,
    stale_if_error_seconds: u32,
    /// Keys to purge by, separated by spaces, in this thread's buffers. The first begins with kind and host: bans go by that.
    keys: Text,
}

/// What the route's policy makes of an answer. `request` is the one that the client sent, `lines` are the answer's.
///
/// # Safety
/// `view` is held; pointers are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_store(
    view: *const View,
    ticket: *const Ticket,
    request: *const Message,
    status: u16,
    lines: Lines,
    sent_ms: u64,
    stored: *mut Stored,
) {
    // SAFETY: as promised.
    let (Some(view), Some(request), Some(stored)) = (unsafe { (view.as_ref(), request.as_ref(), stored.as_mut()) })
    else {
        return;
    };
    *stored = Stored::NONE;
    // SAFETY: as promised.
    let Some(ticket) = unsafe { ticket.as_ref() }.filter(|ticket| ticket.kind == Kind::Forward) else { return };
    let Some(policy) = view.table.route(ticket.route).and_then(|(_, route)| route.cache()) else { return };
    stored.take(policy, policy.freshness(status, &lines));
    // SAFETY: as promised.
    let url = unsafe { request.url.get() }.unwrap_or_default();
    let host = request.host().and_then(HostName::parse);
    with_buffers(|buffers| {
        let out = &mut buffers.out;
        out.clear();
        write_keys(policy, host.as_ref(), url, &lines, out);
        stored.uncacheable |= !epoch::is_current(out, sent_ms);
        stored.keys = Text::of(out);
    });
}

impl Stored {
    const NONE: Self = Self {
        policy: false,
        uncacheable: false,
        ttl_seconds: -1,
        grace_seconds: 0,
        keep_seconds: 0,
        stale_if_error_seconds: 0,
        keys: Text::NONE,
    };

    fn take(&mut self, policy: &CachePolicy, freshness: Freshness) {
        self.policy = true;
        match freshness {
            Freshness::Uncacheable => self.uncacheable = true,
            Freshness::Origin => {}
            Freshness::Seconds(seconds) => self.ttl_seconds = seconds.into(),
        }
        self.grace_seconds = policy.grace_seconds;
        self.keep_seconds = policy.keep_seconds;
        self.stale_if_error_seconds = policy.stale_if_error_seconds;
    }
}

/// The keys that an object can be purged by, separated by spaces: its host and URL, and the origin's tags. The first is
/// always one of ours.
fn write_keys(policy: &CachePolicy, host: Option<&HostName>, url: &[u8], lines: &Lines, out: &mut Vec<u8>) {
    let neither = !policy.purge_by_path && !policy.purge_by_url;
    let kinds =
        [(policy.purge_by_path, PurgeKey::Path), (policy.purge_by_url, PurgeKey::Url), (neither, PurgeKey::Host)];
    for (_, kind) in kinds.into_iter().filter(|(wanted, _)| *wanted) {
        write_purge_key(kind, host, url, out);
        out.push(b' ');
    }
    if let Some(name) = policy.tags_header() {
        for value in lines.all(name.as_bytes()) {
            out.extend(value.iter().map(|&b| if b == b',' { b' ' } else { b }));
            out.push(b' ');
        }
    }
    if out.last() == Some(&b' ') {
        out.pop();
    }
}

#[repr(C)]
pub struct Answered {
    status: u16,
    close: bool,
    body: Text,
}

/// Ghost's own answer; its headers go to `edit`.
///
/// # Safety
/// `view` is held; `message` is null or valid; `edit` takes `to`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_answer(
    view: *const View,
    ticket: *const Ticket,
    message: *const Message,
    edit: Edit,
    to: *mut c_void,
) -> Answered {
    let lost = Answered { status: 503, close: false, body: Text::of(b"no table") };
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(ticket)) = (unsafe { (view.as_ref(), message.as_ref(), ticket.as_ref()) })
    else {
        return lost;
    };
    // SAFETY: as promised.
    let url = unsafe { message.url.get() }.unwrap_or_default();
    let place = (message.host().unwrap_or_default(), url);
    let editor = Editor { call: edit, to };
    with_buffers(|buffers| {
        let Buffers { edits, out, .. } = buffers;
        let answer = Answer::of(&view.table, ticket, place, &message.lines, edits, out);
        editor.apply_buffer(edits);
        if answer.overloaded {
            editor.apply(Op::Set, b"Retry-After", b"1");
        }
        if answer.redirects {
            editor.apply(Op::Set, b"Location", out);
        }
        Answered { status: answer.status, close: answer.close, body: Text::of(answer.body.as_bytes()) }
    })
    .unwrap_or(lost)
}

/// Sends copies of a request to the mirrors that its draw falls on. Returns how many found no room.
///
/// # Safety
/// `view` is held; `message` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_mirror(
    view: *const View,
    ticket: *const Ticket,
    message: *const Message,
    body: Text,
) -> u32 {
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(ticket)) = (unsafe { (view.as_ref(), message.as_ref(), ticket.as_ref()) })
    else {
        return 0;
    };
    // SAFETY: as promised.
    let body = unsafe { body.get() }.unwrap_or_default();
    let Some((_, route)) = view.table.route(ticket.route) else { return 0 };
    let mut text: Option<Arc<[u8]>> = None;
    let mut dropped = 0;
    for target in route.mirrors_for(ticket.draw) {
        let pick = Pick {
            draw: u32::try_from(ticket.draw >> 32).unwrap_or_default(),
            key: ticket.draw,
            now_ms: ticket.began_ms,
            tried: &[],
        };
        let endpoint = view.table.pool(target.target()).and_then(|pool| pool.pick(&pick));
        let Some(endpoint) = endpoint.filter(|endpoint| endpoint.tls_name().is_none()) else {
            dropped += 1;
            continue;
        };
        // SAFETY: as promised.
        let message = text.get_or_insert_with(|| unsafe { serialise(message, body) }.into());
        let copy = mirror::Copy {
            name: mirror::Name { target: Arc::clone(target.usage()), namespace: Arc::clone(route.namespace()) },
            endpoint: Arc::clone(endpoint),
            message: Arc::clone(message),
        };
        dropped += u32::from(!mirror::enqueue(copy));
    }
    dropped
}

/// SAFETY: the texts of `message` are valid.
unsafe fn serialise(message: &Message, body: &[u8]) -> Vec<u8> {
    const OURS: [&[u8]; 7] =
        [b"connection", b"content-length", b"transfer-encoding", b"upgrade", b"te", b"expect", b"keep-alive"];
    let mut out = Vec::with_capacity(1_024 + body.len());
    // SAFETY: as promised.
    let (method, url) = unsafe { (message.method.get().unwrap_or_default(), message.url.get().unwrap_or_default()) };
    for part in [method, b" ", url, b" HTTP/1.1\r\n"] {
        out.extend_from_slice(part);
    }
    for (name, value) in message.lines.iter() {
        if !OURS.iter().any(|ours| ours.eq_ignore_ascii_case(name)) {
            for part in [name, b":", value, b"\r\n"] {
                out.extend_from_slice(part);
            }
        }
    }
    out.extend_from_slice(b"Connection: close\r\n");
    if !body.is_empty() {
        out.extend_from_slice(format!("Content-Length: {}\r\n", body.len()).as_bytes());
    }
    out.extend_from_slice(b"\r\n");
    out.extend_from_slice(body);
    out
}
