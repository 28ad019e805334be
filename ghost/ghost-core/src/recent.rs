//! What a thread knows from the request before: on a connection, and on a gateway of one site, the next one is for the same host. Its
//! listener and its hosts are then told without cutting, folding or hashing the name again.

use crate::host::HostName;
use crate::listener::Found;
use crate::request::Request;
use crate::table::Table;
use crate::target::is_sound;

/// Where one request belonged, and all that this depended on.
#[derive(Debug, Default)]
pub struct Recent {
    /// Number of the table; 0: nothing is known but the host.
    table: u64,
    socket: Vec<u8>,
    port: Option<u16>,
    server_name: Option<Vec<u8>>,
    /// The `Host` header as it came.
    header: Option<Vec<u8>>,
    place: Place,
}

/// A listener and the hosts to look at, in order.
#[derive(Debug, Default)]
pub(crate) struct Place {
    pub found: Found,
    pub hosts: Vec<u32>,
    pub name: Option<HostName>,
}

impl Recent {
    pub(crate) fn place<H: ?Sized>(&mut self, table: &Table, request: &Request<'_, H>) -> &Place {
        let known = self.table == table.number
            && self.table != 0
            && self.header.as_deref() == request.host
            && self.socket == request.socket
            && self.port == request.port
            && self.server_name.as_deref() == request.server_name;
        if !known {
            self.find(table, request);
        }
        &self.place
    }

    /// The host that a header names.
    pub fn host(&mut self, header: Option<&[u8]>) -> Option<&HostName> {
        if self.header.as_deref() != header {
            self.table = 0;
            self.read(header);
        }
        self.place.name.as_ref()
    }

    fn find<H: ?Sized>(&mut self, table: &Table, request: &Request<'_, H>) {
        self.read(request.host);
        self.table = table.number;
        self.port = request.port;
        replace(&mut self.socket, request.socket);
        keep(&mut self.server_name, request.server_name);
        let Place { found, hosts, name } = &mut self.place;
        *found = match request.host {
            // What is no host to us may be one to a backend: `a.example:x` must not pass the rules of `a.example` by.
            Some(header) if name.is_none() || !is_sound(header.trim_ascii()) => Found::BadHost,
            _ => table.listeners.find(request.socket, request.port, name.as_ref(), request.server_name),
        };
        hosts.clear();
        hosts.extend(table.host_index.candidates(name.as_ref()));
    }

    fn read(&mut self, header: Option<&[u8]>) {
        keep(&mut self.header, header);
        self.place.name = header.and_then(HostName::parse);
    }
}

fn replace(buffer: &mut Vec<u8>, bytes: &[u8]) {
    buffer.clear();
    buffer.extend_from_slice(bytes);
}

fn keep(place: &mut Option<Vec<u8>>, bytes: Option<&[u8]>) {
    match bytes {
        Some(bytes) => replace(place.get_or_insert_default(), bytes),
        None => *place = None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{Chance, Scratch};

    const SOCKETS: &str = r#""sockets":{"one":{"80":["all"]},"edge":{"443":["a","b"],"8443":["c"]}},
        "listeners":{"all":{},"a":{"hostname":"a.example.com"},"b":{},"c":{}}"#;

    fn table(hosts: &str) -> Table {
        Table::build(format!(r#"{{"version":2,{SOCKETS},"vhosts":{{{hosts}}}}}"#).as_bytes(), None).unwrap().table
    }

    type NoHeaders = [(&'static [u8], &'static [u8])];

    fn request(
        socket: &'static str,
        port: u16,
        name: Option<&'static str>,
        host: Option<&'static str>,
    ) -> Request<'static, NoHeaders> {
        Request {
            socket: socket.as_bytes(),
            port: Some(port),
            server_name: name.map(str::as_bytes),
            method: b"GET",
            url: b"/",
            host: host.map(str::as_bytes),
            headers: &[],
        }
    }

    /// Every two requests, one after the other: the second is told as if there had been no first.
    #[test]
    fn nothing_is_known_that_does_not_fit() {
        let route = |name| format!(r#"{{"route_name":"{name}","backend_groups":[]}}"#);
        let first =
            table(&format!(r#""a.example.com":{{"routes":[{}]}},"*":{{"routes":[{}]}}"#, route("a"), route("any")));
        let second = table(&format!(r#""a.example.com":{{"routes":[{}]}}"#, route("b")));
        let empty = Table::default();
        let mut cases = Vec::new();
        for table in [&first, &second, &empty] {
            for socket in ["one", "edge", "none"] {
                for port in [443, 8443] {
                    for name in [None, Some("a.example.com"), Some("b.example.com")] {
                        for host in [None, Some("a.example.com"), Some("A.example.com:80"), Some("b.example.com")] {
                            cases.push((table, request(socket, port, name, host)));
                        }
                    }
                }
            }
        }
        let tell = |(table, request): &(&Table, Request<'static, NoHeaders>), scratch: &mut Scratch| {
            format!("{:?}", table.select(request, Chance::default(), scratch))
        };
        let alone: Vec<_> = cases.iter().map(|case| tell(case, &mut Scratch::default())).collect();
        for (one, expected) in cases.iter().zip(&alone) {
            let mut scratch = Scratch::default();
            for (other, expected_of_other) in cases.iter().zip(&alone) {
                assert_eq!(&tell(one, &mut scratch), expected);
                assert_eq!(&tell(other, &mut scratch), expected_of_other);
            }
        }
    }

    #[test]
    fn a_host_is_read_anew_when_it_changed() {
        let table = table("");
        let mut recent = Recent::default();
        recent.place(&table, &request("edge", 443, None, Some("a.example.com")));
        let name = |host: Option<&HostName>| host.map(|host| String::from_utf8_lossy(host.as_bytes()).into_owned());
        assert_eq!(name(recent.host(Some(b"B.example.com"))).as_deref(), Some("b.example.com"));
        assert_eq!(name(recent.host(None)), None);
        let again = recent.place(&table, &request("edge", 443, None, Some("a.example.com")));
        assert_eq!(name(again.name.as_ref()).as_deref(), Some("a.example.com"));
    }
}
