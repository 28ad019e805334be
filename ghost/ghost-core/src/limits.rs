//! Sizes beyond which a table, host or route is refused. `docs/reference/ghost-json.md` lists them for writers.

pub const TABLE_BYTES: usize = 256 << 20;
pub const HASH_BYTES: usize = 128;
pub const HOSTS: usize = 200_000;
pub const SOCKETS: usize = 1_024;
pub const PORTS_PER_SOCKET: usize = 1_024;
pub const LISTENERS_PER_PORT: usize = 65_536;
pub const ROUTES_PER_HOST: usize = 100_000;
pub const PATH_BYTES: usize = 1_024;
pub const HEADER_MATCHES: usize = 16;
pub const QUERY_MATCHES: usize = 16;
pub const NAME_BYTES: usize = 256;
pub const ROUTE_NAME_BYTES: usize = 512;
pub const HEADER_VALUE_BYTES: usize = 4_096;
pub const QUERY_BYTES: usize = 1_024;
pub const HOST_BYTES: usize = 255;
pub const GROUPS: usize = 64;
pub const WEIGHT: u32 = 1_000_000;
pub const ENDPOINTS: usize = 4_096;
/// `sun_path` of Linux less its terminating NUL.
pub const SOCKET_PATH_BYTES: usize = 107;
pub const HEADER_EDITS: usize = 64;
pub const MIRRORS: usize = 16;
pub const CORS_ENTRIES: usize = 64;
pub const RETRY_CODES: usize = 64;
pub const RETRY_ATTEMPTS: u32 = 100;
pub const BACKOFF_MS: u32 = 60_000;
pub const TIMEOUT_MS: u32 = 86_400_000;
pub const SECONDS: u32 = 31_536_000;
pub const EJECT_MS: u32 = 3_600_000;
pub const CACHE_PARTS: usize = 32;
pub const BUFFER_BYTES: u32 = 64 << 20;
pub const BUFFER_BYTES_DEFAULT: u32 = 1 << 20;
pub const REGEX_BYTES: usize = 1_024;
pub const REGEX_NESTING: u32 = 64;
pub const REGEX_NFA_BYTES: usize = 512 << 10;
pub const REGEX_AUTOMATON_BYTES: usize = 256 << 10;
/// Determinisation needs scratch of its own; without a bound a hostile pattern costs seconds before it is refused.
pub const REGEX_BUILD_BYTES: usize = 1 << 20;
/// Work of a pattern: bytes of its NFA times bytes of its automaton, which is what determinisation goes through. On a machine
/// of 2026 a Gi takes at most 40 ms. Up to this a pattern is free.
pub const REGEX_WORK_FREE: u64 = 16 << 20;
/// The most that a pattern is charged: determinisation gives up on its scratch (`REGEX_BUILD_BYTES`) before it has gone
/// through the rest.
pub const REGEX_WORK_MOST: u64 = 5 << 28;
/// Automata of a table, in varnishd's 64 MiB of a pod; of one namespace's patterns; of a namespace that may have some of the last eighth.
pub const REGEX_BYTES_PER_TABLE: u32 = 16 << 20;
pub const REGEX_BYTES_PER_NAMESPACE: u32 = REGEX_BYTES_PER_TABLE / 4;
pub const REGEX_BYTES_OF_LITTLE: u32 = REGEX_BYTES_PER_TABLE / 32;
/// New large patterns of one namespace in one build, and of all.
pub const REGEX_WORK_PER_NAMESPACE: u64 = 32 << 30;
pub const REGEX_WORK_PER_BUILD: u64 = 128 << 30;
/// Passes of a request over its path, headers and parameters for the conditions of a host and of the hosts wider than it; of one namespace's;
/// of a namespace that may have some of the last eighth. A pass over 8 kB takes some 12 µs, with a large pattern as long as several.
pub const SCANS_PER_HOST: u32 = 256;
pub const SCANS_PER_NAMESPACE: u32 = SCANS_PER_HOST / 2;
pub const SCANS_OF_LITTLE: u32 = SCANS_PER_HOST / 32;
/// How many builds in a row a route stays as it was while patterns of its newest version are put off. They follow one another without a
/// pause, and until the next one ends it is served: nine times 128 Gi of work, 46 s.
pub const WAITING_BUILDS: u32 = 8;
