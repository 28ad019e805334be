//! The JSON of `ghost.json` as it is written, before any of it is believed.
//!
//! Hosts, pools and routes stay raw text until it is known that their bytes changed.

use std::borrow::Cow;
use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, DeserializeSeed, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

pub use crate::dto_filters::*;

type Text<'a> = Cow<'a, str>;

/// A JSON object as a list: keeps order and repeated keys.
#[derive(Debug)]
pub struct Entries<'a, V>(pub Vec<(Text<'a>, V)>);

impl<V> Default for Entries<'_, V> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de: 'a, 'a, V: Deserialize<'de>> Deserialize<'de> for Entries<'a, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Collect<'a, V>(PhantomData<(&'a (), V)>);

        impl<'de: 'a, 'a, V: Deserialize<'de>> Visitor<'de> for Collect<'a, V> {
            type Value = Entries<'a, V>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
                let mut entries = Vec::new();
                while let Some(key) = map.next_key_seed(Key)? {
                    entries.push((key, map.next_value()?));
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(Collect(PhantomData))
    }
}

/// `Cow` alone would copy; this borrows where the text has no escapes.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Text<'de>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Text<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Text<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Text<'de>, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Text<'de>, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

#[derive(serde::Deserialize)]
pub struct Top<'a> {
    pub version: u64,
    #[serde(borrow, default)]
    pub hash: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub sockets: Option<Entries<'a, Entries<'a, Vec<Text<'a>>>>>,
    #[serde(borrow, default)]
    pub listeners: Entries<'a, Listener<'a>>,
    #[serde(borrow, default)]
    pub pools: Entries<'a, &'a RawValue>,
    #[serde(default)]
    pub passive_health: PassiveHealth,
    #[serde(borrow, default)]
    pub vhosts: Entries<'a, &'a RawValue>,
}

#[derive(serde::Deserialize, Default)]
pub struct PassiveHealth {
    pub eject_ms: Option<u32>,
    pub eject_max_ms: Option<u32>,
}

#[derive(serde::Deserialize, Default, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    #[default]
    #[serde(rename = "HTTP")]
    Http,
    #[serde(rename = "HTTPS")]
    Https,
}

#[derive(serde::Deserialize, Default)]
pub struct Listener<'a> {
    #[serde(borrow, default)]
    pub name: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub hostname: Option<Text<'a>>,
    #[serde(default)]
    pub protocol: Protocol,
}

#[derive(serde::Deserialize)]
pub struct Vhost<'a> {
    #[serde(borrow, default)]
    pub routes: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    pub default_backends: Vec<Endpoint<'a>>,
}

#[derive(serde::Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum Select {
    #[default]
    Random,
    Hash,
}

#[derive(serde::Deserialize)]
pub struct Pool<'a> {
    #[serde(borrow, default)]
    pub backends: Vec<Endpoint<'a>>,
    #[serde(default)]
    pub select: Select,
    #[serde(borrow, default)]
    pub backend_tls: Option<BackendTls<'a>>,
}

#[derive(serde::Deserialize)]
pub struct Endpoint<'a> {
    #[serde(borrow, default)]
    pub address: Option<Text<'a>>,
    #[serde(default)]
    pub port: Option<u16>,
    #[serde(borrow, default)]
    pub path: Option<Text<'a>>,
}

#[derive(serde::Deserialize)]
pub struct BackendTls<'a> {
    #[serde(borrow)]
    pub hostname: Text<'a>,
}

#[derive(serde::Deserialize)]
pub struct ExternalProxy<'a> {
    #[serde(borrow)]
    pub hostname: Text<'a>,
    pub port: u16,
    #[serde(default)]
    pub tls: bool,
}

/// Only as much of a route as a report needs, from a route that could not be read.
#[derive(serde::Deserialize)]
pub struct RouteName<'a> {
    #[serde(borrow, default, rename = "route_name")]
    pub name: Text<'a>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
#[allow(clippy::struct_field_names, reason = "the names of the format")]
pub struct Route<'a> {
    #[serde(borrow)]
    pub path_match: Option<PathMatch<'a>>,
    #[serde(borrow)]
    pub method: Option<Text<'a>>,
    #[serde(borrow)]
    pub headers: Vec<NamedMatch<'a>>,
    #[serde(borrow)]
    pub query_params: Vec<NamedMatch<'a>>,
    pub regex: RegexMode,
    #[serde(borrow)]
    pub listeners: Vec<Text<'a>>,
    #[serde(borrow)]
    pub filters: Option<Filters<'a>>,
    #[serde(borrow)]
    pub backend_groups: Vec<Group<'a>>,
    pub timeouts: Option<Timeouts>,
    pub retry: Option<Retry>,
    pub buffer_bytes: Option<u32>,
    /// Raw, because a bad policy must not take the route with it.
    #[serde(borrow)]
    pub cache_policy: Option<&'a RawValue>,
    #[serde(borrow)]
    pub route_name: Text<'a>,
    #[serde(borrow)]
    pub rule_name: Option<Text<'a>>,
    pub origin: Origin,
    pub priority: i64,
    pub rule_index: i64,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Origin {
    pub rule: u32,
    #[serde(rename = "match")]
    pub match_: u32,
}

#[derive(serde::Deserialize, Default, Clone, Copy)]
#[serde(rename_all = "lowercase")]
pub enum RegexMode {
    #[default]
    Search,
    Full,
}

#[derive(serde::Deserialize, Clone, Copy)]
pub enum PathType {
    Exact,
    PathPrefix,
    RegularExpression,
}

#[derive(serde::Deserialize)]
pub struct PathMatch<'a> {
    #[serde(rename = "type")]
    pub kind: PathType,
    #[serde(borrow)]
    pub value: Text<'a>,
}

#[derive(serde::Deserialize, Default, Clone, Copy)]
pub enum MatchType {
    #[default]
    Exact,
    RegularExpression,
}

#[derive(serde::Deserialize)]
pub struct NamedMatch<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub value: Text<'a>,
    #[serde(rename = "type", default)]
    pub kind: MatchType,
}

#[derive(serde::Deserialize)]
pub struct Group<'a> {
    #[serde(default = "default_weight")]
    pub weight: u32,
    #[serde(borrow, default)]
    pub backends: Vec<Endpoint<'a>>,
    #[serde(borrow, default)]
    pub pool: Option<Text<'a>>,
    #[serde(default)]
    pub select: Select,
    #[serde(default)]
    pub invalid: bool,
    #[serde(default)]
    pub on_empty: Option<u16>,
    #[serde(borrow, default)]
    pub service: Option<Text<'a>>,
    #[serde(borrow, default)]
    pub filters: Option<GroupFilters<'a>>,
    #[serde(borrow, default)]
    pub backend_tls: Option<BackendTls<'a>>,
    #[serde(borrow, default)]
    pub external_proxy: Option<ExternalProxy<'a>>,
}

fn default_weight() -> u32 {
    100
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
#[allow(clippy::struct_field_names, reason = "the names of the format")]
pub struct Timeouts {
    pub connect_ms: Option<u32>,
    pub first_byte_ms: Option<u32>,
    pub between_bytes_ms: Option<u32>,
    pub request_ms: Option<u32>,
    pub backend_request_ms: Option<u32>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Retry {
    pub attempts: Option<u32>,
    pub codes: Vec<u16>,
    pub connection_errors: Option<bool>,
    pub backoff_ms: u32,
}
