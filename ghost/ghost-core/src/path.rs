//! The one form of a path that is matched, keyed and forwarded (RFC 3986, 6.2.2): unreserved octets decoded, everything
//! that no path may hold encoded, escapes in upper case, dot segments removed, slashes merged. Backends differ in what they make
//! of other forms; a rule that compares bytes would miss a path that its backend takes for the same.
//!
//! What has no such form is refused: an escape that is none, `%00`, a backslash, a path that leaves the root, and segments
//! that only some backends take for dot segments (`..%2F`, `..;`).

use memchr::memchr;

/// What becomes of several slashes in a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Slashes {
    #[default]
    Merge,
    Keep,
}

/// Why a path has no normal form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct BadPath(pub &'static str);

const NO_SLASH: BadPath = BadPath("the path does not begin with a slash");
const ESCAPE: BadPath = BadPath("the path has a % without two hexadecimal digits");
const NUL: BadPath = BadPath("the path has %00");
const BACKSLASH: BadPath = BadPath("the path has a backslash");
const FRAGMENT: BadPath = BadPath("the path has a fragment");
const CONTROL: BadPath = BadPath("the path has a space or a control character");
const ABOVE_ROOT: BadPath = BadPath("the path leads above the root");
const HIDDEN_DOTS: BadPath =
    BadPath("the path has a dot segment beside an encoded slash, an encoded backslash or a parameter");

/// Appends the normal form of a URL: that of its path, and the query byte for byte. What is in `out` after an error means nothing.
pub fn write_normal_url(url: &[u8], slashes: Slashes, out: &mut Vec<u8>) -> Result<(), BadPath> {
    let (path, query) = memchr(b'?', url).and_then(|at| url.split_at_checked(at)).unwrap_or((url, b""));
    write_normal_path(path, slashes, out)?;
    out.extend_from_slice(query);
    Ok(())
}

/// Whether one look at each byte shows that a URL is in normal form. Most are; of others `write_normal_url` has to tell.
pub fn is_plainly_normal(url: &[u8], slashes: Slashes) -> bool {
    if url.first() != Some(&b'/') {
        return false;
    }
    let path = memchr(b'?', url).and_then(|end| url.get(..end)).unwrap_or(url);
    let not_after_slash = if slashes == Slashes::Merge { SLASH | DOT } else { DOT };
    let (mut wrong, mut after_slash) = (0, 0);
    // Without a branch: the hot path of every request, and where slashes are is anybody's guess.
    for &byte in path {
        let marks = MARKS.get(usize::from(byte)).copied().unwrap_or(OTHER);
        wrong |= marks & (OTHER | after_slash & not_after_slash);
        after_slash = 0_u8.wrapping_sub(marks & SLASH);
    }
    wrong == 0
}

const SLASH: u8 = 1;
const DOT: u8 = 2;
const OTHER: u8 = 4;

/// What `is_plainly_normal` has to know of each byte.
const MARKS: [u8; 256] = {
    let mut marks = [0; 256];
    let mut byte = 0;
    while byte < marks.len() {
        #[allow(clippy::indexing_slicing, reason = "at compile time")]
        {
            marks[byte] = match CLASSES[byte] {
                Class::Plain => 0,
                Class::Slash => SLASH,
                Class::Dot => DOT,
                Class::Query | Class::Escape | Class::Other => OTHER,
            };
        }
        byte += 1;
    }
    marks
};

pub(crate) fn write_normal_path(path: &[u8], slashes: Slashes, out: &mut Vec<u8>) -> Result<(), BadPath> {
    let root = out.len();
    let mut ends_with_slash = false;
    for segment in path.strip_prefix(b"/").ok_or(NO_SLASH)?.split(|&byte| byte == b'/') {
        let before = out.len();
        out.push(b'/');
        write_segment(segment, out)?;
        ends_with_slash = match out.get(before + 1..).unwrap_or_default() {
            b"." => {
                out.truncate(before);
                true
            }
            b".." => {
                let parent = out.get(root..before).unwrap_or_default().iter().rposition(|&byte| byte == b'/');
                out.truncate(root + parent.ok_or(ABOVE_ROOT)?);
                true
            }
            b"" if slashes == Slashes::Merge => {
                out.truncate(before);
                true
            }
            _ => false,
        };
    }
    if ends_with_slash {
        out.push(b'/');
    }
    Ok(())
}

