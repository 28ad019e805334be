//! The PROXY header, version 2, that the edge sends before a request: where the client connected to, and the TLS server name.

use std::net::Ipv4Addr;

const SIGNATURE: &[u8] = b"\r\n\r\n\0\r\nQUIT\n";
const LOCAL: u8 = 0x20;
const PROXY: u8 = 0x21;
const UNSPECIFIED: u8 = 0x00;
const TCP_OVER_IPV4: u8 = 0x11;
const AUTHORITY: u8 = 0x02;

/// Without a port the connection is the edge's own (LOCAL): it says nothing about a client.
pub fn header(port: Option<u16>, server_name: Option<&str>) -> Result<Vec<u8>, String> {
    let mut out = SIGNATURE.to_vec();
    let Some(port) = port else {
        if server_name.is_some() {
            return Err("a server name goes with a port".into());
        }
        out.extend([LOCAL, UNSPECIFIED, 0, 0]);
        return Ok(out);
    };
    let mut body = Vec::new();
    body.extend(Ipv4Addr::new(192, 0, 2, 1).octets());
    body.extend(Ipv4Addr::new(192, 0, 2, 2).octets());
    body.extend(40_000_u16.to_be_bytes());
    body.extend(port.to_be_bytes());
    if let Some(name) = server_name {
        body.push(AUTHORITY);
        body.extend(length(name.len())?);
        body.extend(name.as_bytes());
    }
    out.extend([PROXY, TCP_OVER_IPV4]);
    out.extend(length(body.len())?);
    out.extend(body);
    Ok(out)
}

fn length(bytes: usize) -> Result<[u8; 2], String> {
    u16::try_from(bytes).map(u16::to_be_bytes).map_err(|_| format!("{bytes} bytes in a PROXY header"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn port_and_name_are_where_they_belong() {
        let text = header(Some(443), Some("a.b")).unwrap();
        assert_eq!(text[12..16], [0x21, 0x11, 0, 18]);
        assert_eq!(text[26..28], [1, 187]);
        assert_eq!(text[28..], *b"\x02\0\x03a.b");
        assert_eq!(header(None, None).unwrap()[12..], [0x20, 0, 0, 0]);
        assert!(header(None, Some("a")).is_err());
    }
}
