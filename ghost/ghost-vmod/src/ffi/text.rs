//! Texts, header lines and messages as C lays them out.

use std::slice;

use ghost_core::Headers;

/// Bytes without a terminator; null is "none".
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Text {
    pub(super) b: *const u8,
    pub(super) n: usize,
}

impl Text {
    pub(super) const NONE: Self = Self { b: std::ptr::null(), n: 0 };

    pub(super) fn of(bytes: &[u8]) -> Self {
        Self { b: bytes.as_ptr(), n: bytes.len() }
    }

    /// SAFETY: null, or valid for as long as the result is used.
    pub(super) unsafe fn get<'a>(self) -> Option<&'a [u8]> {
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

impl Txt {
    fn bytes(&self) -> Option<&[u8]> {
        // SAFETY: Varnish keeps both ends in one workspace.
        (!self.b.is_null() && self.b <= self.e)
            .then(|| unsafe { slice::from_raw_parts(self.b, self.e as usize - self.b as usize) })
    }
}

/// The header lines of a `struct http`.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct Lines {
    pub(super) first: *const Txt,
    pub(super) n: usize,
}

impl Lines {
    pub(super) fn texts(&self) -> impl Iterator<Item = &[u8]> {
        self.all().iter().filter_map(Txt::bytes)
    }

    fn get(&self, at: usize) -> Option<&[u8]> {
        self.all().get(at)?.bytes()
    }

    fn all(&self) -> &[Txt] {
        // SAFETY: the glue passes the lines of a live `struct http`, or null with 0.
        if self.first.is_null() { &[] } else { unsafe { slice::from_raw_parts(self.first, self.n) } }
    }
}

/// The value of a line, without the spaces around it, if it has the name. A colon where the name would end is looked for
/// first: few lines get as far as having letters compared.
pub(super) fn value_of<'l>(line: &'l [u8], name: &[u8]) -> Option<&'l [u8]> {
    let (head, tail) = line.split_at_checked(name.len())?;
    let (b':', value) = tail.split_first()? else { return None };
    head.eq_ignore_ascii_case(name).then(|| value.trim_ascii())
}

impl Headers for Lines {
    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        self.texts().filter_map(|line| {
            let colon = line.iter().position(|&b| b == b':')?;
            Some((line.get(..colon)?, line.get(colon + 1..)?))
        })
    }

    fn all<'h>(&'h self, name: &[u8]) -> impl Iterator<Item = &'h [u8]> {
        self.texts().filter_map(move |line| value_of(line, name))
    }
}

/// A request or its answer, as far as ghost looks at it.
#[repr(C)]
pub struct Message {
    pub(super) socket: Text,
    pub(super) server_name: Text,
    /// 0: unknown.
    pub(super) port: u16,
    /// A request without a host is wrong.
    pub(super) wants_host: bool,
    pub(super) method: Text,
    pub(super) url: Text,
    pub(super) lines: Lines,
}

impl Message {
    pub(super) fn host(&self) -> Option<&[u8]> {
        self.lines.first(b"host")
    }

    /// The same, looked for first where it was the last time. (Varnish takes no request with two of them.)
    pub(super) fn host_near(&self, place: &mut usize) -> Option<&[u8]> {
        if let Some(host) = self.lines.get(*place).and_then(|line| value_of(line, b"host")) {
            return Some(host);
        }
        let (at, host) = self.lines.texts().enumerate().find_map(|(at, line)| Some((at, value_of(line, b"host")?)))?;
        *place = at;
        Some(host)
    }
}
