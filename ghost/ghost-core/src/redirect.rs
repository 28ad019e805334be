//! Redirects: where a request is sent instead.

use crate::host;
use crate::request::Url;
use crate::rewrite::PathRewrite;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Scheme {
    #[default]
    Http,
    Https,
}

impl Scheme {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Http => "http",
            Self::Https => "https",
        }
    }

    pub fn port(self) -> u16 {
        match self {
            Self::Http => 80,
            Self::Https => 443,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redirect {
    pub scheme: Option<Scheme>,
    pub hostname: Option<Box<str>>,
    pub port: Option<u16>,
    pub path: Option<PathRewrite>,
    pub status: u16,
}

/// The request as far as a redirect depends on it.
#[derive(Debug, Clone, Copy)]
pub struct Origin<'r> {
    pub scheme: Scheme,
    /// The listener's port; `None` if the table names no listeners.
    pub port: Option<u16>,
    /// The `Host` header.
    pub host: &'r [u8],
    pub url: &'r [u8],
}

impl Redirect {
    /// Appends the value of `Location` to `out`.
    pub fn write_location(&self, origin: &Origin<'_>, out: &mut Vec<u8>) {
        let scheme = self.scheme.unwrap_or(origin.scheme);
        out.extend_from_slice(scheme.as_str().as_bytes());
        out.extend_from_slice(b"://");
        match &self.hostname {
            Some(hostname) => out.extend_from_slice(hostname.as_bytes()),
            None => out.extend_from_slice(host::bare(origin.host).unwrap_or_default()),
        }
        let port = self.port_after(scheme, origin);
        if port != scheme.port() {
            out.push(b':');
            write_decimal(u64::from(port), out);
        }
        let url = Url::split(origin.url);
        match &self.path {
            Some(path) => path.write_path(url.path, out),
            None => out.extend_from_slice(url.path),
        }
        if let Some(query) = url.query {
            out.push(b'?');
            out.extend_from_slice(query);
        }
    }

    /// Gateway API, HTTPRequestRedirectFilter.port: a scheme given without a port means that scheme's own port; with
    /// neither, the client stays on the listener's port.
    fn port_after(&self, scheme: Scheme, origin: &Origin<'_>) -> u16 {
        if let Some(port) = self.port {
            return port;
        }
        if self.scheme.is_some() {
            return scheme.port();
        }
        origin.port.or_else(|| host::port(origin.host)).unwrap_or(scheme.port())
    }
}

/// Formatting without the formatting machinery, which may allocate.
pub(crate) fn write_decimal(mut number: u64, out: &mut Vec<u8>) {
    let start = out.len();
    loop {
        out.push(b'0' + u8::try_from(number % 10).unwrap_or_default());
        number /= 10;
        if number == 0 {
            break;
        }
    }
    if let Some(digits) = out.get_mut(start..) {
        digits.reverse();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const PLAIN: Redirect = Redirect { scheme: None, hostname: None, port: None, path: None, status: 302 };

    fn location(redirect: &Redirect, scheme: Scheme, port: Option<u16>, host: &str, url: &str) -> String {
        let mut out = Vec::new();
        redirect.write_location(&Origin { scheme, port, host: host.as_bytes(), url: url.as_bytes() }, &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn port_follows_filter_then_scheme_then_listener() {
        use Scheme::{Http, Https};
        let to = |scheme, port| Redirect { scheme, port, ..PLAIN };
        for (redirect, scheme, port, expected) in [
            (to(None, None), Http, Some(80), "http://a/x"),
            (to(None, None), Http, Some(8080), "http://a:8080/x"),
            (to(None, None), Https, Some(443), "https://a/x"),
            (to(Some(Https), None), Http, Some(8080), "https://a/x"),
            (to(Some(Http), None), Https, Some(443), "http://a/x"),
            (to(Some(Http), None), Http, Some(8080), "http://a/x"),
            (to(Some(Https), Some(8443)), Http, Some(80), "https://a:8443/x"),
            (to(Some(Https), Some(443)), Http, Some(80), "https://a/x"),
            (to(None, Some(80)), Http, Some(8080), "http://a/x"),
            (to(None, Some(443)), Http, Some(80), "http://a:443/x"),
            (to(None, Some(80)), Https, Some(443), "https://a:80/x"),
            (to(None, None), Http, None, "http://a:1234/x"),
        ] {
            assert_eq!(location(&redirect, scheme, port, "a:1234", "/x"), expected, "{redirect:?}");
        }
    }

    #[test]
    fn host_path_and_query() {
        let redirect = Redirect { hostname: Some("new.org".into()), path: Some(PathRewrite::prefix(2, "/b")), ..PLAIN };
        assert_eq!(location(&redirect, Scheme::Http, Some(80), "old", "/a/c?d=/a"), "http://new.org/b/c?d=/a");
        assert_eq!(location(&PLAIN, Scheme::Http, Some(81), "[::1]:80", "/?"), "http://[::1]:81/?");
    }

    proptest! {
        #[test]
        fn location_is_absolute_and_keeps_the_query(port in proptest::option::of(1u16..), to in proptest::option::of(1u16..), query in "[a-z=&]{0,9}") {
            let redirect = Redirect { port: to, ..PLAIN };
            let text = location(&redirect, Scheme::Https, port, "h.example", &format!("/p?{query}"));
            prop_assert!(text.starts_with("https://h.example"));
            let expected_end = format!("/p?{query}");
            prop_assert!(text.ends_with(&expected_end));
            prop_assert!(!text.contains(":443/"));
        }

        #[test]
        fn decimals_print_like_the_standard_library(number: u64) {
            let mut out = Vec::new();
            write_decimal(number, &mut out);
            prop_assert_eq!(String::from_utf8(out).unwrap(), number.to_string());
        }
    }
}
