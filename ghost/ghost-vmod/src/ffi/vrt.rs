//! What the glue does for us, and Varnish's things that we hold without looking into them.

use std::ffi::{CString, c_char, c_void};
use std::net::{IpAddr, ToSocketAddrs};
use std::sync::atomic::{AtomicU64, Ordering};

use ghost_core::{Address, Endpoint};

/// A VCL, as Varnish names it.
#[derive(Clone, Copy)]
pub struct Vcl(pub(super) *mut c_void);
/// A director of Varnish. Valid as long as whoever made it has not deleted it.
#[derive(Clone, Copy)]
pub struct Director(pub(super) *const c_void);
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
    pub(super) fn add_one(self) {
        // SAFETY: the glue gives out aligned counters that live as long as the process.
        unsafe { AtomicU64::from_ptr(self.0) }.fetch_add(1, Ordering::Relaxed);
    }
}

/// What the glue does for us.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Vrt {
    now_ms: unsafe extern "C" fn() -> u64,
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
    /// The monotonic clock that the glue tells times by.
    pub fn now_ms(self) -> u64 {
        // SAFETY: plain call.
        unsafe { (self.now_ms)() }
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

    /// Gives up what `new_backend` made. Requests that use it keep it until they are done.
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
