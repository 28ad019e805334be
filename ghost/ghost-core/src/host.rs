//! Host names: what a request's `Host` means, what a pattern of the table means, and which patterns cover a host.

use hashbrown::HashTable;
use memchr::memchr;

use crate::hash;
use crate::limits;

/// The host part of a `Host` header: without port and trailing dot, brackets of an IPv6 literal kept.
/// `None` if there is nothing that could be looked up.
pub fn bare(header: &[u8]) -> Option<&[u8]> {
    let header = header.trim_ascii();
    let host = if header.first() == Some(&b'[') {
        let end = header.iter().position(|&b| b == b']')?;
        let (literal, rest) = header.split_at_checked(end + 1)?;
        match rest.split_first() {
            None => literal,
            Some((b':', port)) if port.iter().all(u8::is_ascii_digit) => literal,
            Some(_) => return None,
        }
    } else {
        match memchr(b':', header) {
            None => header,
            Some(at) => {
                let (name, port) = header.split_at_checked(at)?;
                if !port.iter().skip(1).all(u8::is_ascii_digit) {
                    return None;
                }
                name
            }
        }
    };
    let host = host.strip_suffix(b".").unwrap_or(host);
    (!host.is_empty() && host.len() <= limits::HOST_BYTES).then_some(host)
}

/// The port written in a `Host` header.
pub fn port(header: &[u8]) -> Option<u16> {
    let digits = header.trim_ascii().rsplit(|&b| b == b':').next()?;
    if digits.len() >= header.trim_ascii().len() {
        return None;
    }
    std::str::from_utf8(digits).ok()?.parse().ok().filter(|&port| port != 0)
}

/// A host in lower case, on the stack: looking one up allocates nothing.
#[derive(Debug, Clone)]
pub struct HostName {
    buffer: [u8; limits::HOST_BYTES],
    length: usize,
}

impl HostName {
    pub fn parse(header: &[u8]) -> Option<Self> {
        let host = bare(header)?;
        let mut buffer = [0; limits::HOST_BYTES];
        let target = buffer.get_mut(..host.len())?;
        target.copy_from_slice(host);
        target.make_ascii_lowercase();
        Some(Self { buffer, length: host.len() })
    }

    pub fn as_bytes(&self) -> &[u8] {
        self.buffer.get(..self.length).unwrap_or_default()
    }
}

/// What the writer may put where a host name is expected.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostPattern {
    Any,
    /// The name after `*.`.
    Suffix(Box<[u8]>),
    Exact(Box<[u8]>),
}

impl HostPattern {
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "*" {
            return Ok(Self::Any);
        }
        let (name, wildcard) = match text.strip_prefix("*.") {
            Some(suffix) => (suffix, true),
            None => (text, false),
        };
        let name = name.strip_suffix('.').unwrap_or(name);
        let literal = !wildcard && name.starts_with('[') && name.ends_with(']');
        let valid = if literal {
            name.bytes().all(|b| b.is_ascii_hexdigit() || matches!(b, b':' | b'.' | b'[' | b']'))
        } else {
            name.split('.').all(|label| {
                !label.is_empty() && label.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'-' | b'_'))
            })
        };
        if !valid || name.len() > limits::HOST_BYTES {
            return Err(format!("`{text}` is no host name: letters, digits, `-` and `.`, or `*.` before such a name"));
        }
        let name: Box<[u8]> = name.to_ascii_lowercase().into_bytes().into();
        Ok(if wildcard { Self::Suffix(name) } else { Self::Exact(name) })
    }
}

/// Patterns to values, most specific first: exact, wildcards from the most labels to the fewest, any.
///
/// Wildcards are found by hashing the suffixes of the host at its dots; suffixes with more labels than any wildcard of the
/// table are skipped, so a host of a hundred labels costs no more than the table's own depth.
#[derive(Debug, Default)]
pub struct HostIndex {
    exact: HashTable<Entry>,
    suffix: HashTable<Entry>,
    any: Option<u32>,
    suffix_labels: usize,
}

#[derive(Debug)]
struct Entry {
    name: Box<[u8]>,
    value: u32,
}

impl HostIndex {
    /// False if the pattern is already there; the first value stays.
    pub fn insert(&mut self, pattern: HostPattern, value: u32) -> bool {
        let (table, name) = match pattern {
            HostPattern::Any => {
                let free = self.any.is_none();
                self.any.get_or_insert(value);
                return free;
            }
            HostPattern::Exact(name) => (&mut self.exact, name),
            HostPattern::Suffix(name) => {
                self.suffix_labels = self.suffix_labels.max(labels(&name));
                (&mut self.suffix, name)
            }
        };
        if lookup(table, &name).is_some() {
            return false;
        }
        table.insert_unique(hash::keyed(&name), Entry { name, value }, |entry| hash::keyed(&entry.name));
        true
    }

    pub fn candidates<'i>(&'i self, host: Option<&'i HostName>) -> Candidates<'i> {
        let host = host.map(HostName::as_bytes).unwrap_or_default();
        let skip = if self.suffix.is_empty() { usize::MAX } else { labels(host).saturating_sub(self.suffix_labels) };
        Candidates { index: self, rest: host, skip, stage: Stage::Exact }
    }

    pub fn best(&self, host: Option<&HostName>) -> Option<u32> {
        self.candidates(host).next()
    }
}

fn labels(name: &[u8]) -> usize {
    name.split(|&b| b == b'.').count()
}

