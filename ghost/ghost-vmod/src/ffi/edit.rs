//! Edits of headers, carried out by the glue.

use std::ffi::c_void;

use ghost_core::{EditBuffer, HeaderEdit, Op};

use super::text::Text;

/// `op`: 0 remove, 1 set, 2 add.
pub type Edit = unsafe extern "C" fn(*mut c_void, u8, Text, Text);

pub(super) struct Editor {
    pub(super) call: Edit,
    pub(super) to: *mut c_void,
}

impl Editor {
    pub(super) fn apply(&self, op: Op, name: &[u8], value: &[u8]) {
        let op = match op {
            Op::Remove => 0,
            Op::Set => 1,
            Op::Add => 2,
        };
        // SAFETY: the glue's own function with the glue's own argument; the texts outlive the call.
        unsafe { (self.call)(self.to, op, Text::of(name), Text::of(value)) }
    }

    pub(super) fn apply_all(&self, edits: &[HeaderEdit]) {
        for edit in edits {
            self.apply(edit.op, edit.name.as_bytes(), edit.value.as_bytes());
        }
    }

    pub(super) fn apply_buffer(&self, edits: &EditBuffer) {
        for (op, name, value) in edits.iter() {
            self.apply(op, name, value);
        }
    }
}
