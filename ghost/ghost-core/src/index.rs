//! Which routes of a host can take a path.
//!
//! All routes are numbered by precedence (*rank*, 0 first). Routes with the same exact path, or the same prefix, share a
//! bucket: their ranks in ascending order. A request looks up one exact bucket and one prefix bucket for each element
//! boundary of its path, as far as the table's prefixes reach, with hashes that one walk over the path yields; the routes
//! with any path and those with a regex are two more buckets. The buckets are then merged by rank, so that routes are
//! tried in table order whatever kind of path they have, and the first that accepts wins.
//!
//! Cost: the length of the path and the depth of the prefixes, not their number. A radix tree would do the same with more
//! memory and pointer chasing; its longest-match order would still have to be reconciled with the order of the table.

use std::sync::Arc;

use hashbrown::HashTable;

use crate::hash;
use crate::route::{PathRule, Route};

#[derive(Debug, Default, Clone)]
pub struct PathIndex {
    exact: HashTable<Bucket>,
    prefix: HashTable<Bucket>,
    any: Bucket,
    pattern: Bucket,
    /// Ranks of all buckets, each bucket a run.
    ranks: Box<[u32]>,
    /// Elements of the longest prefix.
    depth: usize,
}

#[derive(Debug, Default, Clone, Copy)]
struct Bucket {
    start: u32,
    end: u32,
}

/// The buckets of one lookup.
#[derive(Debug, Default)]
pub struct Heads(Vec<Bucket>);

impl PathIndex {
    pub fn build(routes: &[Arc<Route>]) -> Self {
        let count = u32::try_from(routes.len()).unwrap_or(u32::MAX);
        let mut ranks: Vec<u32> = (0..count).collect();
        // Stable, so ranks ascend within each run of equal keys.
        ranks.sort_by(|&a, &b| key(routes, a).cmp(&key(routes, b)));
        let mut index = Self::default();
        let mut start = 0;
        for run in ranks.chunk_by(|&a, &b| key(routes, a) == key(routes, b)) {
            let end = start + u32::try_from(run.len()).unwrap_or_default();
            let bucket = Bucket { start, end };
            start = end;
            let Some(route) = run.first().and_then(|&rank| at(routes, rank)) else { continue };
            match &route.path {
                PathRule::Any => index.any = bucket,
                PathRule::Pattern(_) => index.pattern = bucket,
                PathRule::Exact(path) => insert(&mut index.exact, bucket, hash::keyed(path), routes, &ranks),
                PathRule::Prefix(path) => {
                    index.depth = index.depth.max(elements(path).count());
                    insert(&mut index.prefix, bucket, prefix_hash(path), routes, &ranks);
                }
            }
        }
        index.exact.shrink_to_fit(|bucket| bucket_hash(*bucket, routes, &ranks));
        index.prefix.shrink_to_fit(|bucket| bucket_hash(*bucket, routes, &ranks));
        index.ranks = ranks.into();
        index
    }

    /// The rank of the first route, in table order, that can take the path and that `accept` takes.
    pub fn find(
        &self,
        routes: &[Arc<Route>],
        path: &[u8],
        Heads(heads): &mut Heads,
        mut accept: impl FnMut(u32, &Route) -> bool,
    ) -> Option<u32> {
        self.gather(routes, path, heads);
        // Most paths are in one bucket, and there is nothing to merge.
        if let [only] = **heads {
            let ranks = self.ranks.get(index(only.start)..index(only.end))?;
            return ranks.iter().copied().find(|&rank| at(routes, rank).is_some_and(|route| accept(rank, route)));
        }
        loop {
            let (rank, head) =
                heads.iter_mut().filter_map(|head| Some((self.rank(*head)?, head))).min_by_key(|(rank, _)| *rank)?;
            head.start += 1;
            if at(routes, rank).is_some_and(|route| accept(rank, route)) {
                return Some(rank);
            }
        }
    }

    fn gather(&self, routes: &[Arc<Route>], path: &[u8], heads: &mut Vec<Bucket>) {
        heads.clear();
        heads.extend([self.any, self.pattern].into_iter().filter(|bucket| bucket.start < bucket.end));
        let is = |bucket: &Bucket, wanted: &[u8]| {
            let route = self.rank(*bucket).and_then(|rank| at(routes, rank));
            matches!(route.map(|route| &route.path), Some(PathRule::Exact(p) | PathRule::Prefix(p)) if **p == *wanted)
        };
        if !self.exact.is_empty() {
            heads.extend(self.exact.find(hash::keyed(path), |bucket| is(bucket, path)));
        }
        let mut hash = 0;
        let mut end = 0;
        for element in elements(path).take(self.depth) {
            hash = hash::chain(hash, element);
            end += 1 + element.len();
            let prefix = path.get(..end).unwrap_or_default();
            heads.extend(self.prefix.find(hash, |bucket| is(bucket, prefix)));
        }
    }

    fn rank(&self, bucket: Bucket) -> Option<u32> {
        if bucket.start < bucket.end { self.ranks.get(usize::try_from(bucket.start).ok()?).copied() } else { None }
    }
}

fn at(routes: &[Arc<Route>], rank: u32) -> Option<&Route> {
    routes.get(index(rank)).map(|route| &**route)
}

fn index(number: u32) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

/// Routes with equal keys share a bucket.
fn key(routes: &[Arc<Route>], rank: u32) -> (u8, &[u8]) {
    match at(routes, rank).map(|route| &route.path) {
        Some(PathRule::Exact(path)) => (0, path),
        Some(PathRule::Prefix(path)) => (1, path),
        Some(PathRule::Pattern(_)) => (2, b""),
        Some(PathRule::Any) | None => (3, b""),
    }
}

fn insert(table: &mut HashTable<Bucket>, bucket: Bucket, hash: u64, routes: &[Arc<Route>], ranks: &[u32]) {
    table.insert_unique(hash, bucket, |bucket| bucket_hash(*bucket, routes, ranks));
}

fn bucket_hash(bucket: Bucket, routes: &[Arc<Route>], ranks: &[u32]) -> u64 {
    let rank = usize::try_from(bucket.start).ok().and_then(|start| ranks.get(start));
    match rank.and_then(|&rank| at(routes, rank)).map(|route| &route.path) {
        Some(PathRule::Exact(path)) => hash::keyed(path),
        Some(PathRule::Prefix(path)) => prefix_hash(path),
        Some(PathRule::Any | PathRule::Pattern(_)) | None => 0,
    }
}

fn prefix_hash(path: &[u8]) -> u64 {
    elements(path).fold(0, hash::chain)
}

/// `/a/b/` has the elements `a`, `b` and an empty one. A path without leading `/` (`*`) has none.
fn elements(path: &[u8]) -> impl Iterator<Item = &[u8]> {
    path.strip_prefix(b"/").map(|rest| rest.split(|&b| b == b'/')).into_iter().flatten()
}
