//! What became of the patterns of a build.
//!
//! Finding out takes long, and one mistake is often made in many routes. A build that puts something off hands on what it
//! found out, also of patterns whose routes came to nothing: the next one would spend as much on them again, and so would all after it.
//!
//! That there is no room for a pattern (`room.rs`) is no verdict on it: another build has another table. Its size is remembered,
//! so that asking again takes no work.

use std::collections::HashMap;
use std::sync::Arc;

use crate::pattern::{Coverage, Pattern};
use crate::room::Room;

pub type Key = (Box<str>, Coverage);

#[derive(Debug, Clone)]
pub enum Verdict {
    Compiled(Arc<Pattern>),
    /// It can be compiled, to so many bytes.
    Measured(u32),
    /// For good. `work` is what finding out took.
    Refused {
        message: String,
        work: u64,
    },
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

    /// The build is over: what it did not ask for is forgotten, and what is not in its table is not held.
    pub fn end(&mut self, room: &Room) {
        self.before = HashMap::new();
        for verdict in self.now.values_mut() {
            if let Verdict::Compiled(pattern) = verdict
                && !room.has(pattern)
            {
                *verdict = Verdict::Measured(pattern.bytes());
            }
        }
    }

    /// Nothing was put off. A host with patterns that found no room is compiled again by each build all the same.
    pub fn settle(&mut self) {
        self.now.retain(|_, verdict| match verdict {
            Verdict::Compiled(_) => false,
            Verdict::Measured(_) => true,
            Verdict::Refused { work, .. } => *work > 0,
        });
        self.now.shrink_to_fit();
    }
}
