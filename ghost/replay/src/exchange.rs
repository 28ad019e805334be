//! One request through varnishd: what the client sent and got, what endpoints got, and whether the two fit the expectation.

use std::collections::BTreeSet;

use crate::case::{Edit, Request, Routed};
use crate::endpoints::Seen;
use crate::message::{Answer, Header, joined};
use crate::tally::Tally;

/// Headers that varnishd itself adds to what an endpoint gets.
const AT_ENDPOINTS: [&str; 4] = ["x-varnish", "x-forwarded-for", "via", "accept-encoding"];
/// Headers of what a client gets that are varnishd's affair, and the endpoint's name, which is looked at by itself.
const AT_CLIENTS: [&str; 9] = [
    "accept-ranges",
    "age",
    "connection",
    "content-length",
    "date",
    "transfer-encoding",
    "via",
    "x-endpoint",
    "x-varnish",
];
/// How a header looks that somebody sent who has no say in it.
pub const FORGED: &str = "forged";

pub struct Exchange {
    pub answer: Answer,
    pub seen: Vec<Seen>,
    /// Headers that the client sent on top of the case's, as far as they may matter.
    pub more: Vec<Header>,
    /// Headers that endpoints answered with.
    pub script: Vec<Header>,
}

/// Headers that only ghost writes, from a client that tries.
pub fn forged() -> Vec<Header> {
    let names = ["X-Ghost-Ticket", "X-Ghost-Pass", "X-Gateway-Route", "X-Gateway-Listener"];
    names.map(|name| (name.to_owned(), FORGED.to_owned())).into()
}

impl Exchange {
    /// varnishd's number of the request; after it, on a hit, that of the request which fetched the object.
    pub fn id(&self) -> u64 {
        let ids = self.answer.head.get("x-varnish").unwrap_or_default();
        ids.split(' ').next().and_then(|id| id.parse().ok()).unwrap_or_default()
    }

    pub fn is_hit(&self) -> bool {
        self.seen.is_empty() && self.answer.head.get("x-varnish").is_some_and(|ids| ids.contains(' '))
    }

    /// Which endpoint answered; the status if none did.
    pub fn mark(&self) -> String {
        self.answer.head.get("x-endpoint").map_or_else(|| self.answer.status.to_string(), str::to_owned)
    }

    /// Nothing of ghost's own goes out to clients.
    pub fn check_clean(&self, tally: &mut Tally) {
        let names = self.answer.head.headers.iter().map(|(name, _)| name.to_ascii_lowercase());
        let inner = |name: &String| name.starts_with("x-ghost-") || name.starts_with("x-gateway-") || name == "xkey";
        tally.equal("inner headers at the client", &Vec::new(), &names.filter(inner).collect());
    }

    /// An answer of ghost's own: no endpoint is asked.
    pub fn check_own(&self, tally: &mut Tally, status: u16) {
        tally.equal("status", &status, &self.answer.status);
        let asked: Vec<_> = self.seen.iter().map(|seen| &seen.endpoint).collect();
        tally.holds(&format!("no endpoint is asked, but {asked:?}"), asked.is_empty());
        tally.equal("endpoint's header", &None, &self.answer.head.get("x-endpoint"));
        self.check_clean(tally);
    }

    /// The headers of a preflight's answer: those that are expected and no others.
    pub fn check_preflight(&self, tally: &mut Tally, routed: &Routed) {
        tally.equal("body", &"", &self.answer.body.as_str());
        self.check_headers(tally, routed, vec![("Cache-Control".into(), "no-store".into())]);
    }

    /// The answer of an endpoint: its headers after the edits.
    pub fn check_response(&self, tally: &mut Tally, routed: &Routed) {
        tally.equal("status", &200, &self.answer.status);
        self.check_headers(tally, routed, self.script.clone());
        self.check_clean(tally);
    }

    fn check_headers(&self, tally: &mut Tally, routed: &Routed, mut headers: Vec<Header>) {
        let edited = routed.response.iter().map(Edit::name);
        let got = self.answer.head.headers.iter().chain(&headers).map(|(name, _)| name.as_str());
        let names: BTreeSet<_> = edited.chain(got).map(str::to_ascii_lowercase).collect();
        Edit::apply_all(&routed.response, &mut headers);
        for name in names.iter().filter(|name| !AT_CLIENTS.contains(&name.as_str())) {
            tally.equal(&format!("response {name}"), &joined(&headers, name), &self.answer.head.joined(name));
        }
    }

    /// What each endpoint got: the one that was chosen, and the mirrors the same.
    pub fn check_request(&self, tally: &mut Tally, request: &Request, routed: &Routed, endpoint: &str) {
        let mut expected: Vec<_> = routed.mirrors.iter().map(String::as_str).chain([endpoint]).collect();
        let mut got: Vec<_> = self.seen.iter().map(|seen| seen.endpoint.as_str()).collect();
        expected.sort_unstable();
        got.sort_unstable();
        tally.equal("endpoints", &expected, &got);
        for seen in &self.seen {
            self.check_seen(tally, request, routed, seen);
        }
    }

    fn check_seen(&self, tally: &mut Tally, request: &Request, routed: &Routed, seen: &Seen) {
        let (at, head) = (&seen.endpoint, &seen.head);
        tally.equal(&format!("method at {at}"), &request.method.as_str(), &head.part(0));
        let url = routed.url.as_ref().unwrap_or(&request.url);
        tally.equal(&format!("url at {at}"), &url.as_str(), &head.part(1));
        let name = (!routed.route.is_empty()).then(|| routed.route.clone());
        tally.equal(&format!("X-Gateway-Route at {at}"), &name, &head.joined("x-gateway-route"));
        let listener = Some(routed.listener.clone());
        tally.equal(&format!("X-Gateway-Listener at {at}"), &listener, &head.joined("x-gateway-listener"));
        let expected = self.headers_after(request, routed, at);
        let names = expected.iter().chain(&head.headers).map(|(name, _)| name.to_ascii_lowercase());
        let mirrored = routed.mirrors.contains(at);
        for name in names.collect::<BTreeSet<_>>() {
            let known = AT_ENDPOINTS.contains(&name.as_str()) || (mirrored && name == "connection");
            if known || name == "x-gateway-route" || name == "x-gateway-listener" {
                continue;
            }
            tally.equal(&format!("{name} at {at}"), &joined(&expected, &name), &head.joined(&name));
        }
    }

    /// The client's headers after the edits, and with the new host.
    fn headers_after(&self, request: &Request, routed: &Routed, endpoint: &str) -> Vec<Header> {
        let trimmed = |(name, value): &Header| (name.clone(), value.trim().to_owned());
        let mut headers: Vec<_> = request.headers.iter().chain(&self.more).map(trimmed).collect();
        Edit::apply_all(&routed.request, &mut headers);
        let set = |host: &str| [Edit::Set("Host".into(), host.into())];
        match &routed.host {
            Some(host) => Edit::apply_all(&set(host), &mut headers),
            // Varnish gives a request without one the name of its backend.
            None if request.header("host").is_none() => Edit::apply_all(&set(endpoint), &mut headers),
            None => {}
        }
        headers
    }
}
