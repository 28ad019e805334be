//! Which listener a connection and a host belong to.
//!
//! Gateway API wants exactly one: the listener with the most specific hostname owns the request, and routes of other
//! listeners on the same port are not looked at, even if that means 404.

use std::collections::{HashMap, HashSet};

use crate::compile::listener_name;
use crate::dto;
use crate::host::{HostIndex, HostName, HostPattern};
use crate::intern::Shared;
use crate::limits;
use crate::line::HeaderLine;
use crate::redirect::Scheme;
use crate::report::TableError;
use crate::route::ListenerNumbers;

#[derive(Debug)]
pub(crate) enum Listeners {
    /// The table has `sockets`.
    Mapped(Mapped),
    /// The table has none: each socket is its own listener. Numbers of the names that routes use, sorted.
    BySocket(Box<[(Box<[u8]>, u32)]>),
}

#[derive(Debug)]
pub(crate) struct Mapped {
    /// Sorted by name.
    sockets: Box<[(Box<[u8]>, Socket)]>,
    /// One of them has several ports.
    by_port: bool,
    /// By number of the listener.
    lines: Box<[HeaderLine]>,
}

#[derive(Debug)]
pub(crate) struct Socket {
    /// Sorted; empty if the socket is freed.
    ports: Box<[(u16, Port)]>,
}

#[derive(Debug)]
struct Port {
    hosts: HostIndex,
    listeners: Box<[Entry]>,
}

#[derive(Debug)]
struct Entry {
    /// Of its line.
    number: u32,
    scheme: Scheme,
    numbers: ListenerNumbers,
}

/// The listener of a request.
#[derive(Debug, Clone, Copy)]
pub struct Listener<'a> {
    /// Public name: what backends get to see.
    pub name: &'a [u8],
    /// Of its header line in the table; `None` if the socket's own name is all there is.
    pub number: Option<u32>,
    pub scheme: Scheme,
    /// Public port, if known.
    pub port: Option<u16>,
    pub(crate) numbers: ListenerNumbers,
}

/// The same without its name, which the table or the socket has.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Nameless {
    number: Option<u32>,
    scheme: Scheme,
    port: Option<u16>,
    numbers: ListenerNumbers,
}

#[derive(Debug, Clone, Copy, Default)]
pub(crate) enum Found {
    Freed,
    #[default]
    Nothing,
    /// The `Host` header is none.
    BadHost,
    /// The connection was made for another listener.
    Misdirected,
    Listener(Nameless),
}

impl Default for Listeners {
    fn default() -> Self {
        Self::BySocket(Box::default())
    }
}

impl Listeners {
    pub fn build(top: &dto::Top<'_>, shared: &mut Shared) -> Result<Self, TableError> {
        let Some(sockets) = &top.sockets else { return Ok(Self::default()) };
        at_most("sockets", sockets.0.len(), limits::SOCKETS)?;
        let described: HashMap<&str, _> = top.listeners.0.iter().map(|(key, listener)| (&**key, listener)).collect();
        let mut seen = HashMap::new();
        let mut mapped: Vec<(Box<[u8]>, Socket)> = Vec::with_capacity(sockets.0.len());
        let mut lines = Vec::new();
        for (name, ports) in &sockets.0 {
            let here = format!("sockets.{name}");
            at_most(&here, ports.0.len(), limits::PORTS_PER_SOCKET)?;
            let mut built = Vec::with_capacity(ports.0.len());
            for (number, keys) in &ports.0 {
                let here = format!("{here}.{number}");
                let port = number.parse().ok().filter(|&port: &u16| port != 0);
                let port = port.ok_or_else(|| TableError::new(&here, "is no port"))?;
                at_most(&here, keys.len(), limits::LISTENERS_PER_PORT)?;
                for key in keys {
                    if *seen.entry(&**key).or_insert(port) != port {
                        return Err(TableError::new(&here, format!("listener `{key}` has another port already")));
                    }
                }
                built.push((port, Port::build(&here, port, keys, &described, shared, &mut lines)?));
            }
            built.sort_by_key(|(port, _)| *port);
            if built.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
                return Err(TableError::new(here, "has the same port twice"));
            }
            mapped.push((Box::from(name.as_bytes()), Socket { ports: built.into() }));
        }
        mapped.sort_by(|(a, _), (b, _)| a.cmp(b));
        if mapped.windows(2).any(|pair| matches!(pair, [(a, _), (b, _)] if a == b)) {
            return Err(TableError::new("sockets", "has the same socket twice"));
        }
        let by_port = mapped.iter().any(|(_, socket)| socket.ports.len() > 1);
        Ok(Self::Mapped(Mapped { sockets: mapped.into(), by_port, lines: lines.into() }))
    }

    pub fn asks_for_port(&self) -> bool {
        matches!(self, Self::Mapped(mapped) if mapped.by_port)
    }

    /// For a table without `sockets`, once its routes are compiled and their names known.
    pub fn name_sockets(&mut self, shared: &Shared) {
        if let Self::BySocket(names) = self {
            let mut known: Vec<_> =
                shared.with_prefix("l:").map(|(name, number)| (name.as_bytes().into(), number)).collect();
            known.sort();
            *names = known.into();
        }
    }

    /// Whether some listener answers to the number; without `sockets` every name might.
    pub fn numbers(&self) -> Option<HashSet<u32>> {
        let Self::Mapped(mapped) = self else { return None };
        let ports = mapped.sockets.iter().flat_map(|(_, socket)| &socket.ports);
        Some(ports.flat_map(|(_, port)| &port.listeners).flat_map(|entry| entry.numbers.0).flatten().collect())
    }

    /// Public names, once for each listener; none for a table without `sockets`.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        let lines = match self {
            Self::Mapped(mapped) => &*mapped.lines,
            Self::BySocket(_) => &[],
        };
        lines.iter().map(HeaderLine::value)
    }

    pub fn line(&self, number: u32) -> Option<&HeaderLine> {
        let Self::Mapped(mapped) = self else { return None };
        mapped.lines.get(usize::try_from(number).ok()?)
    }

    /// What was found on a socket, by its name.
    pub fn named<'a>(&'a self, found: &Nameless, socket: &'a [u8]) -> Listener<'a> {
        let Nameless { number, scheme, port, numbers } = *found;
        let name = match number {
            Some(number) => self.line(number).map(HeaderLine::value).unwrap_or_default().as_bytes(),
            None => socket,
        };
        Listener { name, number, scheme, port, numbers }
    }

    pub fn find(&self, socket: &[u8], port: Option<u16>, host: Option<&HostName>, server_name: Option<&[u8]>) -> Found {
        let mapped = match self {
            Self::BySocket(names) => return Found::Listener(by_socket(names, socket)),
            Self::Mapped(mapped) => mapped,
        };
        let Some((_, socket)) = lookup(&mapped.sockets, socket) else { return Found::Nothing };
        let (number, listeners) = match (&*socket.ports, port) {
            ([], _) => return Found::Freed,
            // Behind a Service the socket's own port is not the public one: a single entry needs no further proof.
            ([(number, only)], _) => (*number, only),
            (ports, Some(port)) => match ports.binary_search_by_key(&port, |(number, _)| *number) {
                Ok(at) => match ports.get(at) {
                    Some((number, port)) => (*number, port),
                    None => return Found::Nothing,
                },
                Err(_) => return Found::Nothing,
            },
            (_, None) => return Found::Nothing,
        };
        let Some(best) = listeners.hosts.best(host) else { return Found::Nothing };
        let connected = server_name.and_then(HostName::parse).and_then(|name| listeners.hosts.best(Some(&name)));
        if connected.is_some_and(|connected| connected != best) {
            return Found::Misdirected;
        }
        match usize::try_from(best).ok().and_then(|best| listeners.listeners.get(best)) {
            Some(entry) => Found::Listener(Nameless {
                number: Some(entry.number),
                scheme: entry.scheme,
                port: Some(number),
                numbers: entry.numbers,
            }),
            None => Found::Nothing,
        }
    }
}