fn write_segment(segment: &[u8], out: &mut Vec<u8>) -> Result<(), BadPath> {
    let start = out.len();
    let mut rest = segment;
    // Where a part begins that some backend may take for a segment.
    let mut part = start;
    let mut separated = false;
    while let Some((&byte, tail)) = rest.split_first() {
        rest = tail;
        match class(byte) {
            Class::Plain | Class::Dot => out.push(byte),
            Class::Escape => {
                let value = escape(&mut rest)?;
                match value {
                    0 => return Err(NUL),
                    _ if is_unreserved(value) => out.push(value),
                    b'/' | b'\\' => {
                        check_part(out.get(part..).unwrap_or_default())?;
                        separated = true;
                        encode(value, out);
                        part = out.len();
                    }
                    _ => encode(value, out),
                }
            }
            Class::Other if byte == b'\\' => return Err(BACKSLASH),
            Class::Other if byte == b'#' => return Err(FRAGMENT),
            Class::Other if byte.is_ascii_control() || byte == b' ' => return Err(CONTROL),
            // A slash or a question mark is never here: the path is cut at them.
            Class::Other | Class::Slash | Class::Query => encode(byte, out),
        }
    }
    let last = out.get(part..).unwrap_or_default();
    if separated || last.contains(&b';') { check_part(last) } else { Ok(()) }
}

/// Refuses what is a dot segment for a backend that decodes slashes, or that cuts parameters off segments.
fn check_part(part: &[u8]) -> Result<(), BadPath> {
    let name = part.split(|&byte| byte == b';').next().unwrap_or_default();
    if name == b"." || name == b".." { Err(HIDDEN_DOTS) } else { Ok(()) }
}

/// The value of two hexadecimal digits at the beginning of `rest`, which go away.
pub(crate) fn escape(rest: &mut &[u8]) -> Result<u8, BadPath> {
    let [high, low, tail @ ..] = *rest else { return Err(ESCAPE) };
    let digit = |byte: u8| char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok());
    let (Some(high), Some(low)) = (digit(*high), digit(*low)) else { return Err(ESCAPE) };
    *rest = tail;
    Ok(high << 4 | low)
}

fn encode(byte: u8, out: &mut Vec<u8>) {
    const HEX: &[u8; 16] = b"0123456789ABCDEF";
    out.push(b'%');
    out.extend(HEX.get(usize::from(byte >> 4)));
    out.extend(HEX.get(usize::from(byte & 15)));
}

