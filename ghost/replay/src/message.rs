//! HTTP/1 messages, as little of them as the replay needs: it is the client and every endpoint, and varnishd is between.

use std::io::{self, BufRead, Read};

/// Name and value.
pub type Header = (String, String);

/// First line and headers, values without the spaces around them.
#[derive(Debug, Clone, Default)]
pub struct Head {
    pub first: String,
    pub headers: Vec<Header>,
}

#[derive(Debug, Clone)]
pub struct Answer {
    pub head: Head,
    pub status: u16,
    pub body: String,
}

impl Head {
    /// Reads up to the empty line; `None` at the end of the stream.
    pub fn read(from: &mut impl BufRead) -> io::Result<Option<Self>> {
        let Some(first) = line(from)? else { return Ok(None) };
        let mut head = Self { first, headers: Vec::new() };
        loop {
            let text = line(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
            if text.is_empty() {
                return Ok(Some(head));
            }
            let (name, value) = text.split_once(':').ok_or_else(|| io::Error::other(format!("no header: {text}")))?;
            head.headers.push((name.into(), value.trim().into()));
        }
    }

    /// A part of the first line: method, URL and protocol, or protocol and status.
    pub fn part(&self, number: usize) -> &str {
        self.first.split(' ').nth(number).unwrap_or_default()
    }

    pub fn get(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(other, _)| other.eq_ignore_ascii_case(name)).map(|(_, value)| value.as_str())
    }

    /// All values of a header as one: whether Varnish joins them is no concern of the cases.
    pub fn joined(&self, name: &str) -> Option<String> {
        joined(&self.headers, name)
    }

    fn body_bytes(&self) -> Option<u64> {
        self.get("content-length").and_then(|value| value.parse().ok())
    }
}

pub fn joined(headers: &[Header], name: &str) -> Option<String> {
    let same = headers.iter().filter(|(other, _)| other.eq_ignore_ascii_case(name));
    same.map(|(_, value)| value.clone()).reduce(|all, value| format!("{all}, {value}"))
}

impl Answer {
    pub fn read(from: &mut impl BufRead, method: &str) -> io::Result<Self> {
        let head = Head::read(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let status = head.part(1).parse().map_err(|_| io::Error::other(format!("no status: {}", head.first)))?;
        let mut body = Vec::new();
        if method != "HEAD" && status != 204 && status != 304 {
            if head.get("transfer-encoding").is_some_and(|value| value.eq_ignore_ascii_case("chunked")) {
                read_chunks(from, &mut body)?;
            } else if let Some(bytes) = head.body_bytes() {
                from.take(bytes).read_to_end(&mut body)?;
            } else {
                from.read_to_end(&mut body)?;
            }
        }
        Ok(Self { head, status, body: String::from_utf8_lossy(&body).into_owned() })
    }
}

fn read_chunks(from: &mut impl BufRead, body: &mut Vec<u8>) -> io::Result<()> {
    loop {
        let size = line(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        let bytes = u64::from_str_radix(size.trim(), 16).map_err(io::Error::other)?;
        from.take(bytes).read_to_end(body)?;
        line(from)?.ok_or(io::ErrorKind::UnexpectedEof)?;
        if bytes == 0 {
            return Ok(());
        }
    }
}

/// One line without its end; `None` at the end of the stream.
fn line(from: &mut impl BufRead) -> io::Result<Option<String>> {
    let mut bytes = Vec::new();
    if from.read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    while bytes.last().is_some_and(|byte| matches!(byte, b'\r' | b'\n')) {
        bytes.pop();
    }
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bodies_end_by_length_by_chunks_or_with_the_connection() {
        let read = |text: &str, method| Answer::read(&mut text.as_bytes(), method).unwrap();
        assert_eq!(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nabc", "GET").body, "ab");
        assert_eq!(
            read("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n", "GET").body,
            "abc"
        );
        assert_eq!(read("HTTP/1.0 503 No\r\n\r\nabc", "GET").body, "abc");
        assert_eq!(read("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "HEAD").body, "");
    }

    #[test]
    fn headers_are_joined_without_regard_to_case() {
        let head = Head::read(&mut &b"GET / HTTP/1.1\r\nVary: a\r\nvary:  b \r\n\r\n"[..]).unwrap().unwrap();
        assert_eq!(head.joined("VARY").as_deref(), Some("a, b"));
        assert_eq!(head.joined("x"), None);
        assert_eq!(head.part(1), "/");
    }
}
