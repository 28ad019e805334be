//! Path replacement, shared by URL rewrites and redirects.

use crate::request::Url;

/// A replacement with everything known at load already worked out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PathRewrite {
    Full(Box<[u8]>),
    /// Drop the first `strip` bytes of the path, which are the matched prefix without its trailing `/`, and put `with`,
    /// which has no trailing `/` either, in their place. What is left of the path is empty or starts with `/`, so the
    /// seam never doubles or loses a slash.
    Prefix {
        strip: usize,
        with: Box<[u8]>,
    },
}

impl PathRewrite {
    pub fn full(path: &str) -> Self {
        Self::Full(with_leading_slash(path).into())
    }

    /// `strip` is the length of the matched prefix without trailing `/`.
    pub fn prefix(strip: usize, replacement: &str) -> Self {
        let with = with_leading_slash(replacement);
        let end = with.iter().rposition(|&b| b != b'/').map_or(0, |last| last + 1);
        Self::Prefix { strip, with: with.get(..end).unwrap_or_default().into() }
    }

    /// Appends the new path to `out`.
    pub fn write_path(&self, path: &[u8], out: &mut Vec<u8>) {
        let start = out.len();
        match self {
            Self::Full(full) => out.extend_from_slice(full),
            Self::Prefix { strip, with } => {
                out.extend_from_slice(with);
                out.extend_from_slice(path.get(*strip..).unwrap_or_default());
            }
        }
        if out.len() == start {
            out.push(b'/');
        }
    }

    /// Appends the new path and the query of `url` to `out`.
    pub fn write_url(&self, url: &[u8], out: &mut Vec<u8>) {
        let url = Url::split(url);
        self.write_path(url.path, out);
        if let Some(query) = url.query {
            out.push(b'?');
            out.extend_from_slice(query);
        }
    }
}

fn with_leading_slash(path: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(path.len() + 1);
    if !path.starts_with('/') {
        bytes.push(b'/');
    }
    bytes.extend_from_slice(path.as_bytes());
    bytes
}

/// The rewrite of a rule or of a group.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct UrlRewrite {
    pub hostname: Option<Box<str>>,
    pub path: Option<PathRewrite>,
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn rewritten(url: &str, prefix: &str, replacement: &str) -> String {
        let mut out = Vec::new();
        let strip = prefix.trim_end_matches('/').len();
        PathRewrite::prefix(strip, replacement).write_url(url.as_bytes(), &mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn prefix_replacement_keeps_slashes_right() {
        for (url, prefix, replacement, expected) in [
            ("/foo/bar", "/foo", "/xyz", "/xyz/bar"),
            ("/foo/bar", "/foo", "/xyz/", "/xyz/bar"),
            ("/foo/bar", "/foo/", "/xyz", "/xyz/bar"),
            ("/foo/bar", "/foo/", "/xyz/", "/xyz/bar"),
            ("/foo", "/foo", "/xyz", "/xyz"),
            ("/foo/", "/foo", "/xyz", "/xyz/"),
            ("/foo/bar", "/foo", "", "/bar"),
            ("/foo/", "/foo", "", "/"),
            ("/foo", "/foo", "", "/"),
            ("/foo/", "/foo", "/", "/"),
            ("/foo", "/foo", "/", "/"),
            ("/foo/bar", "/", "/xyz", "/xyz/foo/bar"),
            ("/", "/", "/xyz", "/xyz/"),
            ("/foo?q=/foo", "/foo", "xyz", "/xyz?q=/foo"),
            ("/foo?", "/foo", "/", "/?"),
        ] {
            assert_eq!(rewritten(url, prefix, replacement), expected, "{url} {prefix} -> {replacement}");
        }
    }

    #[test]
    fn full_replacement_keeps_the_query() {
        let mut out = b"kept ".to_vec();
        PathRewrite::full("/new").write_url(b"/a/b?x=1", &mut out);
        assert_eq!(out, b"kept /new?x=1");
        out.clear();
        PathRewrite::full("").write_url(b"/a", &mut out);
        assert_eq!(out, b"/");
    }

    proptest! {
        #[test]
        fn result_is_absolute_and_ends_with_the_rest(
            prefix in "(/[a-z]{1,3}){0,3}/?", rest in "(/[a-z]{0,3}){0,3}", with in "/?([a-z]{1,3}/?){0,3}", query in "(\\?[a-z=&/]{0,5})?",
        ) {
            let stripped = prefix.trim_end_matches('/');
            let path = format!("{stripped}{rest}");
            prop_assume!(!path.is_empty());
            let result = rewritten(&format!("{path}{query}"), &prefix, &with);
            prop_assert!(result.starts_with('/'));
            let expected_end = format!("{rest}{query}");
            prop_assert!(result.ends_with(&expected_end));
            let new_path = result.strip_suffix(&query).unwrap();
            let expected_start = format!("/{}", with.trim_start_matches('/').trim_end_matches('/'));
            prop_assert!(new_path.starts_with(expected_start.trim_end_matches('/')));
            prop_assert_eq!(new_path.len().max(1), (expected_start.trim_end_matches('/').len() + rest.len()).max(1));
        }
    }
}
