//! The line that a request's log gets. Texts of the table are put side by side: nothing is formatted.

use ghost_core::Route;

use crate::ticket::Kind;

pub struct LogLine<'t> {
    pub route: Option<&'t Route>,
    /// Empty: none.
    pub listener: &'t [u8],
    pub kind: Kind,
}

impl LogLine<'_> {
    /// Replaces what is in `out`.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        out.extend_from_slice(b"ghost: ");
        out.extend_from_slice(self.route.map_or("route  rule 0 match 0", Route::log).as_bytes());
        out.extend_from_slice(b" listener ");
        out.extend_from_slice(self.listener);
        out.extend_from_slice(KINDS.get(self.kind as usize).copied().unwrap_or_default());
    }
}

const KINDS: [&[u8]; Kind::ALL.len()] = [
    b" kind 0",
    b" kind 1",
    b" kind 2",
    b" kind 3",
    b" kind 4",
    b" kind 5",
    b" kind 6",
    b" kind 7",
    b" kind 8",
    b" kind 9",
    b" kind 10",
    b" kind 11",
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_its_number() {
        for kind in Kind::ALL {
            let mut out = Vec::new();
            LogLine { route: None, listener: b"", kind }.write(&mut out);
            assert!(out.ends_with(format!(" kind {}", kind as u8).as_bytes()));
        }
    }

    #[test]
    fn a_request_without_route_has_empty_places() {
        let mut out = b"old".to_vec();
        LogLine { route: None, listener: b"http-80", kind: Kind::NoRoute }.write(&mut out);
        assert_eq!(out, b"ghost: route  rule 0 match 0 listener http-80 kind 4");
    }
}
