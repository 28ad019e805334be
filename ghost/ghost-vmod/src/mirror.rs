//! Copies of requests, sent to further backends by threads of their own.
//!
//! A copy never delays or fails the request that it was made from: the queue is bounded in number and bytes, and what does not
//! fit is dropped and counted. The answer is read so that the backend is not cut off, and thrown away.

use std::collections::VecDeque;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use ghost_core::{Address, Endpoint};

const THREADS: usize = 4;
const STACK_BYTES: usize = 256 << 10;
const QUEUED: usize = 1_024;
const QUEUED_BYTES: usize = 64 << 20;
const CONNECT: Duration = Duration::from_secs(1);
/// One copy, from connection to the end of its answer.
const TOTAL: Duration = Duration::from_secs(10);

pub struct Copy {
    pub endpoint: Arc<Endpoint>,
    pub message: Arc<[u8]>,
}

#[derive(Default)]
struct Queue {
    copies: VecDeque<Copy>,
    bytes: usize,
    threads: usize,
}

static QUEUE: LazyLock<Mutex<Queue>> = LazyLock::new(Mutex::default);
static ARRIVED: Condvar = Condvar::new();
/// Copies that found no room, and copies that did not reach their backend.
static FAILED: AtomicU64 = AtomicU64::new(0);

pub fn failed() -> u64 {
    FAILED.swap(0, Ordering::Relaxed)
}

/// Whether there was room.
pub fn enqueue(copy: Copy) -> bool {
    let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
    if queue.copies.len() >= QUEUED || queue.bytes.saturating_add(copy.message.len()) > QUEUED_BYTES {
        return false;
    }
    queue.bytes += copy.message.len();
    queue.copies.push_back(copy);
    if queue.threads < THREADS {
        let thread = thread::Builder::new().name("ghost-mirror".into()).stack_size(STACK_BYTES);
        queue.threads += usize::from(thread.spawn(work).is_ok());
    }
    drop(queue);
    ARRIVED.notify_one();
    true
}

fn work() {
    loop {
        let mut queue = QUEUE.lock().unwrap_or_else(PoisonError::into_inner);
        let copy = loop {
            match queue.copies.pop_front() {
                Some(copy) => break copy,
                None => queue = ARRIVED.wait(queue).unwrap_or_else(PoisonError::into_inner),
            }
        };
        queue.bytes = queue.bytes.saturating_sub(copy.message.len());
        drop(queue);
        if send(&copy).is_err() {
            FAILED.fetch_add(1, Ordering::Relaxed);
        }
    }
}

fn send(copy: &Copy) -> std::io::Result<()> {
    match copy.endpoint.address() {
        Address::Ip(ip, port) => tcp(&SocketAddr::new(*ip, *port), &copy.message),
        Address::Dns(name, port) => {
            let found = (&**name, *port).to_socket_addrs()?.next();
            tcp(&found.ok_or_else(|| std::io::Error::other("no address"))?, &copy.message)
        }
        Address::Unix(path) => {
            let stream = UnixStream::connect(&**path)?;
            stream.set_read_timeout(Some(TOTAL))?;
            stream.set_write_timeout(Some(TOTAL))?;
            exchange(stream, &copy.message)
        }
    }
}

fn tcp(address: &SocketAddr, message: &[u8]) -> std::io::Result<()> {
    let stream = TcpStream::connect_timeout(address, CONNECT)?;
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(TOTAL))?;
    stream.set_write_timeout(Some(TOTAL))?;
    exchange(stream, message)
}

fn exchange(mut stream: impl Read + Write, message: &[u8]) -> std::io::Result<()> {
    stream.write_all(message)?;
    let began = Instant::now();
    let mut buffer = [0; 16 << 10];
    while began.elapsed() < TOTAL && stream.read(&mut buffer)? > 0 {}
    Ok(())
}
