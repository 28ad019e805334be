//! What a worker keeps from request to request, so that no request allocates.

use std::cell::RefCell;
use std::hash::{BuildHasher, Hasher, RandomState};

use ghost_core::{EditBuffer, Scratch};

#[derive(Default)]
pub struct Buffers {
    pub scratch: Scratch,
    pub edits: EditBuffer,
    pub out: Vec<u8>,
    pub url: Vec<u8>,
    /// Where the last request had its `Host`.
    pub host_line: usize,
    random: u64,
}

thread_local! {
    static BUFFERS: RefCell<Buffers> = RefCell::default();
}

pub fn with_buffers<R>(work: impl FnOnce(&mut Buffers) -> R) -> Option<R> {
    BUFFERS.try_with(|buffers| buffers.try_borrow_mut().ok().map(|mut buffers| work(&mut buffers))).ok().flatten()
}

impl Buffers {
    /// Good enough to share load by; nothing secret depends on it. (`SplitMix64`.)
    pub fn draw(&mut self) -> u64 {
        if self.random == 0 {
            self.random = RandomState::new().build_hasher().finish();
        }
        self.random = self.random.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}
