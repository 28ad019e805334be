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
    /// A request of HTTP/1.1 without `Host`.
    NoHostHeader,
    /// `Host` is none.
    BadHost,
}

impl Kind {
    pub const ALL: [Self; 12] = [
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
        Self::NoHostHeader,
        Self::BadHost,
    ];
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ticket {
    pub kind: Kind,
    pub route: RouteId,
    /// `NO_GROUP`: none.
    pub group: u8,
    /// Number of the listener in the table; `u32::MAX`: none.
    pub listener: u32,
    pub draw: u64,
    /// When the request began, on the monotonic clock; it takes decades to outgrow its 40 bits.
    pub began_ms: u64,
    /// The view that the numbers above are about, in 24 bits.
    pub view: u32,
    pub scheme: Scheme,
    /// 0: unknown.
    pub port: u16,
}

pub const TEXT_BYTES: usize = 64;
pub const NO_GROUP: u8 = u8::MAX;
/// In place of a group, of a request that is unavailable because its backend, its namespace or all hold too many threads.
pub const OVERLOADED: u8 = u8::MAX - 1;

/// Bits of a view's number.
pub const VIEW_BITS: u32 = 24;

/// Beside the kind, in the same byte.
const HTTPS: u8 = 0x80;

impl Ticket {
    pub fn of(choice: &Choice<'_>, draw: u64, began_ms: u64, view: u32) -> Self {
        let none = RouteId { host: u32::MAX, rank: u32::MAX };
        let (kind, matched) = match choice {
            Choice::FreedSocket => (Kind::FreedSocket, None),
            Choice::NoListener => (Kind::NoListener, None),
            Choice::BadHost => (Kind::BadHost, None),
            Choice::Misdirected => (Kind::Misdirected, None),
            Choice::NoHost(_) => (Kind::NoHost, None),
            Choice::NoRoute(_) => (Kind::NoRoute, None),
            Choice::Route(matched, action) => (kind_of(action), Some(matched)),
        };
        let group = match choice {
            Choice::Route(_, Action::Forward(forward)) => u8::try_from(forward.group_index).unwrap_or(NO_GROUP),
            _ => NO_GROUP,
        };
        let listener = matched.map(|m: &Matched<'_>| m.listener);
        Self {
            kind,
            route: matched.map_or(none, |m| m.id),
            group,
            listener: listener.and_then(|l| l.number).unwrap_or(u32::MAX),
            draw,
            began_ms,
            view,
            scheme: listener.map(|l| l.scheme).unwrap_or_default(),
            port: listener.and_then(|l| l.port).unwrap_or_default(),
        }
    }

    /// Four numbers of fixed width, in letters from a to p: neither side has to search or to branch.
    pub fn write(&self, out: &mut [u8; TEXT_BYTES]) {
        for (letters, word) in out.chunks_exact_mut(16).zip(self.words()) {
            let [high, low] = halves(word).map(spread);
            let (front, back) = letters.split_at_mut(8);
            front.copy_from_slice(&high);
            back.copy_from_slice(&low);
        }
    }

    pub fn parse(text: &[u8]) -> Option<Self> {
        let text: &[u8; TEXT_BYTES] = text.try_into().ok()?;
        let (mut words, mut wrong) = ([0_u64; 4], false);
        for (word, letters) in words.iter_mut().zip(text.chunks_exact(16)) {
            let (high, low) = letters.split_at_checked(8)?;
            let (high, low) = (gather(high.try_into().ok()?), gather(low.try_into().ok()?));
            wrong |= high.is_none() || low.is_none();
            *word = u64::from(high.unwrap_or_default()) << 32 | u64::from(low.unwrap_or_default());
        }
        let [route, place, draw, time] = words;
        let (began_ms, view) = (time >> VIEW_BITS, u32::try_from(time & LARGEST_VIEW).unwrap_or_default());
        let [host, rank] = halves(route);
        let [_, listener] = halves(place);
        let [group, kind, port_high, port_low, ..] = place.to_be_bytes();
        let scheme = if kind & HTTPS == 0 { Scheme::Http } else { Scheme::Https };
        let kind = *Kind::ALL.get(usize::from(kind & !HTTPS)).filter(|_| !wrong)?;
        let port = u16::from_be_bytes([port_high, port_low]);
        Some(Self { kind, route: RouteId { host, rank }, group, listener, draw, began_ms, view, scheme, port })
    }

    fn words(&self) -> [u64; 4] {
        let kind = self.kind as u8 | if self.scheme == Scheme::Https { HTTPS } else { 0 };
        [
            u64::from(self.route.host) << 32 | u64::from(self.route.rank),
            u64::from(u16::from_be_bytes([self.group, kind])) << 48
                | u64::from(self.port) << 32
                | u64::from(self.listener),
            self.draw,
            self.began_ms << VIEW_BITS | u64::from(self.view) & LARGEST_VIEW,
        ]
    }
}

const LARGEST_VIEW: u64 = (1 << VIEW_BITS) - 1;

fn halves(word: u64) -> [u32; 2] {
    let [a, b, c, d, low @ ..] = word.to_be_bytes();
    [u32::from_be_bytes([a, b, c, d]), u32::from_be_bytes(low)]
}

const FIRST_LETTERS: u64 = u64::from_ne_bytes([b'a'; 8]);

/// Eight nibbles as letters from a to p, all at once: each step moves half of what a lane holds into the lane beside it.
fn spread(half: u32) -> [u8; 8] {
    let word = u64::from(half);
    let word = (word | word << 16) & 0x0000_ffff_0000_ffff;
    let word = (word | word << 8) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word << 4) & 0x0f0f_0f0f_0f0f_0f0f;
    (word + FIRST_LETTERS).to_be_bytes()
}

/// The way back; `None` if there is another letter among them.
fn gather(letters: [u8; 8]) -> Option<u32> {
    // A borrow from one lane leaves high bits in another: wrong letters never come out as right ones.
    let word = u64::from_be_bytes(letters).wrapping_sub(FIRST_LETTERS);
    if word & 0xf0f0_f0f0_f0f0_f0f0 != 0 {
        return None;
    }
    let word = (word | word >> 4) & 0x00ff_00ff_00ff_00ff;
    let word = (word | word >> 8) & 0x0000_ffff_0000_ffff;
    u32::try_from((word | word >> 16) & 0xffff_ffff).ok()
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
            group: u8::MAX,
            listener: u32::MAX,
            draw: u64::MAX,
            began_ms: u64::MAX >> VIEW_BITS,
            view: (1 << VIEW_BITS) - 1,
            scheme: Scheme::Https,
            port: u16::MAX,
        }
    }

    #[test]
    fn what_is_written_is_read() {
        let narrow = Ticket {
            kind: Kind::FreedSocket,
            draw: 0,
            began_ms: 0,
            view: 0,
            port: 0,
            scheme: Scheme::Http,
            ..widest()
        };
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
        for (at, letter) in [(0, b'q'), (0, b'`'), (0, b'A'), (7, b'`'), (8, b'q'), (63, 0), (19, b'p'), (18, b'h')] {
            let mut wrong = text;
            wrong[at] = letter;
            assert_eq!(Ticket::parse(&wrong), None, "{at} {letter}");
        }
    }
}
