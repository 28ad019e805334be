//! A host of whose newest version not everything is compiled yet.
//!
//! A version becomes live as a whole: without a rule that was put off, requests would fall to a wider one. Until then the host is served as
//! it was before. One that is new is not there, and what it is asked for goes where it went before; in the first table there is no
//! before, and it has no answer but 404.
//!
//! Many may share a host, so one of them must not hold up the others for ever: after some builds in a row the new version is served
//! without the routes that are still waited for, each of them left out as a whole.

use std::sync::Arc;

use crate::limits;
use crate::pool::Pool;
use crate::report::Refusal;
use crate::room::Room;
use crate::route::Target;
use crate::table::{NamedPools, Table};
use crate::vhost::Host;

#[derive(Debug)]
pub(crate) struct Wait {
    builds: u32,
    /// Of the version that is waited for.
    refusals: Box<[Refusal]>,
}

impl Host {
    /// What is served in place of this version, which is not settled.
    ///
    /// Patterns of hosts that wait are held beside those of the newest version, so they have a room of their own, of the same size.
    pub(crate) fn or_wait(self, before: Option<&Host>, is_first_table: bool, room: &mut Room) -> Host {
        let builds = before.and_then(|host| host.wait.as_ref()).map_or(1, |wait| wait.builds + 1);
        let mut held = before.into_iter().flat_map(Host::patterns);
        if builds > limits::WAITING_BUILDS || !held.all(|(whose, pattern)| room.admit(whose, pattern).is_ok()) {
            return self;
        }
        let wait = Some(Wait { builds, refusals: self.refusals });
        match before {
            None => Host { wait, is_closed: is_first_table, ..Host::empty(&self.name) },
            Some(host) => Host {
                wait,
                routes: host.routes.clone(),
                index: host.index.clone(),
                left_out: host.left_out.clone(),
                refusals: host.refusals.clone(),
                sources: host.sources.clone(),
                is_closed: host.is_closed,
                ..Host::empty(&self.name)
            },
        }
    }

    /// What is wrong with the newest version.
    pub(crate) fn newest_refusals(&self) -> &[Refusal] {
        self.wait.as_ref().map_or(&self.refusals, |wait| &wait.refusals)
    }
}

/// A host that waits may name pools that the newest version has no more.
pub(crate) fn keep_pools(hosts: &[Arc<Host>], pools: &mut Vec<Option<(u128, Arc<Pool>)>>, previous: Option<&Table>) {
    let before: &NamedPools = match previous {
        Some(previous) => &previous.pools,
        None => return,
    };
    let waiting = hosts.iter().filter(|host| host.wait.is_some()).flat_map(|host| &host.routes);
    for number in waiting.flat_map(|route| route.targets()).filter_map(Target::number) {
        let Some(kept @ Some(_)) = before.get(number) else { continue };
        if pools.len() <= number {
            pools.resize_with(number + 1, || None);
        }
        if let Some(slot @ None) = pools.get_mut(number) {
            slot.clone_from(kept);
        }
    }
}