fn lookup(table: &HashTable<Entry>, name: &[u8]) -> Option<u32> {
    table.find(hash::keyed(name), |entry| *entry.name == *name).map(|entry| entry.value)
}

#[derive(Debug, Clone, Copy)]
enum Stage {
    Exact,
    Suffix,
    Done,
}

#[derive(Debug)]
pub struct Candidates<'i> {
    index: &'i HostIndex,
    rest: &'i [u8],
    skip: usize,
    stage: Stage,
}

impl Iterator for Candidates<'_> {
    type Item = u32;

    fn next(&mut self) -> Option<u32> {
        if let Stage::Exact = self.stage {
            self.stage = Stage::Suffix;
            let found = if self.rest.is_empty() { None } else { lookup(&self.index.exact, self.rest) };
            if found.is_some() {
                return found;
            }
        }
        if let Stage::Suffix = self.stage {
            while self.skip != usize::MAX {
                let Some(dot) = self.rest.iter().position(|&b| b == b'.') else { break };
                self.rest = self.rest.get(dot + 1..).unwrap_or_default();
                if self.skip > 1 {
                    self.skip -= 1;
                    continue;
                }
                // An empty label (".example.com") is no name below the suffix.
                let found = if dot > 0 { lookup(&self.index.suffix, self.rest) } else { None };
                if found.is_some() {
                    return found;
                }
            }
            self.stage = Stage::Done;
            return self.index.any;
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(patterns: &[&str]) -> HostIndex {
        let mut index = HostIndex::default();
        for (value, pattern) in (0..).zip(patterns) {
            assert!(index.insert(HostPattern::parse(pattern).unwrap(), value));
        }
        index
    }

    fn found(index: &HostIndex, host: &str) -> Vec<u32> {
        index.candidates(HostName::parse(host.as_bytes()).as_ref()).collect()
    }

    #[test]
    fn bare_strips_port_dot_and_keeps_brackets() {
        let text = |header: &'static str| bare(header.as_bytes()).map(|b| std::str::from_utf8(b).unwrap());
        assert_eq!(text("Example.com:8080"), Some("Example.com"));
        assert_eq!(text("example.com."), Some("example.com"));
        assert_eq!(text("example.com.:80"), Some("example.com"));
        assert_eq!(text("example.com:"), Some("example.com"));
        assert_eq!(text("[::1]:8080"), Some("[::1]"));
        assert_eq!(text("[::1]"), Some("[::1]"));
        for bad in ["", ":80", ".", "[::1", "[::1]x", "[::1]:8a", "example.com:80a", "::1", "a:1:2"] {
            assert_eq!(text(bad), None, "{bad}");
        }
        assert_eq!(bare(&[b'a'; 255]).map(<[u8]>::len), Some(255));
        assert_eq!(bare(&[b'a'; 256]), None);
    }

    #[test]
    fn port_is_what_follows_the_last_colon() {
        assert_eq!(port(b"a:8080"), Some(8080));
        assert_eq!(port(b"[::1]:81"), Some(81));
        assert_eq!(port(b"[::1]"), None);
        assert_eq!(port(b"80"), None);
        assert_eq!(port(b"a"), None);
        assert_eq!(port(b"a:0"), None);
    }

    #[test]
    fn most_specific_first_then_the_rest() {
        let index = index(&["*", "*.com", "*.example.com", "a.b.example.com", "*.b.example.com"]);
        assert_eq!(found(&index, "A.b.example.com:80"), [3, 4, 2, 1, 0]);
        assert_eq!(found(&index, "x.y.z.example.com"), [2, 1, 0]);
        assert_eq!(found(&index, "example.com"), [1, 0], "a wildcard does not cover its own suffix");
        assert_eq!(found(&index, "org"), [0]);
        assert_eq!(found(&index, ".example.com"), [1, 0], "an empty label is no label");
        assert_eq!(index.candidates(None).collect::<Vec<_>>(), [0]);
    }

    #[test]
    fn deep_hosts_reach_shallow_wildcards() {
        let index = index(&["*.example.com"]);
        let deep = format!("{}example.com", "a.".repeat(100));
        assert_eq!(found(&index, &deep), [0]);
        assert_eq!(found(&index, "a.example.org"), [] as [u32; 0]);
    }

    #[test]
    fn a_second_entry_is_turned_down() {
        let mut index = index(&["a.com", "*.a.com", "*"]);
        for again in ["A.com", "*.A.com", "*"] {
            assert!(!index.insert(HostPattern::parse(again).unwrap(), 9));
        }
        assert_eq!(found(&index, "a.com"), [0, 2]);
    }

    #[test]
    fn patterns_that_are_no_hosts() {
        for bad in ["", "*.", "a..b", "*.*.com", "a*.com", "a/b", "a:80", "ex ample", ".com", "[::1", "::1]", "*.[::1]"]
        {
            assert!(HostPattern::parse(bad).is_err(), "{bad}");
        }
        assert_eq!(HostPattern::parse("[2001:DB8::1]").unwrap(), HostPattern::Exact((*b"[2001:db8::1]").into()));
        let longest = format!("{}a", "a.".repeat(127));
        assert!(HostPattern::parse(&longest).is_ok(), "{} bytes", longest.len());
        assert!(HostPattern::parse(&format!("{longest}a")).is_err());
        assert_eq!(HostPattern::parse("EXAMPLE.com.").unwrap(), HostPattern::Exact((*b"example.com").into()));
    }
}
