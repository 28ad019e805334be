//! Header edits: what a rule or a group does to the headers of a request or response.
//!
//! The table holds them as an ordered list to be replayed. Edits that depend on the request (CORS) are written into an
//! `EditBuffer` that the caller keeps and reuses, so that they cost no allocation once it has grown.

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Op {
    /// Remove every occurrence.
    Remove,
    /// Remove every occurrence, then append one.
    Set,
    /// Append one.
    Add,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HeaderEdit {
    pub op: Op,
    pub name: Box<str>,
    /// Empty for `Remove`.
    pub value: Box<str>,
}

/// Framing and hop-by-hop headers: editing them lets one request be read as two.
const FORBIDDEN: [&str; 7] =
    ["connection", "content-length", "transfer-encoding", "trailer", "upgrade", "keep-alive", "te"];

pub fn check_name(name: &str) -> Result<(), String> {
    if name.is_empty() || name.len() > crate::limits::NAME_BYTES || !name.bytes().all(is_token) {
        return Err(format!("`{name}` is no header name"));
    }
    Ok(())
}

pub fn check_editable(name: &str) -> Result<(), String> {
    check_name(name)?;
    let internal = name.get(..8).is_some_and(|start| start.eq_ignore_ascii_case("x-ghost-"));
    if internal || FORBIDDEN.iter().any(|other| other.eq_ignore_ascii_case(name)) {
        return Err(format!("`{name}` may not be edited"));
    }
    Ok(())
}

pub fn check_value(value: &str) -> Result<(), String> {
    if value.len() > crate::limits::HEADER_VALUE_BYTES {
        return Err(format!("header value has {} bytes, limit {}", value.len(), crate::limits::HEADER_VALUE_BYTES));
    }
    if value.bytes().any(|b| (b < 0x20 && b != b'\t') || b == 0x7f) {
        return Err("header value holds a control character".into());
    }
    Ok(())
}

pub fn is_token(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&byte)
}

/// Edits made up for one request.
#[derive(Debug, Default)]
pub struct EditBuffer {
    bytes: Vec<u8>,
    edits: Vec<(Op, usize, usize)>,
}

impl EditBuffer {
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.edits.clear();
    }

    pub(crate) fn push(&mut self, op: Op, name: &str, value: &[&[u8]]) {
        self.bytes.extend_from_slice(name.as_bytes());
        let name_end = self.bytes.len();
        for part in value {
            self.bytes.extend_from_slice(part);
        }
        self.edits.push((op, name_end, self.bytes.len()));
    }

    pub fn iter(&self) -> impl Iterator<Item = (Op, &[u8], &[u8])> {
        self.edits.iter().scan(0, |start, &(op, name_end, end)| {
            let name = self.bytes.get(*start..name_end).unwrap_or_default();
            let value = self.bytes.get(name_end..end).unwrap_or_default();
            *start = end;
            Some((op, name, value))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_break_framing_or_leak_are_refused() {
        for bad in ["", "a b", "a:", "Ünï", "Content-Length", "transfer-encoding", "X-Ghost-Pass", "x-ghost-"] {
            assert!(check_editable(bad).is_err(), "{bad}");
        }
        for good in ["Host", "X-Env", "x-ghos", "X-Ghosts"] {
            assert!(check_editable(good).is_ok(), "{good}");
        }
    }

    #[test]
    fn values_cannot_start_a_new_line() {
        assert!(check_value("a\r\nb").is_err());
        assert!(check_value("a\0").is_err());
        assert!(check_value("a\tb é").is_ok());
        assert!(check_value(&"x".repeat(4097)).is_err());
    }

    #[test]
    fn buffer_gives_back_what_was_pushed() {
        let mut buffer = EditBuffer::default();
        buffer.push(Op::Set, "a", &[b"1", b"2"]);
        buffer.push(Op::Remove, "b", &[]);
        buffer.push(Op::Add, "c", &[b"3"]);
        let edits: Vec<_> = buffer.iter().collect();
        assert_eq!(edits, [(Op::Set, &b"a"[..], &b"12"[..]), (Op::Remove, b"b", b""), (Op::Add, b"c", b"3")]);
        buffer.clear();
        assert_eq!(buffer.iter().count(), 0);
    }
}
