//! CORS: the answer to a preflight, and the headers on actual responses.
//!
//! The origin is always echoed and never answered with `*`: right for credentials, right for lists, and one way to read.
//! For the same reason `*` in methods and headers is answered with what the browser asked for.

use crate::filter::{EditBuffer, Op, is_token};
use crate::request::Headers;

#[derive(Debug, PartialEq, Eq)]
pub struct Cors {
    pub(crate) origins: Box<[OriginPattern]>,
    pub(crate) methods: Allowed,
    pub(crate) headers: Allowed,
    /// Joined by `, `; empty for none.
    pub(crate) expose: Box<str>,
    pub(crate) credentials: bool,
    pub(crate) max_age: u32,
}

/// A list, joined for the answer.
#[derive(Debug, PartialEq, Eq)]
pub enum Allowed {
    /// `*`: whatever was asked for.
    Requested,
    These(Box<str>),
}

#[derive(Debug, PartialEq, Eq)]
pub enum OriginPattern {
    Any,
    Exact(Box<str>),
    /// `https://*.bar.com:8443` as `https://` and `.bar.com:8443`.
    Around(Box<str>, Box<str>),
}

impl OriginPattern {
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let wrong =
            || format!("`{text}` is no origin: `*` or scheme://host[:port], host may begin with `*.` or be `*`");
        let (scheme, host) = text.split_once("://").ok_or_else(wrong)?;
        let valid_scheme =
            !scheme.is_empty() && scheme.bytes().all(|b| b.is_ascii_alphanumeric() || b"+-.".contains(&b));
        let valid_host = !host.is_empty() && host.bytes().all(|b| b.is_ascii_graphic() && !b"/?#@*".contains(&b));
        match host.strip_prefix('*') {
            Some(rest) if valid_scheme && (rest.is_empty() || rest.starts_with(['.', ':'])) && !rest.contains('*') => {
                Ok(Self::Around(format!("{scheme}://").into(), rest.into()))
            }
            None if valid_scheme && valid_host => Ok(Self::Exact(text.into())),
            _ => Err(wrong()),
        }
    }

    fn covers(&self, origin: &[u8]) -> bool {
        match self {
            Self::Any => true,
            Self::Exact(text) => text.as_bytes().eq_ignore_ascii_case(origin),
            Self::Around(before, after) => {
                let Some(middle) = origin.len().checked_sub(before.len() + after.len()) else { return false };
                let (start, rest) = origin.split_at_checked(before.len()).unwrap_or_default();
                let (label, end) = rest.split_at_checked(middle).unwrap_or_default();
                !label.is_empty()
                    && start.eq_ignore_ascii_case(before.as_bytes())
                    && end.eq_ignore_ascii_case(after.as_bytes())
                    && label.iter().all(|b| b.is_ascii_alphanumeric() || b"-_.".contains(b))
            }
        }
    }
}

impl Cors {
    /// Fills `out` with the headers of the answer to a preflight (status 200, no body).
    pub fn write_preflight<H: Headers + ?Sized>(&self, headers: &H, out: &mut EditBuffer) {
        out.push(Op::Set, "vary", &[b"Origin, Access-Control-Request-Method, Access-Control-Request-Headers"]);
        let Some(origin) = self.allowed_origin(headers) else { return };
        self.write_common(origin, out);
        let method = headers.first(b"access-control-request-method").filter(|value| value.iter().all(|&b| is_token(b)));
        write_allowed(&self.methods, method, "access-control-allow-methods", out);
        let names = headers
            .first(b"access-control-request-headers")
            .filter(|value| value.iter().all(|&b| is_token(b) || b == b',' || b == b' '));
        write_allowed(&self.headers, names, "access-control-allow-headers", out);
        let mut seconds = [0; 10];
        out.push(Op::Set, "access-control-max-age", &[decimal(self.max_age, &mut seconds)]);
    }

    /// Fills `out` with the edits of an actual response. What the backend says about CORS does not count.
    pub fn write_response<H: Headers + ?Sized>(&self, headers: &H, out: &mut EditBuffer) {
        for name in ["access-control-allow-origin", "access-control-allow-credentials", "access-control-expose-headers"]
        {
            out.push(Op::Remove, name, &[]);
        }
        out.push(Op::Add, "vary", &[b"Origin"]);
        if let Some(origin) = self.allowed_origin(headers) {
            self.write_common(origin, out);
        }
    }

    fn write_common(&self, origin: &[u8], out: &mut EditBuffer) {
        out.push(Op::Set, "access-control-allow-origin", &[origin]);
        if self.credentials {
            out.push(Op::Set, "access-control-allow-credentials", &[b"true"]);
        }
        if !self.expose.is_empty() {
            out.push(Op::Set, "access-control-expose-headers", &[self.expose.as_bytes()]);
        }
    }

    fn allowed_origin<'h, H: Headers + ?Sized>(&self, headers: &'h H) -> Option<&'h [u8]> {
        let origin = headers.first(b"origin")?;
        self.origins.iter().any(|pattern| pattern.covers(origin)).then_some(origin)
    }
}

fn write_allowed(allowed: &Allowed, requested: Option<&[u8]>, name: &str, out: &mut EditBuffer) {
    let value = match allowed {
        Allowed::Requested => requested.unwrap_or_default(),
        Allowed::These(list) => list.as_bytes(),
    };
    if !value.is_empty() {
        out.push(Op::Set, name, &[value]);
    }
}

fn decimal(number: u32, buffer: &mut [u8; 10]) -> &[u8] {
    let mut rest = number;
    let mut start = buffer.len();
    for digit in buffer.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        start -= 1;
        if rest == 0 {
            break;
        }
    }
    buffer.get(start..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covers(pattern: &str, origin: &str) -> bool {
        OriginPattern::parse(pattern).unwrap().covers(origin.as_bytes())
    }

    #[test]
    fn origins() {
        assert!(covers("*", "null"));
        assert!(covers("https://www.foo.com", "https://WWW.foo.com"));
        assert!(!covers("https://www.foo.com", "http://www.foo.com"));
        assert!(!covers("https://www.foo.com", "https://www.foo.com:8443"));
        assert!(covers("https://*.bar.com", "https://xpto.www.bar.com"));
        assert!(!covers("https://*.bar.com", "https://bar.com"));
        assert!(!covers("https://*.bar.com", "https://.bar.com"));
        assert!(!covers("https://*.bar.com", "https://evil.com/x.bar.com"));
        assert!(!covers("https://*.bar.com", "https://evil.com:1.bar.com"));
        assert!(covers("https://*.bar.com:8443", "https://a.bar.com:8443"));
        assert!(covers("https://*", "https://anything.example"));
        assert!(!covers("https://*", "http://anything.example"));
        for bad in ["", "foo.com", "https://", "://x", "https://a*.com", "https://*.*.com", "https://a/b"] {
            assert!(OriginPattern::parse(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn decimals() {
        for number in [0, 5, 10, 86_400, u32::MAX] {
            assert_eq!(decimal(number, &mut [0; 10]), number.to_string().as_bytes());
        }
    }
}
