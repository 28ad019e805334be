//! What tables share with their successors.
//!
//! A new table is built beside the old one and most of it is the same. Compiled hosts are carried over whole, so what they
//! refer to must keep its meaning: names of listeners and pools become numbers that hold for the whole line of tables, and
//! endpoints, pools and patterns are found again by content for as long as anything uses them.
//!
//! Numbers are never reused. After many reloads with ever new names the line is ended and a fresh one begun (`renewed`),
//! which costs one full build and bounds the memory.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};

use crate::budget::Budget;
use crate::endpoint::{Address, Endpoint, Slots};
use crate::pattern::{Coverage, Pattern, Plan};
use crate::pool::{Pool, Select};
use crate::room::Room;
use crate::route::Target;
use crate::scans::Scans;
use crate::share::Usage;
use crate::verdicts::{Key, Verdict, Verdicts};

#[derive(Debug, Default)]
pub struct Interner(Mutex<Shared>);

#[derive(Debug, Default)]
pub struct Shared {
    names: HashMap<Box<str>, u32>,
    endpoints: HashMap<Box<str>, Weak<Endpoint>>,
    pools: HashMap<(Box<[u64]>, Select), Weak<Pool>>,
    patterns: HashMap<Key, Weak<Pattern>>,
    /// What backends and namespaces hold: the same counter in every table, whatever becomes of the endpoints.
    usages: HashMap<Box<str>, Weak<Usage>>,
    verdicts: Verdicts,
    /// Of this build.
    pub budget: Budget,
    pub room: Room,
    /// Of what is kept of routes that wait.
    pub waiting_room: Room,
    pub scans: Scans,
    pub waiting_scans: Scans,
    last_id: u64,
    slots: Arc<Slots>,
}

impl Interner {
    pub fn lock(&self) -> MutexGuard<'_, Shared> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The same endpoints, pools and patterns, but no names.
    pub fn renewed(&self) -> Self {
        let old = self.lock();
        Self(Mutex::new(Shared {
            names: HashMap::new(),
            endpoints: old.endpoints.clone(),
            pools: old.pools.clone(),
            patterns: old.patterns.clone(),
            usages: old.usages.clone(),
            verdicts: old.verdicts.clone(),
            budget: Budget::default(),
            room: Room::default(),
            waiting_room: Room::default(),
            scans: Scans::default(),
            waiting_scans: Scans::default(),
            last_id: old.last_id,
            slots: Arc::clone(&old.slots),
        }))
    }
}

impl Shared {
    pub fn names(&self) -> usize {
        self.names.len()
    }

    pub fn name(&mut self, name: &str) -> u32 {
        if let Some(&id) = self.names.get(name) {
            return id;
        }
        let id = u32::try_from(self.names.len()).unwrap_or(u32::MAX);
        self.names.insert(name.into(), id);
        id
    }

