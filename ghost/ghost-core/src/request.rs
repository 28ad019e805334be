//! A request as the table sees it: borrowed bytes, never text. Headers may hold anything.

use std::ops::Range;

use memchr::{memchr, memchr2};

/// The header lines of a request, in order, one item for each occurrence.
pub trait Headers {
    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])>;

    /// First occurrence of a header, without surrounding white space.
    fn first(&self, name: &[u8]) -> Option<&[u8]> {
        self.all(name).next()
    }

    fn all<'h>(&'h self, name: &[u8]) -> impl Iterator<Item = &'h [u8]> {
        self.iter().filter(move |(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.trim_ascii())
    }
}

impl Headers for [(&[u8], &[u8])] {
    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        <[_]>::iter(self).copied()
    }
}

impl Headers for Vec<(Vec<u8>, Vec<u8>)> {
    fn iter(&self) -> impl Iterator<Item = (&[u8], &[u8])> {
        <[_]>::iter(self).map(|(name, value)| (name.as_slice(), value.as_slice()))
    }
}

#[derive(Debug)]
pub struct Request<'r, H: ?Sized> {
    /// Name of the varnishd socket that the connection came in on.
    pub socket: &'r [u8],
    /// The port that the edge says the client connected to.
    pub port: Option<u16>,
    /// The TLS server name that the edge says the client asked for.
    pub server_name: Option<&'r [u8]>,
    pub method: &'r [u8],
    /// In normal form: as `RequestTarget::read` leaves it.
    pub url: &'r [u8],
    /// The `Host` header as it came.
    pub host: Option<&'r [u8]>,
    pub headers: &'r H,
}

impl<'r, H: Headers + ?Sized> Request<'r, H> {
    pub fn path(&self) -> &'r [u8] {
        Url::split(self.url).path
    }

    /// The method that a CORS preflight asks for; `None` if this is no preflight.
    pub fn preflight_method(&self) -> Option<&'r [u8]> {
        if self.method != b"OPTIONS" {
            return None;
        }
        self.headers.first(b"origin")?;
        self.headers.first(b"access-control-request-method")
    }
}

/// A URL in origin form, cut but not decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Url<'u> {
    pub path: &'u [u8],
    /// Without the `?`; `None` if there is none.
    pub query: Option<&'u [u8]>,
}

impl<'u> Url<'u> {
    pub fn split(url: &'u [u8]) -> Self {
        let Some((path, rest)) = memchr2(b'?', b'#', url).and_then(|at| url.split_at_checked(at)) else {
            return Self { path: url, query: None };
        };
        let query = rest.strip_prefix(b"?").map(|query| match memchr(b'#', query) {
            Some(at) => query.get(..at).unwrap_or_default(),
            None => query,
        });
        Self { path, query }
    }

    /// The same of a URL as its backend gets it: what comes behind a `#` belongs to the query.
    pub fn whole(url: &'u [u8]) -> Self {
        let (path, rest) = memchr(b'?', url).and_then(|at| url.split_at_checked(at)).unwrap_or((url, b""));
        Self { path, query: rest.strip_prefix(b"?") }
    }

    /// The first value of a query parameter. A part without `=` is no parameter.
    pub fn parameter(&self, name: &[u8]) -> Option<&'u [u8]> {
        self.query?.get(self.find_parameter(name)?)
    }

    /// Where in the query it is.
    pub(crate) fn find_parameter(&self, name: &[u8]) -> Option<Range<usize>> {
        let mut start = 0;
        self.query?.split(|&b| b == b'&').find_map(|part| {
            let (from, to) = (start, start + part.len());
            start = to + 1;
            let at = part.iter().position(|&b| b == b'=')?;
            (part.get(..at)? == name).then_some(from + at + 1..to)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn url_is_cut_at_question_mark_and_hash() {
        let split = |url: &'static str| {
            let url = Url::split(url.as_bytes());
            (std::str::from_utf8(url.path).unwrap(), url.query.map(|q| std::str::from_utf8(q).unwrap()))
        };
        assert_eq!(split("/a/b?x=1?y#z"), ("/a/b", Some("x=1?y")));
        assert_eq!(split("/a#?x=1"), ("/a", None));
        assert_eq!(split("/a?"), ("/a", Some("")));
        assert_eq!(split("*"), ("*", None));
        assert_eq!(Url::whole(b"/a?x=1#?z"), Url { path: b"/a", query: Some(b"x=1#?z") });
        assert_eq!(Url::whole(b"/a"), Url { path: b"/a", query: None });
    }

    #[test]
    fn first_parameter_with_an_equals_sign_decides() {
        let url = Url::split(b"/?a&a=1&a=2&b=&=x&c=%20");
        assert_eq!(url.parameter(b"a"), Some(&b"1"[..]));
        assert_eq!(url.parameter(b"b"), Some(&b""[..]));
        assert_eq!(url.parameter(b"c"), Some(&b"%20"[..]));
        assert_eq!(url.parameter(b"d"), None);
        assert_eq!(Url::split(b"/").parameter(b"a"), None);
    }
}
