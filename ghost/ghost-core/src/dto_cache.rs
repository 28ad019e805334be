//! The cache policy of a route as it is written.

use std::borrow::Cow;

type Text<'a> = Cow<'a, str>;

#[derive(serde::Deserialize, Default)]
#[serde(default)]
#[allow(clippy::struct_excessive_bools, reason = "one for each switch of the format")]
pub struct CachePolicy<'a> {
    pub pass: bool,
    pub default_ttl_seconds: Option<u32>,
    pub forced_ttl_seconds: Option<u32>,
    pub grace_seconds: u32,
    pub keep_seconds: u32,
    pub stale_if_error_seconds: u32,
    #[serde(borrow)]
    pub cache_key: CacheKey<'a>,
    #[serde(borrow)]
    pub bypass_headers: Vec<BypassHeader<'a>>,
    #[serde(borrow)]
    pub scope: Option<Text<'a>>,
    pub purge_keys: Option<Vec<PurgeKey>>,
    #[serde(borrow)]
    pub tags_header: Option<Text<'a>>,
    pub allow_cookies: bool,
    pub allow_authorization: bool,
    pub allow_set_cookie: bool,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct CacheKey<'a> {
    #[serde(borrow)]
    pub headers: Vec<Text<'a>>,
    #[serde(borrow)]
    pub query_params_include: Vec<Text<'a>>,
    #[serde(borrow)]
    pub query_params_exclude: Vec<Text<'a>>,
}

#[derive(serde::Deserialize)]
pub struct BypassHeader<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow, default)]
    pub value_regex: Option<Text<'a>>,
}

#[derive(serde::Deserialize, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
pub enum PurgeKey {
    Path,
    Url,
}
