//! What a cache policy makes of an origin's answer.

use crate::cache::{CachePolicy, Ttl};
use crate::request::Headers;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Freshness {
    /// Neither stored nor shared.
    Uncacheable,
    /// Stored for as long as the origin's headers say, which may be not at all.
    Origin,
    Seconds(u32),
}

/// RFC 9110, 15.1: what may be stored without the origin saying so, less the server's errors.
const BY_DEFAULT: [u16; 10] = [200, 203, 204, 300, 301, 308, 404, 405, 410, 414];
/// What else is the same for everybody often enough to be stored when a policy insists.
const WHEN_FORCED: [u16; 2] = [302, 307];

impl CachePolicy {
    /// `private`, `no-store`, `Vary: *` and cookies are about who may see an answer, not about how long it is good: no TTL
    /// overrides them.
    pub fn freshness<H: Headers + ?Sized>(&self, status: u16, headers: &H) -> Freshness {
        let says = |name: &str| headers.all(b"cache-control").any(|value| has_directive(value, name));
        let secret = says("no-store")
            || says("private")
            || headers.all(b"vary").any(|value| value == b"*")
            || (headers.first(b"set-cookie").is_some() && !self.allow_set_cookie);
        if secret {
            return Freshness::Uncacheable;
        }
        let by_default = BY_DEFAULT.contains(&status);
        match self.ttl {
            Ttl::Forced(seconds) if by_default || WHEN_FORCED.contains(&status) => Freshness::Seconds(seconds),
            Ttl::Forced(_) => Freshness::Uncacheable,
            Ttl::Origin | Ttl::Default(_) if says("no-cache") => Freshness::Uncacheable,
            Ttl::Default(seconds) if by_default && !has_lifetime(headers) => Freshness::Seconds(seconds),
            Ttl::Origin | Ttl::Default(_) => Freshness::Origin,
        }
    }
}

/// RFC 9111, 4.2.1: what varnishd takes for how long an answer is good. `public` or `must-revalidate` alone say nothing about that.
fn has_lifetime<H: Headers + ?Sized>(headers: &H) -> bool {
    headers.first(b"expires").is_some()
        || headers
            .all(b"cache-control")
            .any(|value| has_directive(value, "max-age") || has_directive(value, "s-maxage"))
}

/// `private="set-cookie"` counts as `private`: too careful rather than too generous.
fn has_directive(value: &[u8], name: &str) -> bool {
    value.split(|&b| b == b',').any(|directive| {
        let end = directive.iter().position(|&b| b == b'=').unwrap_or(directive.len());
        directive.get(..end).unwrap_or_default().trim_ascii().eq_ignore_ascii_case(name.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cache::KeyQuery;

    fn policy(ttl: Ttl) -> CachePolicy {
        CachePolicy {
            ttl,
            grace_seconds: 0,
            keep_seconds: 0,
            stale_if_error_seconds: 0,
            allow_cookies: false,
            allow_authorization: false,
            allow_set_cookie: false,
            purge_by_path: true,
            purge_by_url: false,
            tags_header: None,
            scope: Box::default(),
            key_headers: Box::default(),
            key_query: KeyQuery::All,
            bypass: Box::default(),
        }
    }

    fn fresh(ttl: Ttl, status: u16, headers: &[(&[u8], &[u8])]) -> Freshness {
        policy(ttl).freshness(status, headers)
    }

    #[test]
    fn default_speaks_when_the_origin_does_not() {
        let ttl = Ttl::Default(60);
        assert_eq!(fresh(ttl, 200, &[]), Freshness::Seconds(60));
        assert_eq!(fresh(ttl, 404, &[]), Freshness::Seconds(60));
        assert_eq!(fresh(ttl, 200, &[(b"Cache-Control", b"max-age=5")]), Freshness::Origin);
        assert_eq!(fresh(ttl, 200, &[(b"Expires", b"0")]), Freshness::Origin);
        assert_eq!(fresh(ttl, 200, &[(b"Cache-Control", b"no-cache")]), Freshness::Uncacheable);
        for value in [&b"public"[..], b"must-revalidate", b"public, must-revalidate", b"", b"stale-while-revalidate=9"]
        {
            assert_eq!(fresh(ttl, 200, &[(b"Cache-Control", value)]), Freshness::Seconds(60), "no lifetime");
            let expires: &[(&[u8], &[u8])] = &[(b"Cache-Control", value), (b"Expires", b"0")];
            assert_eq!(fresh(ttl, 200, expires), Freshness::Origin);
        }
        for value in [&b"public, Max-Age=5"[..], b"s-maxage=5", b"public,max-age = 5", b"max-age"] {
            assert_eq!(fresh(ttl, 200, &[(b"Cache-Control", value)]), Freshness::Origin);
        }
        let lines: &[(&[u8], &[u8])] = &[(b"Cache-Control", b"public"), (b"Cache-Control", b"max-age=5")];
        assert_eq!(fresh(ttl, 200, lines), Freshness::Origin, "the second line counts, too");
        assert_eq!(fresh(ttl, 500, &[]), Freshness::Origin, "which is not at all");
        assert_eq!(fresh(ttl, 302, &[]), Freshness::Origin);
    }

    #[test]
    fn forced_overrides_how_long_but_not_who() {
        let ttl = Ttl::Forced(60);
        for value in [&b"max-age=0"[..], b"no-cache", b"must-revalidate"] {
            assert_eq!(fresh(ttl, 200, &[(b"Cache-Control", value)]), Freshness::Seconds(60));
        }
        for value in [&b"private"[..], b"max-age=9, No-Store", b"private=\"x\""] {
            assert_eq!(fresh(ttl, 200, &[(b"cache-control", value)]), Freshness::Uncacheable);
        }
        assert_eq!(fresh(ttl, 200, &[(b"Vary", b"*")]), Freshness::Uncacheable);
        assert_eq!(fresh(ttl, 200, &[(b"Set-Cookie", b"a=b")]), Freshness::Uncacheable);
        assert_eq!(fresh(ttl, 302, &[]), Freshness::Seconds(60));
        assert_eq!(fresh(ttl, 500, &[]), Freshness::Uncacheable);
        assert_eq!(fresh(ttl, 503, &[(b"Cache-Control", b"max-age=9")]), Freshness::Uncacheable);
    }

    #[test]
    fn cookies_may_be_allowed() {
        let policy = CachePolicy { allow_set_cookie: true, ..policy(Ttl::Forced(7)) };
        let headers: &[(&[u8], &[u8])] = &[(b"Set-Cookie", b"a=b")];
        assert_eq!(policy.freshness(200, headers), Freshness::Seconds(7));
    }

    #[test]
    fn no_policy_of_its_own_is_the_origin_s() {
        assert_eq!(fresh(Ttl::Origin, 200, &[]), Freshness::Origin);
        assert_eq!(fresh(Ttl::Origin, 200, &[(b"Cache-Control", b"public, no-cache")]), Freshness::Uncacheable);
    }
}
