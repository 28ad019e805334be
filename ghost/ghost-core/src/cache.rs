//! Cache policy: what may be stored, for how long, under which key.

use std::sync::Arc;

use crate::host::HostName;
use crate::path;
use crate::pattern::Pattern;
use crate::request::{Headers, Url};

#[derive(Debug)]
#[allow(clippy::struct_excessive_bools, reason = "independent switches")]
pub struct CachePolicy {
    pub ttl: Ttl,
    pub grace_seconds: u32,
    pub keep_seconds: u32,
    pub stale_if_error_seconds: u32,
    pub allow_cookies: bool,
    pub allow_authorization: bool,
    pub allow_set_cookie: bool,
    pub purge_by_path: bool,
    pub purge_by_url: bool,
    pub(crate) tags_header: Option<Box<str>>,
    pub(crate) scope: Box<[u8]>,
    pub(crate) key_headers: Box<[Box<str>]>,
    pub(crate) key_query: KeyQuery,
    pub(crate) bypass: Box<[Bypass]>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ttl {
    /// What the origin says.
    Origin,
    /// When the origin says nothing.
    Default(u32),
    /// Whatever the origin says.
    Forced(u32),
}

#[derive(Debug, PartialEq, Eq)]
pub enum KeyQuery {
    All,
    Only(Box<[Box<str>]>),
    Without(Box<[Box<str>]>),
}

#[derive(Debug)]
pub struct Bypass {
    pub(crate) name: Box<str>,
    pub(crate) value: Option<Arc<Pattern>>,
}

/// The request as far as its key depends on it.
#[derive(Debug, Clone, Copy)]
pub struct KeyParts<'r> {
    /// As the client sent it.
    pub host: Option<&'r HostName>,
    /// After the rule's rewrite; empty if it has none.
    pub rewritten_host: &'r [u8],
    /// After the rule's rewrite.
    pub url: &'r [u8],
}

impl CachePolicy {
    /// A header that the policy names is there: neither look up nor store.
    pub fn bypasses<H: Headers + ?Sized>(&self, headers: &H) -> bool {
        self.bypass.iter().any(|bypass| {
            headers
                .all(bypass.name.as_bytes())
                .any(|value| bypass.value.as_ref().is_none_or(|pattern| pattern.is_match(value)))
        })
    }

    pub(crate) fn patterns(&self) -> impl Iterator<Item = &Arc<Pattern>> + Clone {
        self.bypass.iter().filter_map(|bypass| bypass.value.as_ref())
    }

    pub fn tags_header(&self) -> Option<&str> {
        self.tags_header.as_deref()
    }

    /// Appends the cache key. Every field carries its length (a header that is absent differs from one that is empty), so
    /// two requests have one key only if they agree in every part. No byte of it is 0 unless the request has one.
    pub fn write_key<H: Headers + ?Sized>(&self, parts: &KeyParts<'_>, headers: &H, out: &mut Vec<u8>) {
        let url = Url::whole(parts.url);
        field(&self.scope, out);
        field(parts.host.map(HostName::as_bytes).unwrap_or_default(), out);
        field(parts.rewritten_host, out);
        field(url.path, out);
        self.write_query(url, out);
        for name in &self.key_headers {
            let mut count = 0_u32;
            for value in headers.all(name.as_bytes()) {
                field(value, out);
                count += 1;
            }
            number(count, out);
        }
    }

    fn write_query(&self, url: Url<'_>, out: &mut Vec<u8>) {
        let Some(query) = url.query else {
            out.push(NO_QUERY);
            return;
        };
        let (list, keep) = match &self.key_query {
            KeyQuery::All => {
                out.push(QUERY);
                field(query, out);
                return;
            }
            KeyQuery::Only(list) => (list, true),
            KeyQuery::Without(list) => (list, false),
        };
        // No parameter left is the same as no query: `?utm=1` and nothing share an object when `utm` is left out.
        out.push(NO_QUERY);
        for part in query.split(|&b| b == b'&').filter(|part| !part.is_empty()) {
            // Backends decode names, and some cut at semicolons, too: what one may take for a parameter that counts is in the key.
            let mut names =
                part.split(|&b| b == b';').map(|part| part.split(|&b| b == b'=').next().unwrap_or_default());
            let counts = if keep {
                names.any(|name| list.iter().any(|listed| decoded(name).eq(listed.bytes())))
            } else {
                !names.all(|name| list.iter().any(|listed| listed.as_bytes() == name))
            };
            if counts {
                field(part, out);
            }
        }
    }
}

