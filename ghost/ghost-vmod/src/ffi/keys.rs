//! The keys that objects are found and purged by.

use ghost_core::{HostName, KeyParts, PurgeKey, Rewritten, ban_pattern, write_purge_key};

use super::client::RouteNumber;
use super::text::{Message, Text};
use crate::buffers::{Buffers, with_buffers};
use crate::epoch;
use crate::router::View;

/// The cache key, with a NUL. None: the route has none.
///
/// # Safety
/// `view` is held; `message` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_cache_key(view: *const View, route: RouteNumber, message: *const Message) -> Text {
    // SAFETY: as promised.
    let (Some(view), Some(message)) = (unsafe { (view.as_ref(), message.as_ref()) }) else { return Text::NONE };
    let Some((route, _)) = route.find(&view.table) else { return Text::NONE };
    let Some(policy) = route.cache() else { return Text::NONE };
    // SAFETY: as promised.
    let url = unsafe { message.url.get() }.unwrap_or_default();
    with_buffers(|buffers| {
        let Buffers { url: new_url, out, scratch, host_line, .. } = buffers;
        let host = scratch.recent.host(message.host_near(host_line));
        let rewritten = Rewritten::of(route, None);
        out.clear();
        let url = if rewritten.path.is_some() {
            new_url.clear();
            rewritten.write_url(url, new_url);
            &**new_url
        } else {
            url
        };
        let rewritten_host = rewritten.hostname.unwrap_or_default().as_bytes();
        policy.write_key(&KeyParts { host, rewritten_host, url }, &message.lines, out);
        out.push(0);
        Text::of(out)
    })
    .unwrap_or(Text::NONE)
}

/// The key under which objects of the message's host and URL can be purged. Whoever asks is about to.
///
/// # Safety
/// `message` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_purge_key(message: *const Message, whole_url: bool, now_ms: u64) -> Text {
    // SAFETY: as promised.
    let Some(message) = (unsafe { message.as_ref() }) else { return Text::NONE };
    // SAFETY: as promised.
    let url = unsafe { message.url.get() }.unwrap_or_default();
    let host = message.host().and_then(HostName::parse);
    let kind = if whole_url { PurgeKey::Url } else { PurgeKey::Path };
    with_buffers(|buffers| {
        buffers.out.clear();
        write_purge_key(kind, host.as_ref(), url, &mut buffers.out);
        epoch::purged(&buffers.out, now_ms);
        Text::of(&buffers.out)
    })
    .unwrap_or(Text::NONE)
}

/// Objects are about to be purged by this key.
///
/// # Safety
/// `key` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_purging(key: Text, now_ms: u64) {
    // SAFETY: as promised.
    if let Some(key) = unsafe { key.get() } {
        epoch::purged(key, now_ms);
    }
}

/// An expression for the keys of objects of the message's host; none if it has no host. Whoever asks is about to ban them.
///
/// # Safety
/// `message` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_ban_pattern(message: *const Message, now_ms: u64) -> Text {
    // SAFETY: as promised.
    let Some(message) = (unsafe { message.as_ref() }) else { return Text::NONE };
    let Some(host) = message.host().and_then(HostName::parse) else { return Text::NONE };
    epoch::banned(now_ms);
    with_buffers(|buffers| {
        buffers.out.clear();
        buffers.out.extend_from_slice(ban_pattern(&host).as_bytes());
        Text::of(&buffers.out)
    })
    .unwrap_or(Text::NONE)
}
