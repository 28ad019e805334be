//! Everything that C calls, and every pointer. `glue/ghost.h` declares the same for C.
//!
//! Pointers that C hands in are null or valid for the length of the call; null is checked everywhere. Text that goes
//! out belongs to the table (valid as long as the view is held) or to the buffers of this thread (valid until the next call).

use std::cell::RefCell;
use std::ffi::{CStr, CString, c_char, c_void};
use std::hash::{BuildHasher, Hasher, RandomState};
use std::mem::MaybeUninit;
use std::net::{IpAddr, ToSocketAddrs};
use std::slice;
use std::sync::Arc;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU64, Ordering};

use ghost_core::{
    Address, Chance, EditBuffer, Ended, Endpoint, Freshness, Group, HeaderEdit, Headers, HostName, KeyParts, Limit, Op,
    Pick, PurgeKey, Request, Rewritten, Route, RouteId, Scratch, Select, Table, object_key, write_purge_key,
};
use siphasher::sip128::SipHasher13;

use crate::answer::Answer;
use crate::epoch;
use crate::log::LogLine;
use crate::mirror;
use crate::process::PROCESS;
use crate::router::{Generation, Router, View};
use crate::ticket::{Kind, TEXT_BYTES, Ticket, letters};

/// A VCL, as Varnish names it.
#[derive(Clone, Copy)]
pub struct Vcl(*mut c_void);
/// A director of Varnish. Valid as long as whoever made it has not deleted it.
#[derive(Clone, Copy)]
pub struct Director(*const c_void);
/// A counter in the memory that varnishstat reads. Never freed.
#[derive(Clone, Copy)]
pub struct ListenerCounter(*mut u64);

// SAFETY: handed back to Varnish only, whose functions take them from any thread.
unsafe impl Send for Vcl {}
unsafe impl Sync for Vcl {}
unsafe impl Send for Director {}
unsafe impl Sync for Director {}
// SAFETY: used through atomic operations only.
unsafe impl Send for ListenerCounter {}
unsafe impl Sync for ListenerCounter {}

