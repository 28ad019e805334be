//! What ghost answers by itself.

use ghost_core::{EditBuffer, Headers, Origin, Table};

use crate::ticket::{Kind, OVERLOADED, Ticket};

/// Status and body; headers are added to `edits`, `Location` is written to `location`.
pub struct Answer {
    pub status: u16,
    pub body: &'static str,
    pub close: bool,
    pub redirects: bool,
    /// The client may come again in a second.
    pub overloaded: bool,
}

impl Answer {
    fn plain(status: u16, body: &'static str) -> Self {
        Self { status, body, close: false, redirects: false, overloaded: false }
    }

    pub fn of<H: Headers + ?Sized>(
        table: &Table,
        ticket: &Ticket,
        (host, url): (&[u8], &[u8]),
        headers: &H,
        edits: &mut EditBuffer,
        location: &mut Vec<u8>,
    ) -> Self {
        edits.clear();
        location.clear();
        let route = table.route(ticket.route).map(|(_, route)| route);
        match ticket.kind {
            Kind::FreedSocket => Self { close: true, ..Self::plain(404, "vhost not found") },
            Kind::NoListener | Kind::NoHost | Kind::NoRoute => Self::plain(404, "vhost not found"),
            Kind::NoHostHeader => Self::plain(400, "no host"),
            Kind::BadHost => Self::plain(400, "bad host"),
            Kind::Misdirected => Self::plain(421, "misdirected request"),
            Kind::Unavailable if ticket.group == OVERLOADED => {
                Self { overloaded: true, ..Self::plain(503, "overloaded") }
            }
            Kind::Unavailable => Self::plain(503, "no endpoint available"),
            Kind::Redirect => match route.and_then(ghost_core::Route::redirect) {
                None => Self::plain(500, "no backends available"),
                Some(redirect) => {
                    let port = Some(ticket.port).filter(|&port| port != 0);
                    redirect.write_location(&Origin { scheme: ticket.scheme, port, host, url }, location);
                    Self { redirects: true, ..Self::plain(redirect.status, "") }
                }
            },
            Kind::Preflight => {
                if let Some(cors) = route.and_then(ghost_core::Route::cors) {
                    cors.write_preflight(headers, edits);
                }
                Self::plain(200, "")
            }
            // A forward comes here only if its endpoint cannot be used: it needs TLS that varnishd does not speak.
            Kind::Forward => Self::plain(503, "endpoint cannot be reached"),
            Kind::Invalid => Self::plain(500, "no backends available"),
        }
    }
}
