//! The normal form of a path once more, in the most obvious way: one rule after the other over whole texts. It shares no code with
//! the router.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::unwrap_used, clippy::indexing_slicing, reason = "tests may fail")]

const HEX: &[u8] = b"0123456789ABCDEF";

/// Of a path without a query; `None` if it has none.
pub fn normal_path(path: &[u8], merges: bool) -> Option<Vec<u8>> {
    if !path.starts_with(b"/") || path.iter().any(|byte| b"\\#".contains(byte) || *byte <= b' ' || *byte == 127) {
        return None;
    }
    let escaped = escapes(path)?;
    let segments: Vec<&[u8]> = escaped[1..].split(|&byte| byte == b'/').collect();
    if segments.iter().any(|segment| hides_dots(segment)) {
        return None;
    }
    let is_dot = |segment: &[u8]| segment == b"." || segment == b"..";
    let mut stack: Vec<&[u8]> = Vec::new();
    for segment in &segments {
        match *segment {
            b"." => {}
            b".." => {
                stack.pop()?;
            }
            b"" if merges => {}
            other => stack.push(other),
        }
    }
    let last = segments.last().unwrap();
    if is_dot(last) || (merges && last.is_empty()) {
        stack.push(b"");
    }
    Some(stack.iter().flat_map(|segment| [b"/", *segment].concat()).collect())
}

/// Each byte as it has to be written.
fn escapes(path: &[u8]) -> Option<Vec<u8>> {
    let mut out = Vec::new();
    let mut at = 0;
    while at < path.len() {
        let (byte, escaped) = if path[at] == b'%' {
            let digits = path.get(at + 1..at + 3)?;
            if !digits.iter().all(u8::is_ascii_hexdigit) {
                return None;
            }
            at += 2;
            (u8::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap(), true)
        } else {
            (path[at], false)
        };
        at += 1;
        if byte == 0 {
            return None;
        }
        let unreserved = byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
        let allowed = !escaped && b"!$&'()*+,;=:@/".contains(&byte);
        if unreserved || allowed {
            out.push(byte);
        } else {
            out.extend([b'%', HEX[usize::from(byte / 16)], HEX[usize::from(byte % 16)]]);
        }
    }
    Some(out)
}

/// Whether decoding slashes, or cutting parameters off, makes a dot segment of what is none.
fn hides_dots(segment: &[u8]) -> bool {
    let text = String::from_utf8(segment.to_vec()).unwrap();
    if text == "." || text == ".." {
        return false;
    }
    let parts = text.replace("%5C", "%2F");
    parts.split("%2F").any(|part| matches!(part.split(';').next().unwrap(), "." | ".."))
}
