//! ghost-core: the router of the `ghost` VMOD without any Varnish in it.
//!
//! `Table::build` turns the bytes of `ghost.json` (see `docs/reference/ghost-json.md`) into an immutable table, taking over
//! what did not change. `RequestTarget::read` brings what a request asks for to one form; `Table::select` finds the route for a request and decides what becomes of it. Everything after
//! that (header edits, rewritten URL, `Location`, CORS, cache key, timeouts, retries, mirrors) is asked of the route.
//!
//! Nothing here reads a clock, a socket, a file or a random number: time and randomness are arguments. Nothing reachable
//! from `select` allocates (beyond buffers that the caller keeps), locks, formats or panics.

#![forbid(unsafe_code)]

mod budget;
mod build;
mod cache;
mod choice;
mod compile;
mod compile_filters;
mod conditions;
mod cors;
mod dto;
mod dto_cache;
mod dto_filters;
mod endpoint;
mod fair;
mod filter;
mod freshness;
mod hash;
mod health;
mod host;
mod index;
mod intern;
pub mod limits;
mod line;
mod listener;
mod live;
mod memory;
mod path;
mod pattern;
mod pool;
mod recent;
mod redirect;
mod report;
mod request;
mod rewrite;
mod room;
mod route;
mod scans;
mod share;
mod table;
mod target;
mod traffic;
mod upgrade;
mod verdicts;
mod vhost;
mod waiting;

pub use build::Built;
pub use cache::{CachePolicy, KeyParts, PurgeKey, Ttl, ban_pattern, write_purge_key};
pub use choice::{Action, Choice, Forward, Matched, RouteId};
pub use cors::Cors;
pub use endpoint::{Address, Endpoint};
pub use fair::{Part, is_within_shares};
pub use filter::{EditBuffer, HeaderEdit, Op};
pub use freshness::Freshness;
pub use health::{Ejection, Health};
pub use host::HostName;
pub use line::HeaderLine;
pub use listener::Listener;
pub use live::Live;
pub use memory::{MemoryBudget, STORAGES, Storage, StoredObjects};
pub use path::{BadPath, Slashes, is_plainly_normal, write_normal_url};
pub use pattern::{Coverage, Pattern};
pub use pool::{Pick, Pool, Select};
pub use recent::Recent;
pub use redirect::{Origin, Redirect, Scheme};
pub use report::{Effect, Listed, Refusal, Report, TableError};
pub use request::{Headers, Request, Url};
pub use rewrite::{PathRewrite, UrlRewrite};
pub use route::{Group, PathRule, Rewritten, Route, Target};
pub use share::{Holder, LANES, Threads, Usage};
pub use table::{Chance, Scratch, Table, object_key};
pub use target::{RefusedRequest, RequestTarget};
pub use traffic::{Attempt, Ended, Limit, Mirror, Retry, Timeouts, Tries, tries_again};
pub use upgrade::{accepts_websocket, offers_websocket, write_without_upgrade};
pub use vhost::Host;
