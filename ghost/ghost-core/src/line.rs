//! Header lines that the table keeps ready: a request only points at them.

/// `name: value` and a NUL, as C wants it.
#[derive(Debug)]
pub struct HeaderLine {
    text: Box<str>,
    value: usize,
}

impl HeaderLine {
    pub(crate) fn new(name: &str, value: &str) -> Result<Self, String> {
        if let Some(wrong) = value.chars().find(|c| c.is_control()) {
            return Err(format!("has the control character {wrong:?}"));
        }
        Ok(Self { text: format!("{name}: {value}\0").into(), value: name.len() + 2 })
    }

    /// With the NUL.
    pub fn text(&self) -> &[u8] {
        self.text.as_bytes()
    }

    pub fn value(&self) -> &str {
        self.text.get(self.value..self.text.len() - 1).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_name_value_and_nul() {
        let line = HeaderLine::new("X-Gateway-Route", "ns/é").unwrap();
        assert_eq!(line.text(), "X-Gateway-Route: ns/é\0".as_bytes());
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
