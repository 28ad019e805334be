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
use crate::route::Target;
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

    /// The counter of the namespace in a route's `namespace/name`.
    pub fn namespace_usage(&mut self, route: &str) -> Arc<Usage> {
        self.usage(format!("n:{}", route.split_once('/').map_or("", |(namespace, _)| namespace)))
    }

    /// The counter of a backend: by its pool's name, whose endpoints come and go, or by its endpoints.
    pub fn backend_usage(&mut self, target: &Target, pool: Option<&str>) -> Arc<Usage> {
        let key = match (target, pool) {
            (_, Some(name)) => format!("p:{name}"),
            (Target::Inline(pool), None) => {
                pool.endpoints().iter().fold("e:".to_owned(), |key, endpoint| key + endpoint.key() + " ")
            }
            _ => "e:".to_owned(),
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

    pub fn pattern(&mut self, source: &str, coverage: Coverage) -> Result<Arc<Pattern>, String> {
        let key = (Box::from(source), coverage);
        match self.verdicts.find(&key) {
            Some(Verdict::Compiled(pattern)) => return Ok(pattern),
            Some(Verdict::Refused(message)) => return Err(message),
            None => {}
        }
        if let Some(pattern) = self.patterns.get(&key).and_then(Weak::upgrade) {
            return Ok(pattern);
        }
        let mut is_large = false;
        let compiled = match Plan::new(source, coverage).map(|plan| (plan.if_small(), plan)) {
            Ok((Some(small), _)) => small,
            Ok((None, plan)) => {
                self.budget.allows()?;
                let (large, work) = plan.determinise();
                self.budget.spend(work);
                is_large = true;
                large
            }
            Err(message) => Err(message),
        };
        match compiled {
            Ok(pattern) => {
                let pattern = Arc::new(pattern);
                if is_large {
                    self.verdicts.note(key.clone(), Verdict::Compiled(Arc::clone(&pattern)));
                }
                self.patterns.insert(key, Arc::downgrade(&pattern));
                Ok(pattern)
            }
            Err(message) => {
                self.verdicts.note(key, Verdict::Refused(message.clone()));
                Err(message)
            }
        }
    }

    /// A build begins: what held for the one before is over.
    pub fn begin(&mut self) {
        self.verdicts.begin();
        self.budget = Budget::default();
    }

    /// Forgets what nothing uses any more.
    pub fn sweep(&mut self) {
        self.verdicts.end();
        if self.budget.deferred() == 0 {
            self.verdicts = Verdicts::default();
        }
        self.endpoints.retain(|_, endpoint| endpoint.strong_count() > 0);
        self.pools.retain(|_, pool| pool.strong_count() > 0);
        self.patterns.retain(|_, pattern| pattern.strong_count() > 0);
        self.usages.retain(|_, usage| usage.strong_count() > 0);
    }
}