impl ListenerCounter {
    fn add_one(self) {
        // SAFETY: the glue gives out aligned counters that live as long as the process.
        unsafe { AtomicU64::from_ptr(self.0) }.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the glue does for us.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Vrt {
    add_director: unsafe extern "C" fn(*mut c_void, *const View, *const c_char) -> *const c_void,
    new_backend: unsafe extern "C" fn(*mut c_void, *const Place) -> *const c_void,
    let_go: unsafe extern "C" fn(*const c_void),
    listener_counter: unsafe extern "C" fn(*const c_char) -> *mut u64,
    loaded: unsafe extern "C" fn(bool, usize),
    mirrors_failed: unsafe extern "C" fn(u64),
}

/// Where a backend is.
#[repr(C)]
pub struct Place {
    /// 4, 6, or 0 for a path.
    family: u8,
    address: [u8; 16],
    port: u16,
    path: *const c_char,
    name: *const c_char,
    host: *const c_char,
}

impl Vrt {
    /// The director gets a reference to the view, which `ghost_view_release` gives back.
    pub fn add_director(self, vcl: Vcl, view: &Arc<View>, name: &str) -> Option<Director> {
        let name = CString::new(name).ok()?;
        let view = Arc::into_raw(Arc::clone(view));
        // SAFETY: the VCL is warm: its router is closed first.
        let director = unsafe { (self.add_director)(vcl.0, view, name.as_ptr()) };
        if director.is_null() {
            // SAFETY: from `into_raw` above, and nobody took it.
            drop(unsafe { Arc::from_raw(view) });
            return None;
        }
        Some(Director(director))
    }

    pub fn new_backend(self, vcl: Vcl, endpoint: &Endpoint) -> Option<Director> {
        // varnishd has no TLS towards backends. Plain text instead would be a betrayal.
        if endpoint.tls_name().is_some() {
            return None;
        }
        let (mut family, mut address, mut port, mut path) = (0, [0; 16], 0, CString::default());
        let ip = match endpoint.address() {
            Address::Ip(ip, number) => Some((*ip, *number)),
            Address::Dns(name, number) => {
                let mut found = (&**name, *number).to_socket_addrs().ok()?;
                Some((found.next()?.ip(), *number))
            }
            Address::Unix(place) => {
                path = CString::new(&**place).ok()?;
                None
            }
        };
        if let Some((ip, number)) = ip {
            port = number;
            match ip {
                IpAddr::V4(ip) => {
                    family = 4;
                    for (to, from) in address.iter_mut().zip(ip.octets()) {
                        *to = from;
                    }
                }
                IpAddr::V6(ip) => {
                    family = 6;
                    address = ip.octets();
                }
            }
        }
        let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
        let name: String = "ghost_".chars().chain(endpoint.key().chars().map(plain)).collect();
        let name = CString::new(name).ok()?;
        let host = CString::new(if family == 0 { "localhost" } else { endpoint.key() }).ok()?;
        let place = Place { family, address, port, path: path.as_ptr(), name: name.as_ptr(), host: host.as_ptr() };
        // SAFETY: all pointers of `place` outlive the call.
        let backend = unsafe { (self.new_backend)(vcl.0, &raw const place) };
        (!backend.is_null()).then_some(Director(backend))
    }

    /// Gives up what `add_director` or `new_backend` made. Requests that use it keep it until they are done.
    pub fn let_go(self, director: Director) {
        // SAFETY: its owner calls this once.
        unsafe { (self.let_go)(director.0) }
    }

    pub fn loaded(self, live: bool, refused: usize) {
        // SAFETY: plain call.
        unsafe { (self.loaded)(live, refused) }
    }

    pub fn mirrors_failed(self, count: u64) {
        if count > 0 {
            // SAFETY: plain call.
            unsafe { (self.mirrors_failed)(count) }
        }
    }

    pub fn listener_counter(self, name: &str) -> Option<ListenerCounter> {
        let name = CString::new(name).ok()?;
        // SAFETY: plain call.
        let counter = unsafe { (self.listener_counter)(name.as_ptr()) };
        (!counter.is_null() && counter.is_aligned()).then_some(ListenerCounter(counter))
    }
}

/// Bytes without a terminator; null is "none".
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    b: *const u8,
    n: usize,
}

impl Text {
    const NONE: Self = Self { b: std::ptr::null(), n: 0 };

    fn of(bytes: &[u8]) -> Self {
        Self { b: bytes.as_ptr(), n: bytes.len() }
    }

    /// SAFETY: null, or valid for as long as the result is used.
    unsafe fn get<'a>(self) -> Option<&'a [u8]> {
        // SAFETY: as promised by the caller.
        (!self.b.is_null()).then(|| unsafe { slice::from_raw_parts(self.b, self.n) })
    }
}

/// Varnish's `txt`: from `b` up to, not including, `e`.
#[repr(C)]
pub struct Txt {
    b: *const u8,
    e: *const u8,
}

/// The header lines of a `struct http`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Lines {
    first: *const Txt,
    n: usize,
}

impl Lines {
    fn texts(&self) -> impl Iterator<Item = &[u8]> {
        // SAFETY: the glue passes the lines of a live `struct http`, or null with 0.
        let lines = if self.first.is_null() { &[][..] } else { unsafe { slice::from_raw_parts(self.first, self.n) } };
        lines.iter().filter(|line| !line.b.is_null() && line.b <= line.e).map(|line| {
            // SAFETY: Varnish keeps both ends in one workspace.
            unsafe { slice::from_raw_parts(line.b, line.e as usize - line.b as usize) }
        })
    }
}

impl Headers for Lines {
    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.texts().filter_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            Some((line.get(..colon)?, line.get(colon + 1..)?))
        })
    }

    /// A colon where the name would end is looked for first: few lines get as far as having letters compared.
    fn all<'h>(&'h self, name: &[u8]) -> impl Iterator<Item = &'h [u8]> {
        self.texts().filter_map(move |line| {
            let (head, tail) = line.split_at_checked(name.len())?;
            let (b':', value) = tail.split_first()? else { return None };
            head.eq_ignore_ascii_case(name).then(|| value.trim_ascii())
        })
    }
}

