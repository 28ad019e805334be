//! The process: loading tables.

use std::ffi::{CStr, CString, c_char};

use super::vrt::Vrt;
use crate::process::PROCESS;

#[unsafe(no_mangle)]
pub extern "C" fn ghost_start(vrt: Vrt) -> bool {
    PROCESS.start(vrt)
}

/// # Safety
/// `path` is null or a C string.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_path(path: *const c_char) {
    if !path.is_null() {
        // SAFETY: checked, and promised by the caller.
        PROCESS.set_path(&unsafe { CStr::from_ptr(path) }.to_string_lossy());
    }
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_preload() {
    PROCESS.preload();
}

/// What came of a reload. `json` is to be given back to `ghost_text_free`.
#[repr(C)]
pub struct Reloaded {
    live: bool,
    json: *mut c_char,
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_reload() -> Reloaded {
    let outcome = PROCESS.reload();
    let json = CString::new(outcome.json).unwrap_or_default().into_raw();
    Reloaded { live: outcome.live, json }
}

#[unsafe(no_mangle)]
pub extern "C" fn ghost_last_error() -> *mut c_char {
    CString::new(PROCESS.last_error()).unwrap_or_default().into_raw()
}

/// # Safety
/// `text` is null or was returned by this library.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ghost_text_free(text: *mut c_char) {
    if !text.is_null() {
        // SAFETY: from `CString::into_raw`.
        drop(unsafe { CString::from_raw(text) });
    }
}
