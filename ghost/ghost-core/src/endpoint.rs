//! Endpoints: one object for each place that requests are sent to, shared by all routes and kept across tables.
//!
//! Identity is the key (address, port or path, TLS name). As long as some table refers to an endpoint, a new table with
//! the same key gets the same object: its `id`, its `slot` and its health.

use std::net::IpAddr;
use std::sync::{Arc, Mutex, PoisonError};

use crate::hash;
use crate::health::Health;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Address {
    Ip(IpAddr, u16),
    /// Path of a Unix socket.
    Unix(Box<str>),
    /// A name to resolve and a port.
    Dns(Box<str>, u16),
}

#[derive(Debug)]
pub struct Endpoint {
    id: u64,
    slot: u32,
    seed: u64,
    key: Box<str>,
    address: Address,
    tls_name: Option<Box<str>>,
    pub health: Health,
    slots: Arc<Slots>,
}

impl Endpoint {
    pub(crate) fn key_of(address: &Address, tls_name: Option<&str>) -> String {
        let place = match address {
            Address::Ip(IpAddr::V4(ip), port) => format!("{ip}:{port}"),
            Address::Ip(IpAddr::V6(ip), port) => format!("[{ip}]:{port}"),
            Address::Unix(path) => format!("unix:{path}"),
            Address::Dns(name, port) => format!("dns:{name}:{port}"),
        };
        match tls_name {
            Some(name) => format!("{place}+tls:{name}"),
            None => place,
        }
    }

    pub(crate) fn new(id: u64, key: Box<str>, address: Address, tls_name: Option<Box<str>>, slots: Arc<Slots>) -> Self {
        let slot = slots.take();
        Self {
            id,
            slot,
            seed: hash::stable(&[key.as_bytes()]),
            key,
            address,
            tls_name,
            health: Health::default(),
            slots,
        }
    }

    /// Never used again for another endpoint in this process.
    pub fn id(&self) -> u64 {
        self.id
    }

    /// Small and dense; given to another endpoint only after this one is gone. Compare `id` where that matters.
    pub fn slot(&self) -> u32 {
        self.slot
    }

    /// `10.0.0.1:8080`, `[::1]:80`, `unix:/run/x`, `dns:example.com:443`; with `+tls:name` if TLS is required.
    pub fn key(&self) -> &str {
        &self.key
    }

    pub fn address(&self) -> &Address {
        &self.address
    }

    /// TLS is required, with this server name. Never send plain text instead.
    pub fn tls_name(&self) -> Option<&str> {
        self.tls_name.as_deref()
    }

    /// Weight of this endpoint for a rendezvous key; the highest wins.
    pub(crate) fn score(&self, key: u64) -> u64 {
        hash::spread(key ^ self.seed)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.slots.give_back(self.slot);
    }
}

/// Hands out slots, lowest free first come.
#[derive(Debug, Default)]
pub struct Slots(Mutex<Free>);

#[derive(Debug, Default)]
struct Free {
    next: u32,
    returned: Vec<u32>,
}

impl Slots {
    fn take(&self) -> u32 {
        let mut free = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        free.returned.pop().unwrap_or_else(|| {
            let slot = free.next;
            free.next += 1;
            slot
        })
    }

    fn give_back(&self, slot: u32) {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).returned.push(slot);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn slots_are_dense_and_reused_after_drop() {
        let slots = Arc::new(Slots::default());
        let make = |id| {
            let address = Address::Ip(IpAddr::from([10, 0, 0, 1]), 80);
            Endpoint::new(id, Endpoint::key_of(&address, None).into(), address, None, Arc::clone(&slots))
        };
        let (a, b) = (make(1), make(2));
        assert_eq!((a.slot(), b.slot()), (0, 1));
        drop(a);
        assert_eq!(make(3).slot(), 0);
    }

    #[test]
    fn keys_tell_endpoints_apart() {
        let v6 = Address::Ip("2001:db8::0:1".parse().unwrap(), 80);
        assert_eq!(Endpoint::key_of(&v6, None), "[2001:db8::1]:80");
        assert_eq!(Endpoint::key_of(&v6, Some("a.b")), "[2001:db8::1]:80+tls:a.b");
        assert_eq!(Endpoint::key_of(&Address::Unix("/run/x".into()), None), "unix:/run/x");
        assert_eq!(Endpoint::key_of(&Address::Dns("x.y".into(), 443), None), "dns:x.y:443");
    }
}