/// RFC 3986, 2.3.
const fn is_unreserved(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~')
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Class {
    /// Stays as it is: what `pchar` of RFC 3986 allows, but the dot and the escape.
    Plain,
    Dot,
    Slash,
    Query,
    Escape,
    Other,
}

const CLASSES: [Class; 256] = {
    let mut classes = [Class::Other; 256];
    let mut byte = 0_u8;
    loop {
        let class = match byte {
            b'.' => Class::Dot,
            b'/' => Class::Slash,
            b'?' => Class::Query,
            b'%' => Class::Escape,
            b'!' | b'$' | b'&' | b'\'' | b'(' | b')' | b'*' | b'+' | b',' | b';' | b'=' | b':' | b'@' => Class::Plain,
            _ if is_unreserved(byte) => Class::Plain,
            _ => Class::Other,
        };
        #[allow(clippy::indexing_slicing, reason = "at compile time")]
        {
            classes[byte as usize] = class;
        }
        if byte == u8::MAX {
            break;
        }
        byte += 1;
    }
    classes
};

fn class(byte: u8) -> Class {
    CLASSES.get(usize::from(byte)).copied().unwrap_or(Class::Other)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normal(url: &str, slashes: Slashes) -> Result<String, &'static str> {
        let mut out = b"kept".to_vec();
        match write_normal_url(url.as_bytes(), slashes, &mut out) {
            Ok(()) => Ok(String::from_utf8(out).unwrap().split_off(4)),
            Err(BadPath(why)) => Err(why),
        }
    }

    #[test]
    fn one_form_for_all_spellings() {
        for (url, expected) in [
            ("/", "/"),
            ("/admin", "/admin"),
            ("/%61dmin", "/admin"),
            ("//admin", "/admin"),
            ("/./admin", "/admin"),
            ("/public/../admin", "/admin"),
            ("/public/%2e%2E/admin", "/admin"),
            ("/public/.%2e/admin", "/admin"),
            ("/public//../admin", "/admin"),
            ("/a/..", "/"),
            ("/a/b/..", "/a/"),
            ("/a/b/.", "/a/b/"),
            ("/a/b/", "/a/b/"),
            ("/a///", "/a/"),
            ("///", "/"),
            ("/.", "/"),
            ("/...", "/..."),
            ("/.well-known/x", "/.well-known/x"),
            ("/a.b/..c/d..", "/a.b/..c/d.."),
            ("/%7euser/%2D%2e%5F", "/~user/-._"),
            ("/a%2fb%2Fc", "/a%2Fb%2Fc"),
            ("/a%5cb", "/a%5Cb"),
            ("/caf%c3%a9", "/caf%C3%A9"),
            ("/café", "/caf%C3%A9"),
            ("/a\"<>[]^`{|}", "/a%22%3C%3E%5B%5D%5E%60%7B%7C%7D"),
            ("/!$&'()*+,;=:@", "/!$&'()*+,;=:@"),
            ("/%21%3b%40", "/%21%3B%40"),
            ("/%252e%252e/x", "/%252e%252e/x"),
            ("/a;v=1/b", "/a;v=1/b"),
            ("/a?%2e%61//../#x\\", "/a?%2e%61//../#x\\"),
            ("/a/..?", "/?"),
        ] {
            assert_eq!(normal(url, Slashes::Merge).as_deref(), Ok(expected), "{url}");
        }
    }

    #[test]
    fn slashes_stay_where_they_are_asked_to() {
        for (url, expected) in [
            ("//admin", "//admin"),
            ("/a//b///", "/a//b///"),
            ("/a//../b", "/a/b"),
            ("/.//a", "//a"),
            ("//..", "/"),
            ("/a/.", "/a/"),
            ("/", "/"),
        ] {
            assert_eq!(normal(url, Slashes::Keep).as_deref(), Ok(expected), "{url}");
        }
        assert_eq!(normal("//../..", Slashes::Keep), Err(ABOVE_ROOT.0));
    }

    #[test]
    fn what_backends_disagree_about_is_refused() {
        for (url, expected) in [
            ("", NO_SLASH),
            ("a", NO_SLASH),
            ("?a", NO_SLASH),
            ("/%", ESCAPE),
            ("/%4", ESCAPE),
            ("/%4?1", ESCAPE),
            ("/%g0", ESCAPE),
            ("/%+1", ESCAPE),
            ("/a%00b", NUL),
            ("/a\\b", BACKSLASH),
            ("/..\\admin", BACKSLASH),
            ("/a#b", FRAGMENT),
            ("/a b", CONTROL),
            ("/a\tb", CONTROL),
            ("/..", ABOVE_ROOT),
            ("/../a", ABOVE_ROOT),
            ("/a/../../b", ABOVE_ROOT),
            ("//..", ABOVE_ROOT),
            ("/%2e%2e/a", ABOVE_ROOT),
            ("/public/..%2fadmin", HIDDEN_DOTS),
            ("/public/%2e%2e%2Fadmin", HIDDEN_DOTS),
            ("/public/..%5cadmin", HIDDEN_DOTS),
            ("/public%2f..", HIDDEN_DOTS),
            ("/public%2f./x", HIDDEN_DOTS),
            ("/a%2f..%2fb", HIDDEN_DOTS),
            ("/public/..;/admin", HIDDEN_DOTS),
            ("/public/.;a=b/admin", HIDDEN_DOTS),
            ("/a%2f..;x", HIDDEN_DOTS),
        ] {
            assert_eq!(normal(url, Slashes::Merge), Err(expected.0), "{url}");
        }
    }

    #[test]
    fn a_plain_path_is_told_by_a_glance() {
        for url in ["/", "/a/b.c/", "/a?//../%", "/!$&'()*+,;=:@-_~"] {
            assert!(is_plainly_normal(url.as_bytes(), Slashes::Merge), "{url}");
        }
        for url in ["", "*", "a", "//", "/.well-known", "/%2F", "/a\\", "/a#", "/é", "/a/./b"] {
            assert!(!is_plainly_normal(url.as_bytes(), Slashes::Merge), "{url}");
        }
        assert!(is_plainly_normal(b"//a//", Slashes::Keep));
    }
}
