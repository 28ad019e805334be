//! The Rust half of the `ghost` VMOD. `glue/` is the C half, which talks to varnishd; all decisions are `ghost-core`'s.
//!
//! `ffi` holds everything that C calls and every use of `unsafe`. The other modules are safe Rust:
//! `process` owns the live table and the thread that loads tables, `router` is one `ghost_backend` object of one VCL,
//! `ticket` is how a routing decision travels from the client's side of a request to the backend's, `epoch` keeps what was
//! purged from coming back, `buffers` is what a worker keeps between requests.

#![deny(unsafe_code)]
#![deny(clippy::unwrap_used, clippy::expect_used, clippy::indexing_slicing, clippy::panic)]

mod answer;
mod buffers;
mod epoch;
#[allow(unsafe_code)]
mod ffi;
mod log;
mod mirror;
mod process;
mod report;
mod router;
mod ticket;