    /// Names that start with `prefix`, without it.
    pub fn with_prefix<'s>(&'s self, prefix: &'s str) -> impl Iterator<Item = (&'s str, u32)> {
        self.names.iter().filter_map(move |(name, &number)| Some((name.strip_prefix(prefix)?, number)))
    }

    pub fn endpoint(&mut self, address: Address, tls_name: Option<&str>) -> Arc<Endpoint> {
        let key: Box<str> = Endpoint::key_of(&address, tls_name).into();
        if let Some(endpoint) = self.endpoints.get(&key).and_then(Weak::upgrade) {
            return endpoint;
        }
        self.last_id += 1;
        let endpoint =
            Endpoint::new(self.last_id, key.clone(), address, tls_name.map(Into::into), Arc::clone(&self.slots));
        let endpoint = Arc::new(endpoint);
        self.endpoints.insert(key, Arc::downgrade(&endpoint));
        endpoint
    }

    /// Endpoints listed twice count once.
    pub fn pool(&mut self, endpoints: Vec<Arc<Endpoint>>, select: Select) -> Arc<Pool> {
        let mut unique: Vec<Arc<Endpoint>> = Vec::with_capacity(endpoints.len());
        let mut seen = std::collections::HashSet::with_capacity(endpoints.len());
        unique.extend(endpoints.into_iter().filter(|endpoint| seen.insert(endpoint.id())));
        let key = (unique.iter().map(|endpoint| endpoint.id()).collect(), select);
        if let Some(pool) = self.pools.get(&key).and_then(Weak::upgrade) {
            return pool;
        }
        let pool = Arc::new(Pool::new(unique, select));
        self.pools.insert(key, Arc::downgrade(&pool));
        pool
    }

    /// The counter of the namespace that is charged.
    pub fn namespace_usage(&mut self) -> Arc<Usage> {
        self.usage(format!("n:{}", self.budget.namespace()))
    }

    /// The counter of a backend of the namespace that is charged: by its pool's name, whose endpoints come and go, or by its endpoints.
    pub fn backend_usage(&mut self, target: &Target, pool: Option<&str>) -> Arc<Usage> {
        let namespace = self.budget.namespace();
        let key = match (target, pool) {
            (_, Some(name)) => format!("p:{namespace}/{name}"),
            (Target::Inline(pool), None) => {
                pool.endpoints().iter().fold(format!("e:{namespace}/"), |key, endpoint| key + endpoint.key() + " ")
            }
            _ => format!("e:{namespace}/"),
        };
        self.usage(key)
    }

    fn usage(&mut self, key: String) -> Arc<Usage> {
        if let Some(usage) = self.usages.get(key.as_str()).and_then(Weak::upgrade) {
            return usage;
        }
        let usage = Arc::default();
        self.usages.insert(key.into(), Arc::downgrade(&usage));
        usage
    }

    /// A pattern that requests for the host are matched with, for the namespace that is charged.
    pub fn condition(&mut self, source: &str, coverage: Coverage) -> Result<Arc<Pattern>, String> {
        self.is_open()?;
        self.pattern(source, coverage)
    }

    /// Whether the namespace that is charged may have more conditions on the host.
    pub fn is_open(&mut self) -> Result<(), String> {
        self.scans.is_open(self.budget.namespace())
    }

    /// What follows is of this host.
    pub fn enter(&mut self, host: &str) {
        self.scans.enter(host);
        self.waiting_scans.enter(host);
    }

    /// How many patterns or routes found no room so far.
    pub fn refusals(&self) -> u64 {
        self.room.refusals() + self.scans.refusals()
    }

    /// For the namespace that is charged.
    pub fn pattern(&mut self, source: &str, coverage: Coverage) -> Result<Arc<Pattern>, String> {
        let key = (Box::from(source), coverage);
        let known = match self.verdicts.find(&key) {
            Some(Verdict::Refused { message, .. }) => return Err(message),
            Some(Verdict::Compiled(pattern)) => Some(pattern),
            Some(Verdict::Measured(_)) | None => self.patterns.get(&key).and_then(Weak::upgrade),
        };
        let Some(pattern) = known else { return self.compile(key) };
        self.room.admit(self.budget.namespace(), &pattern)?;
        Ok(pattern)
    }

    fn compile(&mut self, key: Key) -> Result<Arc<Pattern>, String> {
        let namespace = self.budget.namespace();
        match self.verdicts.find(&key) {
            Some(Verdict::Measured(bytes)) => self.room.would_admit(namespace, bytes)?,
            _ => self.room.is_open(namespace)?,
        }
        let (compiled, work) = match Plan::new(&key.0, key.1).map(|plan| (plan.if_small(), plan)) {
            Ok((Some(small), _)) => (small, 0),
            Ok((None, plan)) => {
                self.budget.allows()?;
                let (large, work) = plan.determinise();
                self.budget.spend(work);
                (large, work)
            }
            Err(message) => (Err(message), 0),
        };
        let pattern = match compiled {
            Ok(pattern) => Arc::new(pattern),
            Err(message) => {
                self.verdicts.note(key, Verdict::Refused { message: message.clone(), work });
                return Err(message);
            }
        };
        let admitted = self.room.admit(self.budget.namespace(), &pattern);
        if work > 0 {
            let verdict = match admitted {
                Ok(()) => Verdict::Compiled(Arc::clone(&pattern)),
                Err(_) => Verdict::Measured(pattern.bytes()),
            };
            self.verdicts.note(key.clone(), verdict);
        }
        admitted?;
        self.patterns.insert(key, Arc::downgrade(&pattern));
        Ok(pattern)
    }

    /// A build begins: what held for the one before is over.
    pub fn begin(&mut self) {
        self.verdicts.begin();
        self.budget = Budget::default();
        self.room = Room::default();
        self.waiting_room = Room::default();
        self.scans = Scans::default();
        self.waiting_scans = Scans::default();
    }

    /// Forgets what nothing uses any more.
    pub fn sweep(&mut self) {
        self.verdicts.end(&self.room);
        if self.budget.deferred() == 0 {
            self.verdicts.settle();
        }
        self.room = Room::default();
        self.waiting_room = Room::default();
        self.scans = Scans::default();
        self.waiting_scans = Scans::default();
        self.endpoints.retain(|_, endpoint| endpoint.strong_count() > 0);
        self.pools.retain(|_, pool| pool.strong_count() > 0);
        self.patterns.retain(|_, pattern| pattern.strong_count() > 0);
        self.usages.retain(|_, usage| usage.strong_count() > 0);
    }
}
