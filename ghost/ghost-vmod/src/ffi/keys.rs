//! The keys that objects are found and purged by.

use std::hash::{BuildHasher, RandomState};
use std::sync::LazyLock;

use ghost_core::{HostName, KeyParts, PurgeKey, Rewritten, ban_pattern, write_purge_key};
use siphasher::sip128::SipHasher13;

use super::client::RouteNumber;
use super::text::{Message, Text};
use crate::buffers::{Buffers, with_buffers};
use crate::epoch;
use crate::router::View;
use crate::ticket::spread;

/// Secret, so that nobody can look for two requests that share a key.
static KEY: LazyLock<[u64; 2]> = LazyLock::new(|| [0, 1].map(|n| RandomState::new().hash_one(n)));

/// Writes the cache key, 32 letters and a NUL. False: the route has none.
///
/// # Safety
/// `view` is held; `message` and `key` are null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_cache_key(
    view: *const View,
    route: RouteNumber,
    message: *const Message,
    key: *mut [u8; 33],
) -> bool {
    // SAFETY: as promised.
    let (Some(view), Some(message), Some(key)) = (unsafe { (view.as_ref(), message.as_ref(), key.as_mut()) }) else {
        return false;
    };
    let Some((route, _)) = route.find(&view.table) else { return false };
    let Some(policy) = route.cache() else { return false };
    // SAFETY: as promised.
    let url = unsafe { message.url.get() }.unwrap_or_default();
    let host = message.host().and_then(HostName::parse);
    with_buffers(|buffers| {
        let Buffers { url: new_url, out, .. } = buffers;
        let rewritten = Rewritten::of(route, None);
        new_url.clear();
        out.clear();
        let url = if rewritten.path.is_some() {
            rewritten.write_url(url, new_url);
            &**new_url
        } else {
            url
        };
        let rewritten_host = rewritten.hostname.unwrap_or_default().as_bytes();
        let parts = KeyParts { host: host.as_ref(), rewritten_host, url };
        policy.write_key(&parts, &message.lines, out);
        let [k0, k1] = *KEY;
        let digest = SipHasher13::new_with_keys(k0, k1).hash(out).as_u128().to_be_bytes();
        *key = [0; 33];
        for (letters, part) in key.chunks_exact_mut(8).zip(digest.chunks_exact(4)) {
            letters.copy_from_slice(&spread(part.iter().fold(0, |word, &byte| word << 8 | u32::from(byte))));
        }
    })
    .is_some()
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
