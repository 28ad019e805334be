//! Reading one answer from a kept connection.

use std::io::Read;

/// Answers to the benches have few headers; one with more is malformed for our purpose.
const MAX_HEADERS: usize = 64;

/// What the checks need to know of an answer.
pub struct Answer {
    pub status: u16,
    pub body: usize,
    /// Whether the header that was asked for was there with the value that was asked for.
    pub expected: bool,
    pub close: bool,
}

/// A buffer that keeps what was read beyond one answer for the next.
pub struct Reader {
    buffer: Vec<u8>,
    filled: usize,
}

impl Reader {
    pub fn new() -> Self {
        Self { buffer: vec![0; 64 * 1024], filled: 0 }
    }

    /// Forgets what a broken connection left.
    pub fn clear(&mut self) {
        self.filled = 0;
    }

    /// Reads one answer. `expect` is a header's name and the values of which it must have one.
    pub fn read(&mut self, from: &mut impl Read, expect: Option<&(String, Vec<String>)>) -> Result<Answer, String> {
        loop {
            if let Some((head, mut answer, length)) = self.head(expect)? {
                answer.body = length;
                self.skip(head + length, from)?;
                return Ok(answer);
            }
            self.fill(from)?;
        }
    }

    fn fill(&mut self, from: &mut impl Read) -> Result<(), String> {
        let free = self.buffer.get_mut(self.filled..).unwrap_or_default();
        if free.is_empty() {
            return Err("headers of more than 64 KiB".into());
        }
        match from.read(free) {
            Ok(0) => Err("connection closed".into()),
            Ok(n) => {
                self.filled += n;
                Ok(())
            }
            Err(error) => Err(error.to_string()),
        }
    }

    /// Parses the head, if all of it is here: its size, the answer so far, the size of the body.
    fn head(&self, expect: Option<&(String, Vec<String>)>) -> Result<Option<(usize, Answer, usize)>, String> {
        let mut headers = [httparse::EMPTY_HEADER; MAX_HEADERS];
        let mut response = httparse::Response::new(&mut headers);
        let bytes = self.buffer.get(..self.filled).unwrap_or_default();
        let head = match response.parse(bytes) {
            Ok(httparse::Status::Complete(head)) => head,
            Ok(httparse::Status::Partial) => return Ok(None),
            Err(error) => return Err(format!("malformed answer: {error}")),
        };
        let mut answer =
            Answer { status: response.code.unwrap_or(0), body: 0, expected: expect.is_none(), close: false };
        let mut length = None;
        for header in response.headers.iter() {
            if header.name.eq_ignore_ascii_case("content-length") {
                length = std::str::from_utf8(header.value).ok().and_then(|text| text.trim().parse().ok());
            } else if header.name.eq_ignore_ascii_case("connection") {
                answer.close = header.value.eq_ignore_ascii_case(b"close");
            }
            if let Some((name, values)) = expect {
                answer.expected |= header.name.eq_ignore_ascii_case(name)
                    && values.iter().any(|value| value.as_bytes() == header.value);
            }
        }
        match length {
            Some(length) => Ok(Some((head, answer, length))),
            None => Err("an answer without Content-Length".into()),
        }
    }

    /// Drops the answer from the buffer, reading what of its body has not arrived yet.
    fn skip(&mut self, mut bytes: usize, from: &mut impl Read) -> Result<(), String> {
        while bytes > self.filled {
            bytes -= self.filled;
            self.filled = 0;
            self.fill(from)?;
        }
        self.buffer.copy_within(bytes..self.filled, 0);
        self.filled -= bytes;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_all(bytes: &[u8], chunk: usize, expect: Option<&(String, Vec<String>)>) -> Vec<Result<Answer, String>> {
        struct Chunks<'a>(&'a [u8], usize);
        impl Read for Chunks<'_> {
            fn read(&mut self, out: &mut [u8]) -> std::io::Result<usize> {
                let n = self.1.min(out.len()).min(self.0.len());
                out[..n].copy_from_slice(&self.0[..n]);
                self.0 = &self.0[n..];
                Ok(n)
            }
        }
        let mut from = Chunks(bytes, chunk);
        let mut reader = Reader::new();
        let mut answers = Vec::new();
        loop {
            let answer = reader.read(&mut from, expect);
            let last = answer.is_err();
            answers.push(answer);
            if last {
                return answers;
            }
        }
    }

    #[test]
    fn answers_are_told_apart_however_they_arrive() {
        let bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 3\r\nX-Backend: a\r\n\r\nabcHTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n";
        let expect = ("x-backend".to_string(), vec!["b".to_string(), "a".to_string()]);
        for chunk in [1, 7, 1000] {
            let answers = read_all(bytes, chunk, Some(&expect));
            let seen: Vec<_> = answers.iter().flatten().map(|a| (a.status, a.body, a.expected, a.close)).collect();
            assert_eq!(seen, [(200, 3, true, false), (404, 0, false, true)]);
            assert_eq!(answers.last().unwrap().as_ref().err().unwrap(), "connection closed");
        }
    }

    #[test]
    fn a_body_larger_than_the_buffer_is_read_through() {
        let mut bytes = b"HTTP/1.1 200 OK\r\nContent-Length: 200000\r\n\r\n".to_vec();
        bytes.extend(std::iter::repeat_n(b'x', 200_000));
        bytes.extend_from_slice(b"HTTP/1.1 204 No Content\r\nContent-Length: 0\r\n\r\n");
        let seen: Vec<_> = read_all(&bytes, 5000, None).into_iter().flatten().map(|a| (a.status, a.body)).collect();
        assert_eq!(seen, [(200, 200_000), (204, 0)]);
    }

    #[test]
    fn what_is_not_http_is_an_error() {
        assert!(read_all(b"hello\r\n\r\n", 100, None)[0].is_err());
        assert!(read_all(b"HTTP/1.1 200 OK\r\n\r\n", 100, None)[0].is_err());
    }
}
