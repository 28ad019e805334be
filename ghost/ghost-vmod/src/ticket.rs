//! A routing decision as text. It travels from `req` to `bereq` in a header that only ghost writes: fetches outlive their
//! client (background fetch), so it cannot be a pointer.

use ghost_core::{Action, Choice, Matched, RouteId, Scheme};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Kind {
    FreedSocket,
    NoListener,
    Misdirected,
    NoHost,
    NoRoute,
    Redirect,
    Preflight,
    Invalid,
    Unavailable,
    Forward,
}

impl Kind {
    const ALL: [Self; 10] = [
        Self::FreedSocket,
        Self::NoListener,
        Self::Misdirected,
        Self::NoHost,
        Self::NoRoute,
        Self::Redirect,
        Self::Preflight,
        Self::Invalid,
        Self::Unavailable,
        Self::Forward,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub kind: Kind,
    pub route: RouteId,
    pub group: u32,
    pub draw: u64,
    /// When the request began, on the monotonic clock.
    pub began_ms: u64,
    pub scheme: Scheme,
    /// 0: unknown.
    pub port: u16,
}

pub const TEXT_BYTES: usize = 96;

impl Ticket {
    pub fn of(choice: &Choice<'_>, draw: u64, began_ms: u64) -> Self {
        let none = RouteId { host: u32::MAX, rank: u32::MAX };
        let (kind, matched) = match choice {
            Choice::FreedSocket => (Kind::FreedSocket, None),
            Choice::NoListener => (Kind::NoListener, None),
            Choice::Misdirected => (Kind::Misdirected, None),
            Choice::NoHost(_) => (Kind::NoHost, None),
            Choice::NoRoute(_) => (Kind::NoRoute, None),
            Choice::Route(matched, action) => (kind_of(action), Some(matched)),
        };
        let group = match choice {
            Choice::Route(_, Action::Forward(forward)) => u32::try_from(forward.group_index).unwrap_or(u32::MAX),
            _ => u32::MAX,
        };
        let listener = matched.map(|m: &Matched<'_>| m.listener);
        Self {
            kind,
            route: matched.map_or(none, |m| m.id),
            group,
            draw,
            began_ms,
            scheme: listener.map(|l| l.scheme).unwrap_or_default(),
            port: listener.and_then(|l| l.port).unwrap_or_default(),
        }
    }

    /// Fields in hexadecimal, joined by `-`.
    pub fn write(&self, out: &mut [u8; TEXT_BYTES]) -> usize {
        let mut at = 0;
        for (number, field) in self.fields().into_iter().enumerate() {
            if number > 0 {
                put(out, &mut at, b'-');
            }
            let digits = (16 - field.leading_zeros() / 4).max(1);
            for digit in (0..digits).rev() {
                let nibble = (field >> (digit * 4)) & 15;
                put(
                    out,
                    &mut at,
                    b"0123456789abcdef".get(usize::try_from(nibble).unwrap_or(0)).copied().unwrap_or(b'0'),
                );
            }
        }
        at
    }

    pub fn parse(text: &[u8]) -> Option<Self> {
        let mut fields = [0_u64; 8];
        let mut parts = text.split(|&b| b == b'-');
        for field in &mut fields {
            let part = parts.next().filter(|part| !part.is_empty() && part.len() <= 16)?;
            for &byte in part {
                *field = (*field << 4) | u64::from(char::from(byte).to_digit(16)?);
            }
        }
        let [kind, host, rank, group, draw, began_ms, scheme, port] = fields;
        if parts.next().is_some() {
            return None;
        }
        Some(Self {
            kind: *Kind::ALL.get(usize::try_from(kind).ok()?)?,
            route: RouteId { host: u32::try_from(host).ok()?, rank: u32::try_from(rank).ok()? },
            group: u32::try_from(group).ok()?,
            draw,
            began_ms,
            scheme: if scheme == 1 { Scheme::Https } else { Scheme::Http },
            port: u16::try_from(port).ok()?,
        })
    }

    fn fields(&self) -> [u64; 8] {
        [
            self.kind as u64,
            self.route.host.into(),
            self.route.rank.into(),
            self.group.into(),
            self.draw,
            self.began_ms,
            u64::from(self.scheme == Scheme::Https),
            self.port.into(),
        ]
    }
}

fn kind_of(action: &Action<'_>) -> Kind {
    match action {
        Action::Redirect(_) => Kind::Redirect,
        Action::Preflight(_) => Kind::Preflight,
        Action::Invalid => Kind::Invalid,
        Action::Unavailable => Kind::Unavailable,
        Action::Forward(_) => Kind::Forward,
    }
}

fn put(out: &mut [u8; TEXT_BYTES], at: &mut usize, byte: u8) {
    if let Some(slot) = out.get_mut(*at) {
        *slot = byte;
        *at += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn widest() -> Ticket {
        Ticket {
            kind: Kind::Forward,
            route: RouteId { host: u32::MAX, rank: u32::MAX },
            group: u32::MAX,
            draw: u64::MAX,
            began_ms: u64::MAX,
            scheme: Scheme::Https,
            port: u16::MAX,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let narrow =
            Ticket { kind: Kind::FreedSocket, draw: 0, began_ms: 0, port: 0, scheme: Scheme::Http, ..widest() };
        for ticket in [widest(), narrow] {
            let mut text = [0; TEXT_BYTES];
            let length = ticket.write(&mut text);
            assert!(length < TEXT_BYTES);
            assert_eq!(Ticket::parse(&text[..length]), Some(ticket));
        }
    }

    #[test]
    fn nonsense_is_no_ticket() {
        for text in
            ["", "9", "9-1-1-1-1-1-1", "9-1-1-1-1-1-1-1-1", "a-1-1-1-1-1-1-1", "9-x-1-1-1-1-1-1", "9--1-1-1-1-1-1"]
        {
            assert_eq!(Ticket::parse(text.as_bytes()), None, "{text}");
        }
        assert_eq!(Ticket::parse(b"9-100000000-1-1-1-1-1-1"), None, "too large for its field");
    }
}
