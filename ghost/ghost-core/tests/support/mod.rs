//! Requests written as text.

#![allow(dead_code, reason = "each test binary uses a part")]
#![allow(clippy::expect_used, clippy::panic, reason = "tests may fail")]

use ghost_core::{Headers, RefusedRequest, Request, RequestTarget, Slashes};

#[derive(Debug, Clone, Default)]
pub struct OwnedRequest {
    pub socket: Vec<u8>,
    pub port: Option<u16>,
    pub server_name: Option<Vec<u8>>,
    pub method: Vec<u8>,
    pub url: Vec<u8>,
    pub headers: Vec<(Vec<u8>, Vec<u8>)>,
    pub draw: u64,
}

impl OwnedRequest {
    pub fn view(&self) -> Request<'_, Vec<(Vec<u8>, Vec<u8>)>> {
        Request {
            socket: &self.socket,
            port: self.port,
            server_name: self.server_name.as_deref(),
            method: &self.method,
            url: &self.url,
            host: self.headers.first(b"host"),
            headers: &self.headers,
        }
    }

    /// The request as routes see it.
    pub fn normalised(&self) -> Result<Self, RefusedRequest> {
        let (mut normal, mut url) = (self.clone(), Vec::new());
        match RequestTarget::read(&self.method, &self.url, Slashes::Merge, &mut url)? {
            RequestTarget::AsItCame => {}
            RequestTarget::Normalised => normal.url = url,
            RequestTarget::Absolute { authority } => {
                normal.url = url;
                normal.headers.retain(|(name, _)| !name.eq_ignore_ascii_case(b"host"));
                normal.headers.push((b"Host".to_vec(), authority.to_vec()));
            }
        }
        Ok(normal)
    }

    pub fn host(&self) -> Option<Vec<u8>> {
        self.headers.first(b"host").map(<[u8]>::to_vec)
    }
}

pub fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

pub fn parse_requests(text: &str) -> Vec<OwnedRequest> {
    let mut all = Vec::new();
    let mut current: Option<OwnedRequest> = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if line.trim().is_empty() {
            all.extend(current.take());
            continue;
        }
        let Some(request) = &mut current else {
            let (method, url) = line.split_once(' ').expect("METHOD URL");
            let (method, url) = (method.into(), url.into());
            current = Some(OwnedRequest { socket: b"http-80".to_vec(), method, url, ..OwnedRequest::default() });
            continue;
        };
        if let Some(setting) = line.strip_prefix('@') {
            let (name, value) = setting.split_once(' ').unwrap_or((setting, ""));
            match name {
                "socket" => request.socket = value.into(),
                "port" => request.port = Some(value.parse().expect("port")),
                "sni" => request.server_name = Some(value.into()),
                "random" => {
                    let mut halves = value.split(' ').map(fraction);
                    request.draw = halves.next().expect("group") << 32 | halves.next().expect("endpoint");
                }
                other => panic!("no setting `{other}`"),
            }
        } else {
            let (name, value) = line.split_once(':').expect("Name: value");
            request.headers.push((name.into(), value.trim().into()));
        }
    }
    all.extend(current);
    all
}

#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a number in [0, 1) times 2^32")]
fn fraction(text: &str) -> u64 {
    (text.parse::<f64>().expect("number") * 4_294_967_296.0).ceil() as u64
}
