//! What a request line asks for (RFC 9112, 3.2): the methods that nobody gets, and the forms of a target, brought to one.

use memchr::memchr;

use crate::host;
use crate::path::{BadPath, Slashes, is_plainly_normal, write_normal_url};

/// A request that is answered before any route is looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RefusedRequest {
    pub status: u16,
    pub why: &'static str,
}

/// What a request is for, where that is not what it says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestTarget<'r> {
    /// The URL is in normal form.
    AsItCame,
    /// The URL is what was written to `out`.
    Normalised,
    /// The same, and this takes the place of `Host` (RFC 9112, 3.2.2).
    Absolute { authority: &'r [u8] },
}

const NO_TARGET: RefusedRequest = bad("the target is neither a path nor a URL of http or https");
const AUTHORITY: RefusedRequest = bad("the authority of the target is no host with an optional port");

const fn bad(why: &'static str) -> RefusedRequest {
    RefusedRequest { status: 400, why }
}

impl From<BadPath> for RefusedRequest {
    fn from(BadPath(why): BadPath) -> Self {
        bad(why)
    }
}

impl<'r> RequestTarget<'r> {
    /// Reads a request line. Allocates nothing but what `out`, which is overwritten, needs to grow.
    pub fn read(method: &[u8], url: &'r [u8], slashes: Slashes, out: &mut Vec<u8>) -> Result<Self, RefusedRequest> {
        Self::at_a_glance(method, url, slashes).map_or_else(|| Self::read_closely(method, url, slashes, out), Ok)
    }

    /// The same for most requests, for which one look at each byte is enough.
    pub fn at_a_glance(method: &[u8], url: &'r [u8], slashes: Slashes) -> Option<Self> {
        (!is_unserved(method) && is_plainly_normal(url, slashes)).then_some(Self::AsItCame)
    }

    /// The same for all others.
    pub fn read_closely(
        method: &[u8],
        url: &'r [u8],
        slashes: Slashes,
        out: &mut Vec<u8>,
    ) -> Result<Self, RefusedRequest> {
        if is_unserved(method) {
            return Err(RefusedRequest { status: 405, why: "the method is not served" });
        }
        out.clear();
        if url.first() == Some(&b'/') {
            write_normal_url(url, slashes, out)?;
            return Ok(if *out == url { Self::AsItCame } else { Self::Normalised });
        }
        if url == b"*" && method == b"OPTIONS" {
            return Ok(Self::AsItCame);
        }
        let rest = ["http://", "https://"].iter().find_map(|scheme| strip_ascii_prefix(url, scheme.as_bytes()));
        let rest = rest.ok_or(NO_TARGET)?;
        let end = rest.iter().position(|byte| b"/?#".contains(byte)).unwrap_or(rest.len());
        let (authority, rest) = rest.split_at_checked(end).ok_or(NO_TARGET)?;
        if host::bare(authority).is_none() || !is_sound(authority) {
            return Err(AUTHORITY);
        }
        match rest.first() {
            Some(b'/') => write_normal_url(rest, slashes, out)?,
            // RFC 9112, 3.2.4: this is how OPTIONS asks a proxy about the server itself.
            None if method == b"OPTIONS" => out.push(b'*'),
            None => out.push(b'/'),
            Some(b'?') => {
                out.push(b'/');
                out.extend_from_slice(rest);
            }
            Some(_) => return Err(NO_TARGET),
        }
        Ok(Self::Absolute { authority })
    }
}

/// CONNECT would be a tunnel past all routes, TRACE hands headers that a gateway adds to whoever asks.
fn is_unserved(method: &[u8]) -> bool {
    matches!(method.first(), Some(b'C' | b'T')) && (method == b"CONNECT" || method == b"TRACE")
}

fn strip_ascii_prefix<'u>(url: &'u [u8], prefix: &[u8]) -> Option<&'u [u8]> {
    let (head, rest) = url.split_at_checked(prefix.len())?;
    head.eq_ignore_ascii_case(prefix).then_some(rest)
}

/// Whether a `Host` or an authority has nothing that some reader takes for its end, or for its beginning.
pub(crate) fn is_sound(host: &[u8]) -> bool {
    memchr(b'@', host).is_none() && !host.iter().any(|byte| b"/?#\\, \t".contains(byte) || byte.is_ascii_control())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &'static str) -> Result<(Option<&'static str>, String), RefusedRequest> {
        let (method, url) = line.split_once(' ').unwrap();
        let mut out = b"old".to_vec();
        let target = RequestTarget::read(method.as_bytes(), url.as_bytes(), Slashes::Merge, &mut out)?;
        let written = String::from_utf8(out).unwrap();
        Ok(match target {
            RequestTarget::AsItCame => (None, url.to_owned()),
            RequestTarget::Normalised => (None, written),
            RequestTarget::Absolute { authority } => (Some(std::str::from_utf8(authority).unwrap()), written),
        })
    }

    #[test]
    fn every_form_comes_to_one() {
        for (line, host, url) in [
            ("GET /a", None, "/a"),
            ("GET /%61", None, "/a"),
            ("GET /%2F", None, "/%2F"),
            ("OPTIONS *", None, "*"),
            ("GET http://a.example/x", Some("a.example"), "/x"),
            ("GET HTTPS://a.example:8443/x/../y?z=/..", Some("a.example:8443"), "/y?z=/.."),
            ("GET http://a.example", Some("a.example"), "/"),
            ("GET http://a.example?q=/x", Some("a.example"), "/?q=/x"),
            ("GET https://[::1]:80//x", Some("[::1]:80"), "/x"),
            ("OPTIONS http://a.example", Some("a.example"), "*"),
            ("OPTIONS http://a.example/", Some("a.example"), "/"),
            ("CONNECTION /a", None, "/a"),
        ] {
            assert_eq!(read(line), Ok((host, url.to_owned())), "{line}");
        }
    }

    #[test]
    fn what_is_no_target_is_refused() {
        for line in [
            "GET *",
            "GET a",
            "GET a.example:443",
            "GET ftp://a.example/",
            "GET ws://a.example/",
            "GET http:/a.example/",
            "GET http:///x",
            "GET http://:80/x",
            "GET http://user@a.example/",
            "GET http://user:secret@a.example/",
            "GET https://a.example\\@b.example/",
            "GET http://a.example:x/",
            "GET http://a.example#x",
            "GET http://a,b/",
            "GET http://a.example/%00",
            "GET http://a.example/..",
        ] {
            assert_eq!(read(line).map_err(|refused| refused.status), Err(400), "{line}");
        }
        for line in ["CONNECT a.example:443", "CONNECT /", "TRACE /", "TRACE *"] {
            assert_eq!(read(line).map_err(|refused| refused.status), Err(405), "{line}");
        }
    }
}
