//! What became of the patterns of a build.
//!
//! Finding out takes long, and one mistake is often made in many routes. A build that puts something off hands on what it
//! found out, also of patterns whose routes came to nothing: the next one would spend as much on them again, and so would all after it.

use std::collections::HashMap;
use std::sync::Arc;

use crate::pattern::{Coverage, Pattern};

pub type Key = (Box<str>, Coverage);

#[derive(Debug, Clone)]
pub enum Verdict {
    Compiled(Arc<Pattern>),
    /// For good.
    Refused(String),
}

#[derive(Debug, Default, Clone)]
pub struct Verdicts {
    now: HashMap<Key, Verdict>,
    /// Of the build before, as far as this one has not asked for them.
    before: HashMap<Key, Verdict>,
}

impl Verdicts {
    pub fn begin(&mut self) {
        self.before = std::mem::take(&mut self.now);
    }

    pub fn find(&mut self, key: &Key) -> Option<Verdict> {
        if let Some(verdict) = self.before.remove(key) {
            self.now.insert(key.clone(), verdict);
        }
        self.now.get(key).cloned()
    }

    pub fn note(&mut self, key: Key, verdict: Verdict) {
        self.now.insert(key, verdict);
    }

    /// The build is over: what it did not ask for is forgotten.
    pub fn end(&mut self) {
        self.before = HashMap::new();
    }
}
