//! Everything that C calls, and every pointer. `glue/ghost.h` declares the same for C.
//!
//! Pointers that C hands in are null or valid for the length of the call; null is checked everywhere. Text that goes
//! out belongs to the table (valid as long as the view is held) or to the buffers of this thread (valid until the next call).

mod answer;
mod client;
mod edit;
mod fetch;
mod keys;
mod memory;
mod process;
mod routers;
mod target;
mod text;
mod threads;
mod upgrade;
mod vrt;

pub use vrt::{Director, ListenerCounter, Vcl, Vrt};
