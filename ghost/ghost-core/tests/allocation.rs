//! The request path allocates nothing once its buffers have grown.

#![allow(clippy::unwrap_used, clippy::panic, reason = "tests may fail")]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use ghost_core::{
    Action, Chance, Choice, EditBuffer, HostName, KeyParts, PurgeKey, Request, Rewritten, Scratch, Table,
    write_purge_key,
};

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

struct Counting;

// SAFETY: every call is passed on to the system allocator unchanged.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.with(|count| count.set(count.get() + 1));
        // SAFETY: the caller keeps the contract of `alloc`.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // SAFETY: the caller keeps the contract of `dealloc`.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

const TABLE: &str = r#"{ "version": 2,
  "sockets": { "s": { "80": ["l", "m"] } }, "listeners": { "m": { "hostname": "*.example.com" } },
  "pools": { "p": { "select": "hash", "backends": [{ "address": "10.0.0.1", "port": 80 }, { "address": "10.0.0.2", "port": 80 }] } },
  "vhosts": {
    "a.example.com": { "routes": [
      { "path_match": { "type": "RegularExpression", "value": "^/r/[0-9]+(/x|/y)*$" }, "backend_groups": [{ "pool": "p" }] },
      { "path_match": { "type": "PathPrefix", "value": "/a/b/c" }, "headers": [{ "name": "x", "value": "1" }],
        "query_params": [{ "name": "q", "value": "[a-z]+", "type": "RegularExpression" }], "backend_groups": [{ "pool": "p" }],
        "filters": { "url_rewrite": { "replace_prefix_match": "/z" }, "cors": { "allow_origins": ["https://*.foo.com"] } },
        "cache_policy": { "default_ttl_seconds": 1, "cache_key": { "headers": ["x"], "query_params_exclude": ["u"] } } },
      { "path_match": { "type": "PathPrefix", "value": "/go" }, "filters": { "request_redirect": { "port": 8443 } } } ] },
    "*.example.com": { "routes": [ { "backend_groups": [{ "weight": 1, "pool": "p" }] } ] } } }"#;

#[test]
fn selecting_and_describing_a_request_allocates_nothing() {
    let table = Table::build(TABLE.as_bytes(), None).unwrap().table;
    let headers: [(&[u8], &[u8]); 3] = [(b"X", b"0"), (b"x", b" 1 "), (b"Origin", b"https://a.foo.com")];
    let (mut scratch, mut out, mut edits) = (Scratch::default(), Vec::new(), EditBuffer::default());
    let mut actions = [0; 3];
    let mut turn = |url: &[u8]| {
        let request = Request {
            socket: b"s",
            port: None,
            server_name: Some(b"a.example.com"),
            method: b"GET",
            url,
            host: Some(b"A.example.com:80"),
            headers: &headers[..],
        };
        let Choice::Route(matched, action) = table.select(&request, Chance { draw: 7, now_ms: 1 }, &mut scratch) else {
            panic!("not routed");
        };
        out.clear();
        edits.clear();
        match action {
            Action::Redirect(redirect) => {
                redirect.write_location(&matched.origin(request.host, url), &mut out);
                actions[0] += 1;
            }
            Action::Forward(forward) => {
                let host = request.host.and_then(HostName::parse);
                Rewritten::of(matched.route, Some(forward.group)).write_url(url, &mut out);
                if let Some(cache) = matched.route.cache() {
                    cache.write_key(
                        &KeyParts { host: host.as_ref(), rewritten_host: b"", url },
                        &headers[..],
                        &mut out,
                    );
                    actions[1] += 1;
                }
                write_purge_key(PurgeKey::Url, host.as_ref(), url, &mut out);
                if let Some(cors) = matched.route.cors() {
                    cors.write_response(&headers[..], &mut edits);
                }
                actions[2] += 1;
            }
            _ => panic!("neither forwarded nor redirected"),
        }
    };
    let urls: [&[u8]; 4] = [b"/a/b/c/d?q=abc&u=1", b"/r/12/x/y/x", b"/go/on?x", b"/none/of/these"];
    for url in urls {
        turn(url);
    }
    let before = COUNT.with(Cell::get);
    for _ in 0..100 {
        for url in urls {
            turn(url);
        }
    }
    assert_eq!(COUNT.with(Cell::get) - before, 0);
    assert_eq!(actions, [101, 101, 303]);
}
