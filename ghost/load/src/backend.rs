//! A backend that does as little as possible: whatever is asked, the same bytes.

use clap::Args;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;

#[derive(Args)]
pub struct Options {
    /// Where to listen
    #[arg(long)]
    listen: SocketAddr,
    /// Sent as X-Backend
    #[arg(long, default_value = "backend")]
    name: String,
    /// Size of the body in bytes
    #[arg(long, default_value_t = 1024)]
    body: usize,
    /// A further header, as "Cache-Control: max-age=60"
    #[arg(long)]
    header: Vec<String>,
}

pub fn serve(options: &Options) -> Result<(), String> {
    let listener =
        TcpListener::bind(options.listen).map_err(|e| format!("cannot listen on {}: {e}", options.listen))?;
    let mut answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\nX-Backend: {}\r\n", options.body, options.name);
    for header in &options.header {
        answer.push_str(header);
        answer.push_str("\r\n");
    }
    answer.push_str("\r\n");
    let mut answer = answer.into_bytes();
    answer.resize(answer.len() + options.body, b'x');
    let answer = Arc::new(answer);
    println!("listening");
    for connection in listener.incoming() {
        let connection = connection.map_err(|e| e.to_string())?;
        let answer = Arc::clone(&answer);
        std::thread::Builder::new()
            .stack_size(64 * 1024)
            .spawn(move || converse(connection, &answer))
            .map_err(|e| e.to_string())?;
    }
    Ok(())
}

/// Answers each request head; the benches send no bodies.
fn converse(mut connection: TcpStream, answer: &[u8]) {
    let _ = connection.set_nodelay(true);
    let mut buffer = [0; 8 * 1024];
    let mut filled = 0;
    while let Some(free) = buffer.get_mut(filled..) {
        match connection.read(free) {
            Ok(0) | Err(_) => return,
            Ok(n) => filled += n,
        }
        if buffer.get(..filled).is_some_and(|head| head.ends_with(b"\r\n\r\n")) {
            filled = 0;
            if connection.write_all(answer).is_err() {
                return;
            }
        }
    }
}