/// A request or its answer, as far as ghost looks at it.
#[repr(C)]
pub struct Message {
    socket: Text,
    server_name: Text,
    /// 0: unknown.
    port: u16,
    method: Text,
    url: Text,
    host: Text,
    lines: Lines,
}

#[derive(Default)]
struct Buffers {
    scratch: Scratch,
    edits: EditBuffer,
    out: Vec<u8>,
    url: Vec<u8>,
    random: u64,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

fn with_buffers<R>(work: impl FnOnce(&mut Buffers) -> R) -> Option<R> {
    BUFFERS.try_with(|buffers| buffers.try_borrow_mut().ok().map(|mut buffers| work(&mut buffers))).ok().flatten()
}

impl Buffers {
    /// Good enough to share load by; nothing secret depends on it. (`SplitMix64`.)
    fn draw(&mut self) -> u64 {
        if self.random == 0 {
            self.random = RandomState::new().build_hasher().finish();
        }
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

// ---------------------------------------------------------------- the process

#[unsafe(no_mangle)]
pub extern "C" fn ghost_start(vrt: Vrt) -> bool {
    PROCESS.start(vrt)
}

/// # Safety
/// `path` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_path(path: *const c_char) {
    if !path.is_null() {
        // SAFETY: checked, and promised by the caller.
        PROCESS.set_path(&unsafe { CStr::from_ptr(path) }.to_string_lossy());
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_preload() {
    PROCESS.preload();
}

/// What came of a reload. `json` is to be given back to `ghost_text_free`.
#[repr(C)]
pub struct Reloaded {
    live: bool,
    json: *mut c_char,
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_reload() -> Reloaded {
    let outcome = PROCESS.reload();
    let json = CString::new(outcome.json).unwrap_or_default().into_raw();
    Reloaded { live: outcome.live, json }
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_last_error() -> *mut c_char {
    CString::new(PROCESS.last_error()).unwrap_or_default().into_raw()
}

/// # Safety
/// `text` is null or was returned by this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: from `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}

// ---------------------------------------------------------------- routers

/// # Safety
/// `name` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_router_new(vrt: Vrt, vcl: *mut c_void, name: *const c_char) -> *const Router {
    // SAFETY: checked, and promised by the caller.
    let name = if name.is_null() { c"ghost" } else { unsafe { CStr::from_ptr(name) } };
    Arc::into_raw(Arc::new(Router::new(Vcl(vcl), vrt, name.to_string_lossy().into_owned())))
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
pub unsafe extern "C" fn ghost_router_warm(router: *const Router) -> bool {
    // SAFETY: as promised.
    unsafe { router_of(router) }.is_some_and(|router| PROCESS.adopt(&router))
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

/// The newest table in this VCL, held until `ghost_generation_release`. Null if there is none.
///
/// # Safety
/// `router` is null or from `ghost_router_new`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_router_load(router: *const Router) -> *const Generation {
    // SAFETY: as promised; borrowed for the call only.
    let current = unsafe { router.as_ref() }.and_then(Router::current);
    current.map_or(std::ptr::null(), Arc::into_raw)
}

/// # Safety
/// From `ghost_router_load`, and not used again.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_generation_release(generation: *const Generation) {
    if !generation.is_null() {
        // SAFETY: from `Arc::into_raw`.
        drop(unsafe { Arc::from_raw(generation) });
    }
}

/// # Safety
/// From `ghost_router_load` and not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_generation_director(generation: *const Generation) -> *const c_void {
    // SAFETY: as promised.
    unsafe { generation.as_ref() }.map_or(std::ptr::null(), |generation| generation.director.0)
}

/// # Safety
/// From `ghost_router_load` and not released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_generation_view(generation: *const Generation) -> *const View {
    // SAFETY: as promised.
    unsafe { generation.as_ref() }.map_or(std::ptr::null(), |generation| Arc::as_ptr(&generation.view))
}

/// # Safety
/// A view that is held by somebody else meanwhile.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_view_hold(view: *const View) -> *const View {
    if !view.is_null() {
        // SAFETY: as promised.
        unsafe { Arc::increment_strong_count(view) };
    }
    view
}

/// # Safety
/// A reference from `ghost_view_hold` or of a director that is going.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_view_release(view: *const View) {
    if !view.is_null() {
        // SAFETY: as promised.
        drop(unsafe { Arc::from_raw(view) });
    }
}

// ---------------------------------------------------------------- the client's side

#[repr(C)]
pub struct Chosen {
    kind: u8,
    route: RouteNumber,
    /// Body bytes to keep; 0: none.
    buffer_bytes: u32,
    /// As the backend gets to see it; none without a listener.
    listener: Text,
    /// None without a route.
    name: Text,
    /// What the log says, in this thread's buffers.
    log: Text,
    ticket: [u8; TEXT_BYTES],
}

#[repr(C)]
#[derive(Clone, Copy)]
pub struct RouteNumber {
    host: u32,
    rank: u32,
    group: u32,
}

impl RouteNumber {
    fn id(self) -> RouteId {
        RouteId { host: self.host, rank: self.rank }
    }