/// A name as the reader of a form has it.
fn decoded(mut name: &[u8]) -> impl Iterator<Item = u8> {
    std::iter::from_fn(move || {
        let (&first, rest) = name.split_first()?;
        name = rest;
        Some(match first {
            b'+' => b' ',
            b'%' => path::escape(&mut name).unwrap_or(b'%'),
            other => other,
        })
    })
}

const NO_QUERY: u8 = b'-';
const QUERY: u8 = b'?';

fn field(bytes: &[u8], out: &mut Vec<u8>) {
    number(u32::try_from(bytes.len()).unwrap_or(u32::MAX), out);
    out.extend_from_slice(bytes);
}

/// Four bytes of seven bits, none of them 0. Nothing in a request is longer than they can say.
fn number(number: u32, out: &mut Vec<u8>) {
    let spread = number & 0x7f | (number & 0x3f80) << 1 | (number & 0x001f_c000) << 2 | (number & 0x0fe0_0000) << 3;
    out.extend_from_slice(&(spread | 0x8080_8080).to_le_bytes());
}

/// Which objects a purge key names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PurgeKey {
    /// All of a path, whatever their query.
    Path,
    /// One URL.
    Url,
    /// All of a host.
    Host,
}

/// Appends a purge key of the original host and URL: one word without spaces or commas, fit for a list of keys.
/// Both are escaped the way that URLs are; two spellings of one byte share a key, which purges too much, never too little.
pub fn write_purge_key(kind: PurgeKey, host: Option<&HostName>, url: &[u8], out: &mut Vec<u8>) {
    let parts = Url::split(url);
    out.extend_from_slice(match kind {
        PurgeKey::Path => b"path:",
        PurgeKey::Url => b"url:",
        PurgeKey::Host => b"host:",
    });
    escape(host.map(HostName::as_bytes).unwrap_or_default(), out);
    if kind == PurgeKey::Host {
        return;
    }
    escape(parts.path, out);
    if let (PurgeKey::Url, Some(query)) = (kind, parts.query) {
        out.push(b'?');
        escape(query, out);
    }
}

/// An expression for lists of keys that begin with one of a host, of any kind. Without spaces or quotation marks.
pub fn ban_pattern(host: &HostName) -> String {
    let mut name = Vec::new();
    escape(host.as_bytes(), &mut name);
    format!(r"^(?:path|url|host):{}(?:[/\s]|$)", regex_syntax::escape(&String::from_utf8_lossy(&name)))
}

