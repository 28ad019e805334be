//! The filters of a route or group as they are written.

use std::borrow::Cow;

use crate::dto::{BackendTls, Endpoint, Select};

type Text<'a> = Cow<'a, str>;

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct GroupFilters<'a> {
    #[serde(borrow)]
    pub request_header_modifier: Option<HeaderModifier<'a>>,
    #[serde(borrow)]
    pub response_header_modifier: Option<HeaderModifier<'a>>,
    #[serde(borrow)]
    pub url_rewrite: Option<UrlRewrite<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Filters<'a> {
    #[serde(borrow)]
    pub request_header_modifier: Option<HeaderModifier<'a>>,
    #[serde(borrow)]
    pub response_header_modifier: Option<HeaderModifier<'a>>,
    #[serde(borrow)]
    pub url_rewrite: Option<UrlRewrite<'a>>,
    #[serde(borrow)]
    pub request_redirect: Option<Redirect<'a>>,
    #[serde(borrow)]
    pub cors: Option<Cors<'a>>,
    #[serde(borrow)]
    pub request_mirrors: Vec<Mirror<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct HeaderModifier<'a> {
    #[serde(borrow)]
    pub set: Vec<HeaderValue<'a>>,
    #[serde(borrow)]
    pub add: Vec<HeaderValue<'a>>,
    #[serde(borrow)]
    pub remove: Vec<Text<'a>>,
}

#[derive(serde::Deserialize)]
pub struct HeaderValue<'a> {
    #[serde(borrow)]
    pub name: Text<'a>,
    #[serde(borrow)]
    pub value: Text<'a>,
}

#[derive(serde::Deserialize, Clone, Copy)]
pub enum RewriteType {
    ReplaceFullPath,
    ReplacePrefixMatch,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct UrlRewrite<'a> {
    #[serde(borrow)]
    pub hostname: Option<Text<'a>>,
    pub path_type: Option<RewriteType>,
    #[serde(borrow)]
    pub replace_full_path: Option<Text<'a>>,
    #[serde(borrow)]
    pub replace_prefix_match: Option<Text<'a>>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Redirect<'a> {
    #[serde(borrow)]
    pub scheme: Option<Text<'a>>,
    #[serde(borrow)]
    pub hostname: Option<Text<'a>>,
    pub port: Option<u16>,
    pub path_type: Option<RewriteType>,
    #[serde(borrow)]
    pub replace_full_path: Option<Text<'a>>,
    #[serde(borrow)]
    pub replace_prefix_match: Option<Text<'a>>,
    pub status_code: Option<u16>,
}

#[derive(serde::Deserialize)]
pub struct Cors<'a> {
    #[serde(borrow)]
    pub allow_origins: Vec<Text<'a>>,
    #[serde(borrow, default)]
    pub allow_methods: Vec<Text<'a>>,
    #[serde(borrow, default)]
    pub allow_headers: Vec<Text<'a>>,
    #[serde(borrow, default)]
    pub expose_headers: Vec<Text<'a>>,
    #[serde(default)]
    pub allow_credentials: bool,
    #[serde(default)]
    pub max_age_seconds: Option<u32>,
}

#[derive(serde::Deserialize, Default)]
#[serde(default)]
pub struct Mirror<'a> {
    #[serde(borrow)]
    pub pool: Option<Text<'a>>,
    #[serde(borrow)]
    pub backends: Vec<Endpoint<'a>>,
    pub select: Select,
    #[serde(borrow)]
    pub backend_tls: Option<BackendTls<'a>>,
    pub percent: Option<u32>,
    pub fraction: Option<Fraction>,
}

#[derive(serde::Deserialize)]
pub struct Fraction {
    pub numerator: u32,
    #[serde(default)]
    pub denominator: Option<u32>,
}