    fn find(self, table: &Table) -> Option<(&Route, Option<&Group>)> {
        let (_, route) = table.route(self.id())?;
        let group = usize::try_from(self.group).ok().and_then(|group| route.groups().get(group));
        Some((route, group))
    }
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
    // SAFETY: the glue's texts live as long as the call.
    let request = unsafe {
        Request {
            socket: message.socket.get().unwrap_or_default(),
            port: Some(message.port).filter(|&port| port != 0),
            server_name: message.server_name.get(),
            method: message.method.get().unwrap_or_default(),
            url: message.url.get().unwrap_or_default(),
            host: message.host.get(),
            headers: &message.lines,
        }
    };
    with_buffers(|buffers| {
        let draw = buffers.draw();
        let choice = if request.url.starts_with(RESERVED) {
            ghost_core::Choice::NoListener
        } else {
            view.table.select(&request, Chance { draw, now_ms }, &mut buffers.scratch)
        };
        let ticket = Ticket::of(&choice, draw, now_ms);
        let (listener, route) = match &choice {
            ghost_core::Choice::Route(matched, _) => (Some(matched.listener), Some(matched.route)),
            ghost_core::Choice::NoHost(listener) | ghost_core::Choice::NoRoute(listener) => (Some(*listener), None),
            _ => (None, None),
        };
        let name = listener.map(|listener| listener.name);
        if let Some(counter) = name.and_then(|name| view.listeners.get(name)) {
            counter.add_one();
        }
        chosen.kind = ticket.kind as u8;
        chosen.route = RouteNumber { host: ticket.route.host, rank: ticket.route.rank, group: ticket.group };
        chosen.buffer_bytes = if ticket.kind == Kind::Forward { route.map_or(0, Route::buffer_bytes) } else { 0 };
        chosen.listener = name.map_or(Text::NONE, Text::of);
        chosen.name = route.map_or(Text::NONE, |route| Text::of(route.name().as_bytes()));
        let line = LogLine { route, listener: name.unwrap_or_default(), kind: ticket.kind };
        line.write(&mut buffers.out);
        chosen.log = Text::of(&buffers.out);
        ticket.write(&mut chosen.ticket);
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

/// What to do with a request as it is now: user VCL may have taken a cookie away, or added one.
///
/// # Safety
/// `view` is held; `method` and `headers` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_disposition(
    view: *const View,
    route: RouteNumber,
    kind: u8,
    method: Text,
    headers: Lines,
) -> Disposition {
    let mut disposition = Disposition { way: 0, grace_seconds: 0, stale_if_error_seconds: 0 };
    // SAFETY: as promised.
    let Some(view) = (unsafe { view.as_ref() }) else { return disposition };
    let found = route.find(&view.table).filter(|_| kind == Kind::Forward as u8);
    let Some((route, _)) = found else { return disposition };
    let headers = &headers;
    let upgrades = headers
        .all(b"connection")
        .any(|value| value.split(|&b| b == b',').any(|token| token.trim_ascii().eq_ignore_ascii_case(b"upgrade")));
    if upgrades && headers.first(b"upgrade").is_some_and(|value| value.eq_ignore_ascii_case(b"websocket")) {
        disposition.way = 2;
        return disposition;
    }
    let Some(policy) = route.cache() else { return disposition };
    disposition.grace_seconds = policy.grace_seconds;
    disposition.stale_if_error_seconds = policy.stale_if_error_seconds;
    // SAFETY: as promised.
    let method = unsafe { method.get() }.unwrap_or_default();
    let personal = (headers.first(b"authorization").is_some() && !policy.allow_authorization)
        || (headers.first(b"cookie").is_some() && !policy.allow_cookies);
    if (method == b"GET" || method == b"HEAD") && !personal && !policy.bypasses(headers) {
        disposition.way = 1;
    }
    disposition
}

/// Secret, so that nobody can look for two requests that share a key.
static KEY: LazyLock<[u64; 2]> = LazyLock::new(|| [0, 1].map(|n| RandomState::new().hash_one(n)));

/// Writes the cache key, 32 letters and a NUL. False: the route has none.
///
/// # Safety
/// `view` is held; `message` and `key` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_cache_key(
    view: *const View,
    route: RouteNumber,
    message: *const Message,
    key: *mut [u8; 33],
) -> bool {
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(key)) = (unsafe { (view.as_ref(), message.as_ref(), key.as_mut()) }) else {
        return false;
    };
    let Some((route, _)) = route.find(&view.table) else { return false };
    let Some(policy) = route.cache() else { return false };
    // SAFETY: as promised.
    let (host, url) = unsafe { (message.host.get(), message.url.get().unwrap_or_default()) };
    let host = host.and_then(HostName::parse);
    with_buffers(|buffers| {
        let Buffers { url: new_url, out, .. } = buffers;
        let rewritten = Rewritten::of(route, None);
        new_url.clear();
        out.clear();
        let url = if rewritten.path.is_some() {
            rewritten.write_url(url, new_url);
            &**new_url
        } else {
            url
        };
        let rewritten_host = rewritten.hostname.unwrap_or_default().as_bytes();
        let parts = KeyParts { host: host.as_ref(), rewritten_host, url };
        policy.write_key(&parts, &message.lines, out);
        let [k0, k1] = *KEY;
        let digest = SipHasher13::new_with_keys(k0, k1).hash(out).as_u128().to_be_bytes();
        *key = [0; 33];
        for (pair, byte) in key.chunks_exact_mut(2).zip(digest) {
            pair.copy_from_slice(&letters(byte));
        }
    })
    .is_some()
}

/// `op`: 0 remove, 1 set, 2 add.
type Edit = unsafe extern "C" fn(*mut c_void, u8, Text, Text);

struct Editor {
    call: Edit,
    to: *mut c_void,
}

impl Editor {
    fn apply(&self, op: Op, name: &[u8], value: &[u8]) {
        let op = match op {
            Op::Remove => 0,
            Op::Set => 1,
            Op::Add => 2,
        };
        // SAFETY: the glue's own function with the glue's own argument; the texts outlive the call.
        unsafe { (self.call)(self.to, op, Text::of(name), Text::of(value)) }
    }

