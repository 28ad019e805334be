//! Header lines that the table keeps ready: a request only points at them.

/// `name: value` and a NUL, as C wants it.
#[derive(Debug)]
pub struct HeaderLine {
    text: Box<str>,
    value: usize,
}

impl HeaderLine {
    pub(crate) fn new(name: &str, value: &str) -> Result<Self, String> {
        printable(value)?;
        Ok(Self { text: format!("{name}: {value}\0").into(), value: name.len() + 2 })
    }

    /// A NUL follows.
    pub fn bytes(&self) -> &[u8] {
        self.text.as_bytes().strip_suffix(b"\0").unwrap_or_default()
    }

    pub fn value(&self) -> &str {
        self.text.get(self.value..self.text.len() - 1).unwrap_or_default()
    }
}

/// Whether a text can be part of a line.
pub(crate) fn printable(text: &str) -> Result<(), String> {
    match text.chars().find(|c| c.is_control()) {
        Some(wrong) => Err(format!("has the control character {wrong:?}")),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_name_value_and_nul() {
        let line = HeaderLine::new("X-Gateway-Route", "ns/é").unwrap();
        assert_eq!(line.bytes(), "X-Gateway-Route: ns/é".as_bytes());
        assert_eq!(line.value(), "ns/é");
        assert_eq!(HeaderLine::new("a", "").unwrap().value(), "");
    }

    #[test]
    fn no_value_makes_a_second_line() {
        for value in ["a\r\nHost: b", "a\nb", "a\0b", "\u{7f}"] {
            assert!(HeaderLine::new("a", value).is_err(), "{value:?}");
        }
    }
}
