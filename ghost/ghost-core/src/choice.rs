//! What becomes of a request.

use std::sync::Arc;

use crate::cors::Cors;
use crate::endpoint::Endpoint;
use crate::listener::Listener;
use crate::pool::Pool;
use crate::redirect::{Origin, Redirect};
use crate::route::{Group, Route};
use crate::vhost::Host;

/// A route of a table by position: small enough to keep beside the table for the life of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RouteId {
    pub host: u32,
    pub rank: u32,
}

#[derive(Debug)]
pub enum Choice<'a> {
    /// The socket serves no port: 404 with `Connection: close`.
    FreedSocket,
    /// No listener for socket, port and host: 404.
    NoListener,
    /// The `Host` header has what no host has, user information for example: 400.
    BadHost,
    /// The TLS connection belongs to another listener: 421.
    Misdirected,
    /// No host of the table covers the request's: 404.
    NoHost(Listener<'a>),
    /// No route of those hosts accepts the request: 404.
    NoRoute(Listener<'a>),
    Route(Matched<'a>, Action<'a>),
}

#[derive(Debug, Clone, Copy)]
pub struct Matched<'a> {
    pub listener: Listener<'a>,
    pub host: &'a Host,
    pub route: &'a Route,
    pub id: RouteId,
}

#[derive(Debug)]
pub enum Action<'a> {
    /// Answer with `redirect.status` and the `Location` that it writes.
    Redirect(&'a Redirect),
    /// Answer 200 with the headers that `Cors::write_preflight` writes.
    Preflight(&'a Cors),
    /// No group, or an invalid one, was chosen: 500.
    Invalid,
    /// The chosen group has no endpoint: 503.
    Unavailable,
    Forward(Forward<'a>),
}

#[derive(Debug, Clone, Copy)]
pub struct Forward<'a> {
    /// Position of `group` in `route.groups()`.
    pub group_index: usize,
    pub group: &'a Group,
    pub pool: &'a Pool,
    pub endpoint: &'a Arc<Endpoint>,
}

impl Choice<'_> {
    /// The status that ghost answers with by itself; `None` if the request is forwarded.
    pub fn status(&self) -> Option<u16> {
        match self {
            Self::FreedSocket | Self::NoListener | Self::NoHost(_) | Self::NoRoute(_) => Some(404),
            Self::BadHost => Some(400),
            Self::Misdirected => Some(421),
            Self::Route(_, Action::Redirect(redirect)) => Some(redirect.status),
            Self::Route(_, Action::Preflight(_)) => Some(200),
            Self::Route(_, Action::Invalid) => Some(500),
            Self::Route(_, Action::Unavailable) => Some(503),
            Self::Route(_, Action::Forward(_)) => None,
        }
    }
}

impl<'a> Matched<'a> {
    /// What a redirect needs to know about the request.
    pub fn origin(&self, host: Option<&'a [u8]>, url: &'a [u8]) -> Origin<'a> {
        Origin { scheme: self.listener.scheme, port: self.listener.port, host: host.unwrap_or_default(), url }
    }
}
