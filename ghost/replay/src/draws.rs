//! What may come of a request, whatever varnishd draws. A case names one draw; which one varnishd makes is its own affair.

use std::collections::BTreeSet;

use ghost_core::{Action, Chance, Choice, RequestTarget, Scratch, Slashes, Table};

use crate::case::Request;

/// Steps from 0 to 1 for the group and for the endpoint: finer than any weight or pool of the cases.
const GROUPS: u64 = 100;
const ENDPOINTS: u64 = 8;

/// Keys of endpoints, and statuses where there is none.
pub fn possible(table: &Table, request: &Request) -> BTreeSet<String> {
    let bytes = |(name, value): &(String, String)| (name.clone().into_bytes(), value.trim().as_bytes().to_vec());
    let headers: Vec<_> = request.headers.iter().map(bytes).collect();
    let mut url = Vec::new();
    let target = RequestTarget::read(request.method.as_bytes(), request.url.as_bytes(), Slashes::Merge, &mut url).ok();
    let host = request.header("host").map(str::as_bytes);
    let (url, host) = match target {
        None => return BTreeSet::new(),
        Some(RequestTarget::AsItCame) => (request.url.as_bytes(), host),
        Some(RequestTarget::Normalised) => (&*url, host),
        Some(RequestTarget::Absolute { authority }) => (&*url, Some(authority)),
    };
    let view = ghost_core::Request {
        socket: request.socket.as_bytes(),
        port: request.port,
        server_name: request.server_name.as_deref().map(str::as_bytes),
        method: request.method.as_bytes(),
        url,
        host,
        headers: &headers,
    };
    let mut scratch = Scratch::default();
    let mut all = BTreeSet::new();
    for group in 0..GROUPS {
        for endpoint in 0..ENDPOINTS {
            let draw = (((group << 32) / GROUPS) << 32) | ((endpoint << 32) / ENDPOINTS);
            all.insert(match table.select(&view, Chance { draw, now_ms: 0 }, &mut scratch) {
                Choice::Route(_, Action::Forward(forward)) => reached(forward.endpoint.key()).to_owned(),
                Choice::Route(_, Action::Invalid) => "500".to_owned(),
                Choice::Route(_, Action::Unavailable) => "503".to_owned(),
                _ => continue,
            });
        }
    }
    all
}

/// What the client of an endpoint sees: varnishd speaks no TLS to endpoints, and must not speak plain text instead.
pub fn reached(key: &str) -> &str {
    if key.contains("+tls:") { "503" } else { key }
}
