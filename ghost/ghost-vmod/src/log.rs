//! The line that a request's log gets. Texts of the table and a few digits are put side by side: nothing is formatted.

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
        let (rule, number) = self.route.map(Route::origin).unwrap_or_default();
        out.clear();
        out.extend_from_slice(b"ghost: route ");
        out.extend_from_slice(self.route.map_or("", Route::name).as_bytes());
        out.extend_from_slice(b" rule ");
        write_number(rule, out);
        out.extend_from_slice(b" match ");
        write_number(number, out);
        out.extend_from_slice(b" listener ");
        out.extend_from_slice(self.listener);
        out.extend_from_slice(b" kind ");
        write_number(u32::from(self.kind as u8), out);
    }
}

fn write_number(number: u32, out: &mut Vec<u8>) {
    let (mut digits, mut rest) = ([b'0'; 10], number);
    let mut used = 0;
    for digit in digits.iter_mut().rev() {
        *digit = b'0' + u8::try_from(rest % 10).unwrap_or_default();
        rest /= 10;
        used += 1;
        if rest == 0 {
            break;
        }
    }
    out.extend_from_slice(digits.get(digits.len() - used..).unwrap_or_default());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_no_leading_zeros() {
        for number in [0, 7, 10, 999, u32::MAX] {
            let mut out = Vec::new();
            write_number(number, &mut out);
            assert_eq!(out, number.to_string().as_bytes());
        }
    }

    #[test]
    fn a_request_without_route_has_empty_places() {
        let mut out = b"old".to_vec();
        LogLine { route: None, listener: b"http-80", kind: Kind::NoRoute }.write(&mut out);
        assert_eq!(out, b"ghost: route  rule 0 match 0 listener http-80 kind 4");
    }
}