    fn apply_all(&self, edits: &[HeaderEdit]) {
        for edit in edits {
            self.apply(edit.op, edit.name.as_bytes(), edit.value.as_bytes());
        }
    }

    fn apply_buffer(&self, edits: &EditBuffer) {
        for (op, name, value) in edits.iter() {
            self.apply(op, name, value);
        }
    }
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

/// The key under which objects of the message's host and URL can be purged. Whoever asks is about to.
///
/// # Safety
/// `message` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_purge_key(message: *const Message, whole_url: bool, now_ms: u64) -> Text {
    // SAFETY: as promised.
    let Some(message) = (unsafe { message.as_ref() }) else { return Text::NONE };
    // SAFETY: as promised.
    let (host, url) = unsafe { (message.host.get(), message.url.get().unwrap_or_default()) };
    let host = host.and_then(HostName::parse);
    let kind = if whole_url { PurgeKey::Url } else { PurgeKey::Path };
    with_buffers(|buffers| {
        buffers.out.clear();
        write_purge_key(kind, host.as_ref(), url, &mut buffers.out);
        epoch::purged(&buffers.out, now_ms);
        Text::of(&buffers.out)
    })
    .unwrap_or(Text::NONE)
}

/// Objects are about to be purged by this key, or, with none, banned.
///
/// # Safety
/// `key` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_invalidated(key: Text, now_ms: u64) {
    // SAFETY: as promised.
    match unsafe { key.get() } {
        Some(key) => epoch::purged(key, now_ms),
        None => epoch::banned(now_ms),
    }
}

