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

pub const TEXT_BYTES: usize = 64;

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

    /// Four numbers of fixed width, in letters from a to p: neither side has to search or to branch.
    pub fn write(&self, out: &mut [u8; TEXT_BYTES]) {
        let bytes = self.words().into_iter().flat_map(u64::to_be_bytes);
        for (pair, byte) in out.chunks_exact_mut(2).zip(bytes) {
            pair.copy_from_slice(&letters(byte));
        }
    }

    pub fn parse(text: &[u8]) -> Option<Self> {
        let text: &[u8; TEXT_BYTES] = text.try_into().ok()?;
        let (mut words, mut wrong) = ([0_u64; 4], false);
        for (word, letters) in words.iter_mut().zip(text.chunks_exact(16)) {
            for letter in letters {
                let nibble = letter.wrapping_sub(b'a');
                wrong |= nibble > 15;
                *word = (*word << 4) | u64::from(nibble & 15);
            }
        }
        let [host_rank, group_rest, draw, began_ms] = words;
        let [_, _, _, _, kind, scheme, port @ ..] = group_rest.to_be_bytes();
        let scheme = match scheme {
            0 => Scheme::Http,
            1 => Scheme::Https,
            _ => return None,
        };
        let kind = *Kind::ALL.get(usize::from(kind)).filter(|_| !wrong)?;
        let [host, rank] = halves(host_rank);
        let [group, _] = halves(group_rest);
        Some(Self {
            kind,
            route: RouteId { host, rank },
            group,
            draw,
            began_ms,
            scheme,
            port: u16::from_be_bytes(port),
        })
    }

    fn words(&self) -> [u64; 4] {
        let rest =
            u64::from(self.kind as u8) << 24 | u64::from(self.scheme == Scheme::Https) << 16 | u64::from(self.port);
        [
            u64::from(self.route.host) << 32 | u64::from(self.route.rank),
            u64::from(self.group) << 32 | rest,
            self.draw,
            self.began_ms,
        ]
    }
}

fn halves(word: u64) -> [u32; 2] {
    let [a, b, c, d, low @ ..] = word.to_be_bytes();
    [u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes(low)]
}

/// A byte as two letters from a to p.
pub fn letters(byte: u8) -> [u8; 2] {
    [b'a' + (byte >> 4), b'a' + (byte & 15)]
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
            ticket.write(&mut text);
            assert_eq!(Ticket::parse(&text), Some(ticket));
        }
    }

    #[test]
    fn nonsense_is_no_ticket() {
        let mut text = [0; TEXT_BYTES];
        widest().write(&mut text);
        assert_eq!(Ticket::parse(b""), None);
        assert_eq!(Ticket::parse(&text[1..]), None, "too short");
        assert_eq!(Ticket::parse(&[&text[..], b"a"].concat()), None, "too long");
        for (at, letter) in [(0, b'q'), (0, b'`'), (0, b'A'), (63, 0), (25, b'k'), (26, b'b'), (27, b'c')] {
            let mut wrong = text;
            wrong[at] = letter;
            assert_eq!(Ticket::parse(&wrong), None, "{at} {letter}");
        }
    }
}