impl Port {
    fn build(
        here: &str,
        port: u16,
        keys: &[std::borrow::Cow<'_, str>],
        described: &HashMap<&str, &dto::Listener<'_>>,
        shared: &mut Shared,
        lines: &mut Vec<HeaderLine>,
    ) -> Result<Self, TableError> {
        let mut hosts = HostIndex::default();
        let mut listeners = Vec::with_capacity(keys.len());
        for (at, key) in (0..).zip(keys) {
            let dto = described.get(&**key).copied();
            let hostname = dto.and_then(|dto| dto.hostname.as_deref()).filter(|name| !name.is_empty()).unwrap_or("*");
            let field = || format!("listeners.{key}.hostname");
            let pattern = HostPattern::parse(hostname).map_err(|message| TableError::new(field(), message))?;
            if !hosts.insert(pattern, at) {
                return Err(TableError::new(here, format!("two listeners with hostname `{hostname}`")));
            }
            let scheme = match dto.map(|dto| dto.protocol).unwrap_or_default() {
                dto::Protocol::Http => Scheme::Http,
                dto::Protocol::Https => Scheme::Https,
            };
            let name: Box<str> = match dto.and_then(|dto| dto.name.as_deref()) {
                Some(name) => name.into(),
                None => format!("{}-{port}", scheme.as_str()).into(),
            };
            let numbers = [&**key, &*name].map(|name| Some(shared.name(&listener_name(name))));
            let name = HeaderLine::new("X-Gateway-Listener", &name)
                .map_err(|message| TableError::new(format!("listeners.{key}.name"), message))?;
            let number = u32::try_from(lines.len()).unwrap_or(u32::MAX);
            lines.push(name);
            listeners.push(Entry { number, scheme, numbers: ListenerNumbers(numbers) });
        }
        Ok(Self { hosts, listeners: listeners.into() })
    }
}

fn by_socket(names: &[(Box<[u8]>, u32)], socket: &[u8]) -> Nameless {
    let number = lookup(names, socket).map(|(_, number)| *number);
    let (scheme, port) = match socket.strip_prefix(b"https") {
        Some(rest) => (Scheme::Https, rest),
        None => (Scheme::Http, socket.strip_prefix(b"http").unwrap_or_default()),
    };
    let port = port.strip_prefix(b"-").and_then(|digits| std::str::from_utf8(digits).ok()?.parse().ok());
    Nameless { number: None, scheme, port, numbers: ListenerNumbers([number, None]) }
}

fn lookup<'t, T>(sorted: &'t [(Box<[u8]>, T)], name: &[u8]) -> Option<&'t (Box<[u8]>, T)> {
    sorted.binary_search_by(|(other, _)| (**other).cmp(name)).ok().and_then(|at| sorted.get(at))
}

fn at_most(field: &str, count: usize, limit: usize) -> Result<(), TableError> {
    if count > limit { Err(TableError::new(field, format!("{count}, limit {limit}"))) } else { Ok(()) }
}