// ---------------------------------------------------------------- the backend's side

// C keeps room for a ticket and does not look into it.
const _: () = assert!(size_of::<Ticket>() == 32 && align_of::<Ticket>() <= align_of::<u64>());

/// Reads a ticket's text, once for all attempts of a fetch. False: it is none.
///
/// # Safety
/// `text` and `ticket` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_ticket(text: Text, ticket: *mut MaybeUninit<Ticket>) -> bool {
    // SAFETY: as promised.
    let read = unsafe { (text.get().and_then(Ticket::parse), ticket.as_mut()) };
    let (Some(read), Some(ticket)) = read else { return false };
    ticket.write(read);
    true
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
pub struct Tried {
    ids: *const u64,
    n: usize,
}

/// One attempt: edits the request, chooses the endpoint.
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
    edit: Edit,
    to: *mut c_void,
    attempt: *mut Attempt,
) {
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(attempt)) = (unsafe { (view.as_ref(), message.as_ref(), attempt.as_mut()) })
    else {
        return;
    };
    *attempt = Attempt {
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
    // SAFETY: as promised.
    let Some(ticket) = (unsafe { ticket.as_ref() }) else { return };
    if ticket.kind != Kind::Forward {
        return;
    }
    let number = RouteNumber { host: ticket.route.host, rank: ticket.route.rank, group: ticket.group };
    let Some((route, Some(group))) = number.find(&view.table) else { return };
    attempt.caches = route.cache().is_some();
    let began_ms = if began_ms == 0 { ticket.began_ms } else { began_ms };
    let Some(limits) = route.timeouts().attempt(now_ms.saturating_sub(began_ms)) else {
        attempt.expired = true;
        return;
    };
    attempt.connect = seconds(limits.connect);
    attempt.first_byte = seconds(limits.first_byte);
    attempt.between_bytes = seconds(limits.between_bytes);
    attempt.deadline_ms = limits.deadline_ms.map_or(0, |ms| now_ms + u64::from(ms));
    if let Some(retry) = route.retry() {
        attempt.retries = retry.attempts;
        attempt.backoff_ms = retry.backoff_ms;
    }
    attempt.mirrors = !route.mirrors().is_empty();
    // SAFETY: as promised.
    let (host, url) = unsafe { (message.host.get(), message.url.get().unwrap_or_default()) };
    // SAFETY: the glue's own array.
    let tried = if tried.ids.is_null() { &[][..] } else { unsafe { slice::from_raw_parts(tried.ids, tried.n) } };
    let turn = u32::try_from(tried.len()).unwrap_or_default();
    let low = u32::try_from(ticket.draw & u64::from(u32::MAX)).unwrap_or_default();
    let endpoint = view.table.pool(group.target()).and_then(|pool| {
        let key = match pool.select() {
            Select::Random => 0,
            Select::Hash => object_key(host.and_then(HostName::parse).as_ref(), url),
        };
        pool.pick(&Pick { draw: low ^ turn.wrapping_mul(0x9e37_79b9), key, now_ms, tried })
    });
    if let Some((endpoint, backend)) = endpoint.and_then(|endpoint| Some((endpoint, view.backend(endpoint)?))) {
        attempt.backend = backend.0;
        attempt.endpoint = Arc::as_ptr(endpoint);
        attempt.endpoint_id = endpoint.id();
    }
    let editor = Editor { call: edit, to };
    editor.apply_all(route.request_edits());
    editor.apply_all(group.request_edits());
    let rewritten = Rewritten::of(route, Some(group));
    attempt.host = rewritten.hostname.map_or(Text::NONE, |host| Text::of(host.as_bytes()));
    if rewritten.path.is_some() {
        with_buffers(|buffers| {
            buffers.out.clear();
            rewritten.write_url(url, &mut buffers.out);
            attempt.url = Text::of(&buffers.out);
        });
    }
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

/// How an attempt ended: `status` 0 is no answer, then `sent` tells whether the backend may have seen the request.
///
/// # Safety
/// `view` is held; `ticket` is null or from `ghost_ticket`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_again(
    view: *const View,
    ticket: *const Ticket,
    status: u16,
    sent: bool,
    retries: u32,
    now_ms: u64,
    began_ms: u64,
) -> bool {
    // SAFETY: as promised.
    let (Some(view), Some(ticket)) = (unsafe { (view.as_ref(), ticket.as_ref()) }) else { return false };
    let Some((_, route)) = view.table.route(ticket.route).filter(|_| ticket.kind == Kind::Forward) else {
        return false;
    };
    let ended = match (status, sent) {
        (0, false) => Ended::NotConnected,
        (0, true) => Ended::Broken,
        (status, _) => Ended::Status(status),
    };
    let began_ms = if began_ms == 0 { ticket.began_ms } else { began_ms };
    let elapsed_ms = now_ms.saturating_sub(began_ms);
    let time_left = |backoff: u32| route.timeouts().attempt(elapsed_ms + u64::from(backoff)).is_some();
    route.retry().is_some_and(|retry| retry.again(ended, retries) && time_left(retry.backoff_ms))
}

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
    /// Keys to purge by, separated by spaces, and the host, for bans, in this thread's buffers.
    keys: Text,
    host: Text,
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
    *stored = Stored {
        policy: false,
        uncacheable: false,
        ttl_seconds: -1,
        grace_seconds: 0,
        keep_seconds: 0,
        stale_if_error_seconds: 0,
        keys: Text::NONE,
        host: Text::NONE,
    };
    // SAFETY: as promised.
    let Some(ticket) = (unsafe { ticket.as_ref() }) else { return };
    let Some((_, route)) = view.table.route(ticket.route) else { return };
    let Some(policy) = route.cache().filter(|_| ticket.kind == Kind::Forward) else { return };
    stored.policy = true;
    match policy.freshness(status, &lines) {
        Freshness::Uncacheable => stored.uncacheable = true,
        Freshness::Origin => {}
        Freshness::Seconds(seconds) => stored.ttl_seconds = seconds.into(),
    }
    stored.grace_seconds = policy.grace_seconds;
    stored.keep_seconds = policy.keep_seconds;
    stored.stale_if_error_seconds = policy.stale_if_error_seconds;
    // SAFETY: as promised.
    let (host, url) = unsafe { (request.host.get(), request.url.get().unwrap_or_default()) };
    let host = host.and_then(HostName::parse);
    with_buffers(|buffers| {
        let Buffers { out, url: name, .. } = buffers;
        out.clear();
        name.clear();
        name.extend_from_slice(host.as_ref().map(HostName::as_bytes).unwrap_or_default());
        stored.host = Text::of(name);
        let kinds = [(policy.purge_by_path, PurgeKey::Path), (policy.purge_by_url, PurgeKey::Url)];
        for (_, kind) in kinds.into_iter().filter(|(wanted, _)| *wanted) {
            write_purge_key(kind, host.as_ref(), url, out);
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
        stored.uncacheable |= !epoch::is_current(out, sent_ms);
        stored.keys = Text::of(out);
    });
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
    let place = unsafe { (message.host.get().unwrap_or_default(), message.url.get().unwrap_or_default()) };
    let editor = Editor { call: edit, to };
    with_buffers(|buffers| {
        let Buffers { edits, out, .. } = buffers;
        let answer = Answer::of(&view.table, ticket, place, &message.lines, edits, out);
        editor.apply_buffer(edits);
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
        let copy = mirror::Copy { endpoint: Arc::clone(endpoint), message: Arc::clone(message) };
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

// ---------------------------------------------------------------- seeing in

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
