//! What a request line asks for, in the form that everything after it sees.

use ghost_core::{RequestTarget, Slashes};

use super::text::Text;
use crate::buffers::with_buffers;

#[repr(C)]
pub struct Target {
    /// 0: the request is routed; else it is answered with this.
    status: u16,
    /// None: as it came. In this thread's buffers.
    url: Text,
    /// None: as it came. A part of the URL that was asked about.
    host: Text,
    why: Text,
}

impl Target {
    const AS_IT_CAME: Self = Self { status: 0, url: Text::NONE, host: Text::NONE, why: Text::NONE };
}

/// # Safety
/// Texts are null or valid; `target` is null or valid.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_target(method: Text, url: Text, keeps_slashes: bool, target: *mut Target) {
    // SAFETY: as promised.
    let Some(target) = (unsafe { target.as_mut() }) else { return };
    // SAFETY: as promised.
    let (method, url) = unsafe { (method.get().unwrap_or_default(), url.get().unwrap_or_default()) };
    let slashes = if keeps_slashes { Slashes::Keep } else { Slashes::Merge };
    *target = Target::AS_IT_CAME;
    if RequestTarget::at_a_glance(method, url, slashes).is_some() {
        return;
    }
    with_buffers(|buffers| match RequestTarget::read_closely(method, url, slashes, &mut buffers.url) {
        Ok(RequestTarget::AsItCame) => {}
        Ok(RequestTarget::Normalised) => target.url = Text::of(&buffers.url),
        Ok(RequestTarget::Absolute { authority }) => {
            target.url = Text::of(&buffers.url);
            target.host = Text::of(authority);
        }
        Err(refused) => {
            target.status = refused.status;
            target.why = Text::of(refused.why.as_bytes());
        }
    });
}