fn escape(bytes: &[u8], out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    for &byte in bytes {
        if byte.is_ascii_graphic() && !b",\"".contains(&byte) {
            out.push(byte);
        } else {
            out.push(b'%');
            out.extend(HEX.get(usize::from(byte >> 4)));
            out.extend(HEX.get(usize::from(byte & 15)));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::pattern::Coverage;

    fn policy(headers: &[&str], query: KeyQuery) -> CachePolicy {
        CachePolicy {
            ttl: Ttl::Default(60),
            grace_seconds: 0,
            keep_seconds: 0,
            stale_if_error_seconds: 0,
            allow_cookies: false,
            allow_authorization: false,
            allow_set_cookie: false,
            purge_by_path: true,
            purge_by_url: false,
            tags_header: None,
            scope: (*b"s").into(),
            key_headers: headers.iter().map(|&name| name.into()).collect(),
            key_query: query,
            bypass: Box::default(),
        }
    }

    fn key(policy: &CachePolicy, host: &str, url: &str, headers: &[(&[u8], &[u8])]) -> Vec<u8> {
        let mut out = Vec::new();
        let host = HostName::parse(host.as_bytes());
        policy.write_key(
            &KeyParts { host: host.as_ref(), rewritten_host: b"", url: url.as_bytes() },
            headers,
            &mut out,
        );
        out
    }

    #[test]
    fn keys_tell_hosts_urls_and_headers_apart() {
        let policy = policy(&["accept-language"], KeyQuery::All);
        let all = [
            key(&policy, "a", "/x", &[]),
            key(&policy, "b", "/x", &[]),
            key(&policy, "a", "/y", &[]),
            key(&policy, "a", "/x?", &[]),
            key(&policy, "a", "/x?a", &[]),
            key(&policy, "a", "/x?a#b", &[]),
            key(&policy, "a", "/x", &[(b"Accept-Language", b"")]),
            key(&policy, "a", "/x", &[(b"Accept-Language", b"en")]),
            key(&policy, "a", "/x", &[(b"Accept-Language", b"en"), (b"accept-language", b"de")]),
        ];
        for (n, one) in all.iter().enumerate() {
            assert!(!all[n + 1..].contains(one), "{n}");
        }
        assert_eq!(key(&policy, "A:80", "/x", &[(b"x", b"y")]), all[0]);
    }

    #[test]
    fn keys_are_texts() {
        let long = "x".repeat(70_000);
        let policy = policy(&["accept-language"], KeyQuery::Only(["a".into()].into()));
        for url in ["/", "/?a=1&b=2", &format!("/{long}?a={long}")] {
            assert!(!key(&policy, "a", url, &[(b"accept-language", b"")]).contains(&0), "{}", url.len());
        }
        assert_ne!(key(&policy, "a", &format!("/{long}"), &[]), key(&policy, "a", &format!("/{long}x"), &[]));
    }

    #[test]
    fn query_lists_choose_what_counts() {
        let only = policy(&[], KeyQuery::Only(["a".into(), "b".into()].into()));
        assert_eq!(key(&only, "h", "/?a=1&utm=2", &[]), key(&only, "h", "/?utm=3&a=1", &[]));
        assert_ne!(key(&only, "h", "/?a=1", &[]), key(&only, "h", "/?a=2", &[]));
        assert_eq!(key(&only, "h", "/?utm=3", &[]), key(&only, "h", "/", &[]));
        let without = policy(&[], KeyQuery::Without(["utm".into()].into()));
        assert_eq!(key(&without, "h", "/?a=1&utm=2", &[]), key(&without, "h", "/?a=1", &[]));
        assert_ne!(key(&without, "h", "/?utmx=2", &[]), key(&without, "h", "/", &[]));
        for url in ["/?%61=1", "/?x;a=1", "/?x=1;%61=2&y", "/?%61"] {
            assert_ne!(key(&only, "h", url, &[]), key(&only, "h", "/", &[]), "{url}");
        }
        assert_eq!(key(&only, "h", "/?%6=1&%+=2", &[]), key(&only, "h", "/", &[]));
        assert_ne!(key(&without, "h", "/?utm=1;a=2", &[]), key(&without, "h", "/", &[]));
        assert_eq!(key(&without, "h", "/?utm=1;utm=2", &[]), key(&without, "h", "/", &[]));
    }

    #[test]
    fn bypass_by_presence_or_value() {
        let mut policy = policy(&[], KeyQuery::All);
        let pattern = Arc::new(Pattern::compile("session=", Coverage::Search).unwrap());
        policy.bypass =
            [Bypass { name: "x-debug".into(), value: None }, Bypass { name: "cookie".into(), value: Some(pattern) }]
                .into();
        let bypasses = |headers: &[(&[u8], &[u8])]| policy.bypasses(headers);
        assert!(bypasses(&[(b"X-Debug", b"")]));
        assert!(bypasses(&[(b"Cookie", b"a=1"), (b"Cookie", b"b; session=1")]));
        assert!(!bypasses(&[(b"Cookie", b"a=1"), (b"x", b"session=")]));
    }

    #[test]
    fn purge_keys_are_single_words() {
        let host = HostName::parse(b"Example.com:80");
        let key = |kind, url: &str| {
            let mut out = Vec::new();
            write_purge_key(kind, host.as_ref(), url.as_bytes(), &mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(key(PurgeKey::Path, "/a,b c?x=1"), "path:example.com/a%2Cb%20c");
        assert_eq!(key(PurgeKey::Url, "/a?x=é"), "url:example.com/a?x=%C3%A9");
        assert_eq!(key(PurgeKey::Url, "/a"), "url:example.com/a");
        assert_eq!(key(PurgeKey::Host, "/a"), "host:example.com");
    }

    #[test]
    fn a_ban_pattern_is_about_one_host() {
        let pattern = |host: &str| ban_pattern(&HostName::parse(host.as_bytes()).unwrap());
        assert_eq!(pattern("A.example:80"), r"^(?:path|url|host):a\.example(?:[/\s]|$)");
        assert_eq!(pattern("[::1]:80"), r"^(?:path|url|host):\[::1\](?:[/\s]|$)");
        assert!(!pattern("a \"b").contains([' ', '"']));
    }
}
